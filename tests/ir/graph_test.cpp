// The graph's laws: equal parts are one node, in the compiler and at run time, at any depth.
#include "twill/ir/graph.hpp"

#include "catch.hpp"
#include "twill/ir/evaluate.hpp"
#include "twill/ir/order.hpp"
#include "twill/ir/print.hpp"
#include "twill/ir/replace.hpp"
#include "twill/ir/uop.hpp"

using namespace twill;

namespace {

// Every check runs in the compiler and under the sanitizers.
constexpr bool interning() {
  graph g;
  const uop i = g.var("i", 0, 31), j = g.var("j", 0, 63);
  bool ok = g.var("i", 0, 31) == i && !(i == j) && !(g.var("i", 0, 32) == i) && !(g.var("i", 0, 31, int64) == i);
  ok = ok && i * 64 + j == i * 64 + j && !(i + j == j + i) && !(i + 1 == i + 2);
  ok = ok && g.constant(int32, 1) == g.constant(int32, 1) && !(g.constant(int32, 1) == g.constant(int64, 1));
  ok = ok && g.constant(uint8, 256) == g.constant(uint8, 0) && g.constant(float32, 1) == g.constant(float32, 1.0);
  // By their bits: the zeros differ, there is one NaN.
  ok = ok && !(g.constant(float32, 0.0) == g.constant(float32, -0.0));
  ok = ok && g.constant(float32, __builtin_nan("")) == g.constant(float32, scalar::negated(__builtin_nan("1")));
  ok = ok && g.constant(float32, 0.1) == g.constant(float32, static_cast<double>(0.1f)) &&
       g.constant(float16, 1e9).argument(0) == word_of(scalar::infinity);
  const size_t before = g.size();
  const uop again = (g.var("i", 0, 31) * 64 + j) / 64;
  return ok && again == (i * 64 + j) / 64 && g.size() == before + 1;
}
static_assert(interning());

constexpr bool replacing() {
  graph g;
  const uop i = g.var("i", 0, 31), j = g.var("j", 0, 63), k = g.var("k", 0, 7);
  const uop e = (i + j) * (i + j) + i;
  const size_t size = g.size();
  bool ok = substitute(e, {{k, j}}) == e && substitute(e, {}) == e && substitute(e, {{i, i}}) == e && g.size() == size;
  ok = ok && substitute(e, {{i, k}}) == (k + j) * (k + j) + k && substitute(e, {{e, k}}) == k;
  ok = ok && substitute(e, {{i, j}, {j, i}}) == (j + i) * (j + i) + j;  // all at once
  ok = ok && substitute(e, {{i, i + 1}}) == ((i + 1) + j) * ((i + 1) + j) + (i + 1);
  const uop sum = i + j;
  const uop parts[] = {i, k}, same[] = {i, j};
  ok = ok && replace(sum, span<const uop>(parts)) == i + k && replace(sum, span<const uop>(same)) == sum && replace(sum, int32) == sum;
  const i64 range[] = {3, 0, 5}, other[] = {4, 0, 5};
  ok = ok && replace(g.make(op::RANGE, int32, {}, range), span<const i64>(other)) == g.make(op::RANGE, int32, {}, other);
  return ok && replace(i + 0, int64).type() == int64;
}
static_assert(replacing());

constexpr bool ordering() {
  graph g;
  const uop one = g.constant(int32, 1), minus = g.constant(int32, -1), b = g.var("b", 0, 9), a = g.var("a", 0, 99), ab = g.var("ab", 0, 9);
  const uop sorted[] = {a, ab, b, g.var("b", 0, 10), a + b, a * b, minus, one, g.constant(int64, 1)};
  constexpr size_t n = sizeof sorted / sizeof *sorted;
  bool ok = true;
  for (size_t x = 0; x < n; ++x)
    for (size_t y = 0; y < n; ++y) ok = ok && before(sorted[x], sorted[y]) == (x < y);
  return ok && before(g.constant(float32, -1.5), g.constant(float32, -0.5)) && before(g.constant(float32, -0.5), g.constant(float32, 2.0));
}
static_assert(ordering());

constexpr bool evaluating() {
  graph g;
  const uop row = g.var("row", 0, 99), col = g.var("col", 0, 255);
  const uop flat = row * 256 + col;
  bool ok = evaluate(flat, {{"row", 3}, {"col", 5}}) == 773 && evaluate(flat / 256, {{"row", 3}, {"col", 5}}) == 3;
  ok = ok && evaluate(where(row < 3, flat, col), {{"col", 5}, {"row", 3}, {"other", 1}}) == 5 && evaluate(g.constant(int32, 7)) == 7;
  ok = ok && evaluate_constant(cast(row, float32) / 4.0f, {{"row", 3}}).number() == 0.75;
  ok = ok && evaluate(cast(row, uint8) + 200, {{"row", 99}}) == 43;
  const i64 loop[] = {2, 0, 9};
  return ok && evaluate(g.make(op::RANGE, int32, {}, loop) % 4, {{"ridx2", 7}}) == 3;
}
static_assert(evaluating());

constexpr graph_key key_of(bool other_nodes_first) {
  graph g;
  if (other_nodes_first) {
    const uop unused = (g.var("j", 0, 63) + 9) * g.var("z", 1, 2);
    (void)unused;
  }
  const uop i = g.var("i", 0, 31), j = g.var("j", 0, 63);
  return key(max(i * 64 + j, 5) / 7);
}
static_assert(key_of(false) == key_of(true));

}  // namespace

TEST_CASE("interning, replacing, ordering and evaluating at run time") {
  CHECK(interning());
  CHECK(replacing());
  CHECK(ordering());
  CHECK(evaluating());
}

TEST_CASE("hashes and keys do not depend on the run, the graph or the compiler") {
  graph g;
  // Cache keys and the order of operands rest on these figures.
  CHECK(g.var("i", 0, 31).get().hash == 0x39aad5cce70d9f34u);
  CHECK((g.var("i", 0, 31) * 64).get().hash == 0xed7d3e19ca25af2eu);
  CHECK(to_text(key_of(true)) == "ce86fd438965a9c3900ea1edad7d388f");
  const uop i = g.var("i", 0, 31), j = g.var("j", 0, 31);
  CHECK_FALSE((key(i + j) == key(j + i)));
  CHECK_FALSE((key(i + i) == key(i + j)));
}

TEST_CASE("a chain of 100000 nodes and a sharing of 2^64 paths need no recursion") {
  graph g;
  const uop x = g.var("x", 0, 1, int64);
  uop chain = x;
  for (int i = 0; i < 100'000; ++i) chain = alu(op::MIN, chain + 1, x);
  CHECK(toposort(chain).size() == 200'002);
  CHECK(evaluate(chain, {{"x", 1}}) == 1);
  CHECK(substitute(chain, {{x, x}}) == chain);
  CHECK(bounds(substitute(chain, {{x, g.var("y", 0, 1, int64)}})) == interval{0, 1});
  CHECK(render(chain).size() > 100'000);
  CHECK(tree(chain).size() > 1'000'000);
  CHECK(print_uops(chain).size() > 1'000'000);
  CHECK_FALSE((key(chain) == key(chain + 1)));

  uop power = x;
  for (int i = 0; i < 64; ++i) power = power * power;
  CHECK(toposort(power).size() == 65);
  CHECK(evaluate(power, {{"x", 1}}) == 1);
  CHECK(render(power).size() < 200'000);
  CHECK(render(power).contains("..."));
  CHECK(tree(power).size() < 10'000);
  CHECK_FALSE((key(power) == key(x)));
  CHECK(evaluate(substitute(power, {{x, g.constant(int64, 1)}})) == 1);
}

TEST_CASE("an unbound variable or an op without a value is an argument_error") {
  graph g;
  const uop row = g.var("row", 0, 9);
  CHECK_THROWS_AS(evaluate(row + 1, {{"col", 1}}), argument_error);
  CHECK_THROWS_AS(evaluate(g.make(op::LOAD, int32, {row}), {{"row", 1}}), argument_error);
}

TEST_CASE("every node has the sources it was made of, in a graph of thousands") {
  graph g;
  vector<uop> nodes{g.var("a", 0, 9), g.var("b", 0, 9), g.constant(int32, 3)};
  u64 random = 1;
  for (int i = 0; i < 5000; ++i) {
    random = hash_combine(random, static_cast<u64>(i));
    const uop a = nodes[random % nodes.size()], b = nodes[(random >> 20) % nodes.size()];
    const op code = (random >> 40 & 1) != 0 ? op::ADD : op::XOR;
    const uop made = alu(code, a, b);
    CHECK((made.source(0) == a && made.source(1) == b && made.is(code) && a.id < made.id && b.id < made.id));
    CHECK(alu(code, a, b) == made);
    nodes.push_back(made);
  }
  for (size_t x = 0; x < nodes.size(); x += 97)
    for (size_t y = 0; y < nodes.size(); y += 101)
      CHECK((before(nodes[x], nodes[y]) + before(nodes[y], nodes[x]) == (nodes[x] == nodes[y] ? 0 : 1)));
}
