// The rewrite engine: matching, guards inside the search, drivers, statistics, endless rule sets, verification.
#include "catch.hpp"

#include <twill/symbolic.hpp>

namespace tw = twill;
using namespace tw::pattern;
using tw::i64;
using tw::u32;
using tw::u64;

namespace {

constexpr auto strength = tw::rules(
    tw::rewrite("double as add", x * 2, x + x),
    tw::rewrite("divide twice", x / c0 / c1, x / fold(c0 * c1), c0 > 0 && c1 > 0),
    tw::rewrite("drop mod in range", x % c0, x, lo(x) >= 0 && hi(x) < c0));

constexpr bool rules_apply() {
  tw::graph g;
  const tw::uop a = g.var("a", 0, 9);
  return tw::graph_rewrite(a * 2, strength) == a + a && tw::graph_rewrite(a / 3 / 5, strength) == a / 15 &&
         tw::graph_rewrite(a % 10, strength) == a && tw::graph_rewrite(a % 9, strength) == a % 9;
}
static_assert(rules_apply());

// A guard that one order of operands meets and the other does not.
constexpr auto larger = tw::rules(tw::rewrite("max", max(x, y), y, hi(x) <= lo(y)));
constexpr bool guards_are_searched() {
  tw::graph g;
  const tw::uop i = g.var("i", 0, 31), j = g.var("j", 0, 63);
  return tw::graph_rewrite(tw::max(i + 100, j), larger) == i + 100 && tw::graph_rewrite(tw::max(j, i + 100), larger) == i + 100 &&
         tw::graph_rewrite(tw::max(i, j), larger) == tw::max(i, j);
}
static_assert(guards_are_searched());

constexpr auto overflowing = tw::rules(tw::rewrite("divide twice", x / c0 / c1, x / fold(c0 * c1)));
constexpr bool fold_is_checked() {
  tw::graph g;
  const tw::uop a = g.var("a", 0, 1000000), e = a / 100000 / 100000;
  return tw::graph_rewrite(e, overflowing) == e;
}
static_assert(fold_is_checked());

// Literals by value in the matched dtype.
constexpr auto ones = tw::rules(tw::rewrite("x * -1", x * -1, x), tw::rewrite("x + 1", x + 1, x));
constexpr bool literals_by_value() {
  tw::graph g;
  const tw::uop u = g.var("u", 0, 9, tw::uint8), f = g.var("f", 0, 0, tw::float32), b = g.var("b", 0, 1, tw::bool_);
  return tw::graph_rewrite(u * g.constant(tw::uint8, 255), ones) == u && tw::graph_rewrite(f + 1.0, ones) == f &&
         tw::graph_rewrite(b + g.constant(tw::bool_, 1), ones) == b && tw::graph_rewrite(u * 254, ones) == u * 254;
}
static_assert(literals_by_value());

constexpr auto shapes = tw::rules(
    tw::rewrite("any of", any_of(x + 7, x * 7), x),
    tw::rewrite("set of ops", tw::pattern::node(op_set{{tw::op::SUB, tw::op::XOR}}, x, y), y),
    tw::rewrite("prefix", with(tw::pattern::node(tw::op::CAT, x, y), tw::order::prefix), y),
    tw::rewrite("each", with(tw::pattern::node(tw::op::VECTORIZE, named(x, any_constant)), tw::order::each), 5),
    tw::rewrite("permutation", with(tw::pattern::node(tw::op::NOOP, x + 1, y * 2, z), tw::order::permutation), z),
    tw::rewrite("computed", tw::pattern::leaf(tw::op::SQRT), [](const tw::match& m, tw::context&) { return m.root().source(0); }));
constexpr bool forms_match() {
  tw::graph g;
  const tw::uop a = g.var("a", 0, 9), b = g.var("b", 0, 9), c = g.var("c", 0, 9), four = g.constant(tw::int32, 4);
  return tw::graph_rewrite(a + 7, shapes) == a && tw::graph_rewrite(a * 7, shapes) == a && tw::graph_rewrite(a ^ b, shapes) == b &&
         tw::graph_rewrite(g.make(tw::op::CAT, tw::int32, {a, b, c}), shapes) == b &&
         tw::graph_rewrite(g.make(tw::op::VECTORIZE, tw::int32, {four, four}), shapes).is_constant(5) &&
         tw::graph_rewrite(g.make(tw::op::VECTORIZE, tw::int32, {four, a}), shapes).is(tw::op::VECTORIZE) &&
         tw::graph_rewrite(g.make(tw::op::NOOP, tw::int32, {c, b * 2, a + 1}), shapes) == c &&
         tw::graph_rewrite(g.make(tw::op::NOOP, tw::int32, {b * 2, a + 1, c}), shapes) == c &&
         tw::graph_rewrite(tw::alu(tw::op::SQRT, a), shapes) == a;
}
static_assert(forms_match());

constexpr auto ping = tw::rules(tw::rewrite("ping", x / 2, x % 2), tw::rewrite("pong", x % 2, x / 2));
constexpr auto growing = tw::rules(tw::rewrite("grow", x / c0, x / fold(c0 + 1)));

template <class F>
tw::text message_of(F f) {
  try {
    f();
  } catch (const tw::rewrite_error& e) {
    return e.what();
  }
  return "";
}

struct counter : tw::context {
  int calls = 0;
};
constexpr auto counting = tw::rules(tw::rewrite("count", tw::pattern::leaf(tw::op::SIN), [](const tw::match& m, tw::context& c) {
  ++c.as<counter>().calls;
  return m.root().source(0);
}));

}  // namespace

TEST_CASE("rules rewrite at run time as in the compiler") {
  CHECK(rules_apply());
  CHECK(guards_are_searched());
  CHECK(fold_is_checked());
  CHECK(literals_by_value());
  CHECK(forms_match());
}

TEST_CASE("rules are listed") {
  const auto listed = tw::list(strength);
  REQUIRE(listed.size() == 3);
  CHECK(listed[0].name == "double as add");
  CHECK(listed[0].text == "x * 2 -> x + x");
  CHECK(listed[1].text == "(x / c0) / c1 -> x / fold(c0 * c1) if (0 < c0) & (0 < c1)");
  CHECK(tw::text_view(listed[2].file).contains("rewrite_test.cpp"));
  CHECK(listed[2].line == listed[0].line + 2);
  STATIC_REQUIRE((strength + tw::symbolic).size() == 3 + tw::symbolic.size());
}

TEST_CASE("statistics, trace and context") {
  tw::graph g;
  const tw::uop a = g.var("a", 0, 100);
  tw::match_stats stats;
  tw::rewrite_trace trace;
  const tw::uop e = tw::graph_rewrite(a * 2 + a * 2 % 7, strength, {.stats = &stats, .trace = &trace});
  CHECK(e.is(tw::op::ADD));
  CHECK(stats.applied("double as add") == 1);
  CHECK(stats.applied() == 1);
  CHECK(stats.tried() >= stats.applied());
  REQUIRE(trace.size() == 1);
  CHECK(tw::text_view(trace[0].rule) == "double as add");
  counter c;
  CHECK(tw::graph_rewrite(tw::alu(tw::op::SIN, a), counting, {.context = &c}) == a);
  CHECK(c.calls == 1);
}

TEST_CASE("several roots, bottom up, and the map of all nodes") {
  tw::graph g;
  const tw::uop a = g.var("a", 0, 100), b = g.var("b", 0, 100);
  const tw::uop sink = g.make(tw::op::SINK, tw::void_type, {a * 2, b * 2});
  const tw::uop done = tw::graph_rewrite(sink, strength);
  CHECK(done.source(0) == a + a);
  CHECK(done.source(1) == b + b);
  CHECK(tw::graph_rewrite(sink, strength, {.bottom_up = true}) == done);
  const tw::rewrite_map map = tw::graph_rewrite_map(sink, strength);
  CHECK(map[sink] == done);
  CHECK(map[a * 2] == a + a);
  CHECK(map[a] == a);
  const tw::uop roots[] = {a * 2, b};
  const auto both = tw::graph_rewrite(tw::span<const tw::uop>(roots, 2), strength);
  CHECK(both[0] == a + a);
  CHECK(both[1] == b);
}

TEST_CASE("endless rule sets stop and name their rules") {
  tw::graph g;
  const tw::uop a = g.var("a", 0, 100);
  const tw::text circle = message_of([&] { tw::graph_rewrite(a / 2, ping); });
  CHECK(circle.contains("ping"));
  CHECK(circle.contains("pong"));
  CHECK(message_of([&] { tw::graph_rewrite(a / 2, growing); }).contains("grow"));
  CHECK(message_of([&] { tw::graph_rewrite(a / 2, growing, {.limit = 10}); }).contains("grow"));
}

TEST_CASE("depth does not matter, and shared nodes are rewritten once") {
  tw::graph g;
  tw::uop chain = g.var("a", 0, 1, tw::int64);
  const tw::uop b = g.var("b", 0, 1, tw::int64);
  tw::uop wanted = chain;
  for (int i = 0; i < 100'000; ++i) chain = (chain ^ b) * 2;
  for (int i = 0; i < 100'000; ++i) wanted = (wanted ^ b) + (wanted ^ b);
  tw::match_stats stats;
  const tw::uop got = tw::graph_rewrite(chain, strength, {.stats = &stats});
  CHECK(stats.applied("double as add") == 100'000);
  CHECK(got == tw::graph_rewrite(wanted, strength));
  tw::uop shared = g.var("s", 0, 1);
  for (int i = 0; i < 60; ++i) shared = shared / g.constant(tw::int32, 3) ^ (shared * 2);
  tw::match_stats few;
  tw::graph_rewrite(shared, strength, {.stats = &few});
  CHECK(few.visits() < 2000);
}

TEST_CASE("a search yields every match once: against brute force") {
  // (x + y) * z with all orders: as many matches as there are orders of operands.
  static constexpr auto set = tw::rules(tw::rewrite("p", (x + y) * (z + w), x));
  tw::graph g;
  const tw::uop a = g.var("a", 0, 9), b = g.var("b", 0, 9), c = g.var("c", 0, 9), d = g.var("d", 0, 9);
  const tw::uop root = (a + b) * (c + d);
  const tw::rule_view view = set.view();
  tw::search s(view, view.rules[0], g, root.id);
  int count = 0;
  u64 seen = 0;
  while (s.next()) {
    const tw::uop n[] = {s.found[x], s.found[y], s.found[z], s.found[w]};
    const bool left = (n[0] == a && n[1] == b) || (n[0] == b && n[1] == a);
    const bool first_is_left = left ? (n[2] == c || n[2] == d) : (n[0] == c || n[0] == d);
    CHECK(first_is_left);
    u64 code = 0;
    for (const tw::uop& u : n) code = code * 4 + (u == a ? 0u : u == b ? 1u : u == c ? 2u : 3u);
    CHECK((seen >> (code % 64) & 1) == 0);
    seen |= u64{1} << (code % 64);
    ++count;
  }
  CHECK(count == 8);
}

TEST_CASE("graphs are verified") {
  tw::graph g;
  const tw::uop a = g.var("a", 0, 9), f = g.var("f", 0, 0, tw::float32), b = a < 3;
  CHECK(tw::verify(tw::where(b, a + 1, a), tw::alu_spec).ok());
  const tw::violation mixed = tw::verify(tw::alu(tw::op::ADD, a, f), tw::alu_spec);
  CHECK(mixed.node.is(tw::op::ADD));
  CHECK(mixed.why.contains("int32 float32"));
  CHECK_FALSE(tw::verify(tw::alu(tw::op::WHERE, a, a, a), tw::alu_spec).ok());
  CHECK_FALSE(tw::verify(g.make(tw::op::CMPLT, tw::int32, {a, a}), tw::alu_spec).ok());
  CHECK_FALSE(tw::verify(tw::alu(tw::op::SHL, f, f), tw::alu_spec).ok());
}
