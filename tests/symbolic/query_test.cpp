// Questions about nodes, in the compiler and at run time.
#include <string>

#include "catch.hpp"

#include <twill/symbolic.hpp>

using namespace twill;

namespace {

constexpr auto i = var<"i">(0, 31);
constexpr auto j = var<"j">(-4, 7);

static_assert(resolve(i * 64 < 2048) && !resolve(i < 0) && resolve(i < 5) && !resolve(i < 5, false));
static_assert(resolve(true) && !resolve(false));
static_assert(const_factor(i * 12 + j * 8) == 4 && const_factor(i * 12 + 6) == 6 && const_factor(i + 4) == 1);
static_assert(is_increasing(i * 4 + j / 3) && !is_increasing(i * -1) && !is_increasing(i % 4) && is_increasing(max(i, j)));
static_assert(sym_infer(i * 10 + j, {{"i", 3}, {"j", -2}}) == 28);

constexpr bool extremes() {
  graph g;
  const uop a = g.var("a", 0, 9), b = g.var("b", 9, 20), c = g.var("c", 5, 12);
  return smax({a, b}) == b && smin({a, b}) == a && smax({a, b, c}) == simplify(max(b, c)) && smin(a, 20) == a && vmin(a + b) == 9 &&
         vmax(a + b) == 29 && smax(a, 3).is(op::MAX);
}
static_assert(extremes());
constexpr bool quotients() {
  graph g;
  const uop a = g.var("a", 0, 9), b = g.var("b", -9, 9);
  return divides(a * 12 + b * 8, 4) == simplify(a * 3 + b * 2) && divides(a * 12 + 6, 4).owner == nullptr && divides(a, 1) == a &&
         divides(g.constant(int32, -12), 4) == g.constant(int32, -3) && divides(a * 12, 0).owner == nullptr;
}
static_assert(quotients());

std::string message(uop u, std::initializer_list<binding> bindings) {
  try {
    sym_infer(u, bindings);
  } catch (const argument_error& e) {
    return e.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("values by name") {
  graph g;
  const uop a = g.var("rows", 1, 31), b = g.var("cols", -4, 7);
  CHECK(sym_infer(a * 64 + b, {{"rows", 2}, {"cols", -1}}) == 127);
  CHECK(sym_infer(a, {{"rows", 2}, {"unused", 100}}) == 2);
  CHECK(message(a + b, {{"rows", 2}}) == "sym_infer: no value for cols");
  CHECK(message(a + b, {{"rows", 32}, {"cols", 0}}) == "sym_infer: rows is 32, not in [1, 31]");
  CHECK(message(a + b, {{"rows", 1}, {"cols", -5}}) == "sym_infer: cols is -5, not in [-4, 7]");
  CHECK(sym_infer(7, {}) == 7);
  CHECK_THROWS_AS(resolve(a), dtype_error);
  CHECK_THROWS_AS(vmax(g.var("f", 0, 0, float32)), dtype_error);
  CHECK_THROWS_AS(smax(span<const uop>()), argument_error);
}

TEST_CASE("factors, quotients and monotony hold for every value") {
  for (const dtype t : {int32, int8, uint8, uint64}) {
    graph g;
    const bool s = is_signed(t);
    const uop a = g.var("a", s ? -3 : 0, 5, t), b = g.var("b", 0, 3, t);
    const uop nodes[] = {a * 6 + b * 4, a * 6 + b * 4 + 2, (a + b) * 12, (a * 8) & g.constant(t, 15), a * 40 * 3, b * 64 * 4, max(a * 4, b * 8), a * 12 / 3, a / 2 * 4,
                         where(a < b, g.constant(t, 4), g.constant(t, 12)), b << g.constant(t, 3), b * 0, a + 1, b * 6 % 4, a - a * 3, min(a, b) + b / 2, a * b, cast(cast(b, int16) * 2, t),
                         (a * 16 + 8) >> g.constant(t, 2), a * 2 + where(b < 2, g.constant(t, 4), g.constant(t, 6))};
    for (const uop u : nodes) {
      INFO(render(u).c_str() << ' ' << name(t.kind));
      const i64 factor = const_factor(u);
      const bool up = is_increasing(u);
      for (const i64 by : {i64{1}, i64{2}, i64{4}, i64{12}, i64{-2}, factor}) {
        const uop q = divides(u, by);
        bool right = true;
        for (i64 x = a.lo(); x <= a.hi(); ++x)
          for (i64 y = b.lo(); y <= b.hi(); ++y) {
            const binding at[] = {{"a", x}, {"b", y}}, next[] = {{"a", x < a.hi() ? x + 1 : x}, {"b", y}}, above[] = {{"a", x}, {"b", y < b.hi() ? y + 1 : y}};
            const i64 v = evaluate(u, at);
            right = right && (factor == 0 ? v == 0 : v % factor == 0);
            if (q.owner != nullptr) right = right && evaluate(q, at) * by == v;
            if (up) right = right && v <= evaluate(u, next) && v <= evaluate(u, above);
          }
        CHECK(right);
        if (by == factor && by != 0 && t == int32) CHECK(q.owner != nullptr);
      }
    }
  }
}
