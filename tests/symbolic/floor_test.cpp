// Division and remainder that round down: what must become what, and that every rule is right for every sign.
#include "catch.hpp"

#include <twill/symbolic.hpp>

using namespace twill;

namespace {

constexpr uop floordiv(uop a, uop b) { return alu(op::FLOORDIV, a, b); }
constexpr uop floormod(uop a, uop b) { return alu(op::FLOORMOD, a, b); }
constexpr uop floordiv(uop a, i64 b) { return floordiv(a, a.owner->constant(a.type(), b)); }
constexpr uop floormod(uop a, i64 b) { return floormod(a, a.owner->constant(a.type(), b)); }

// What an expression of x in [-10, 10], y in [0, 3] and n in [1, 9] is, as text.
template <class F>
constexpr bool becomes(F make, const char* expected) {
  graph g;
  return render(simplify(make(g.var("x", -10, 10), g.var("y", 0, 3), g.var("n", 1, 9)))) == text_view(expected);
}

static_assert(becomes([](uop x, uop, uop) { return floormod(x + 6, 2); }, "floormod(x, 2)"));
static_assert(becomes([](uop x, uop, uop) { return floordiv(x * 48 + 241, 16); }, "((x*3)+15)"));
static_assert(becomes([](uop x, uop, uop) { return floormod(x * 48 + 241, 16); }, "1"));

struct example {
  uop (*make)(uop, uop, uop);
  const char* expected;
};
const example examples[] = {
    {[](uop x, uop, uop) { return floordiv(x, 1); }, "x"},
    {[](uop x, uop, uop) { return floordiv(x, -1); }, "(x*-1)"},
    {[](uop x, uop, uop) { return floordiv(x, 0); }, "0"},
    {[](uop, uop, uop n) { return floordiv(n.owner->constant(int32, 0), n); }, "0"},
    {[](uop, uop, uop n) { return floordiv(n, n); }, "1"},
    {[](uop x, uop, uop) { return floormod(x, 1); }, "0"},
    {[](uop x, uop, uop) { return floormod(x, -1); }, "0"},
    {[](uop x, uop, uop) { return floormod(x, 0); }, "x"},
    {[](uop x, uop, uop) { return floormod(x, x); }, "0"},
    {[](uop x, uop, uop) { return floormod(x + 6, 2); }, "floormod(x, 2)"},
    {[](uop x, uop, uop) { return floordiv(x * 48 + 241, 16); }, "((x*3)+15)"},
    {[](uop x, uop, uop) { return floormod(x * 48 + 241, 16); }, "1"},
    {[](uop x, uop, uop) { return floordiv(floordiv(x, 2), 3); }, "floordiv(x, 6)"},
    {[](uop x, uop, uop) { return floordiv(floordiv(x, 2) - 3, 4); }, "(floordiv((x+2), 8)+-1)"},
    {[](uop x, uop, uop) { return floormod(floormod(x, 12), 4); }, "floormod(x, 4)"},
    {[](uop x, uop, uop) { return floordiv(floormod(x, 12), 4); }, "floormod(floordiv(x, 4), 3)"},
    {[](uop x, uop y, uop) { return floormod(floormod(x, 12) + y, 4); }, "floormod((x+y), 4)"},
    {[](uop, uop y, uop n) { return floordiv(y, n); }, "(y//n)"},
    {[](uop, uop y, uop n) { return floormod(y, n); }, "(y%n)"},
    {[](uop x, uop, uop) { return floordiv(x, -4); }, "floordiv((x*-1), 4)"},
    {[](uop x, uop, uop) { return floormod(x, -4); }, "(floormod((x*-1), 4)*-1)"},
    {[](uop, uop y, uop) { return floormod(y - 4, 8); }, "(y+4)"},
    {[](uop x, uop, uop) { return floordiv(x - 6, 4); }, "(floordiv((x+2), 4)+-2)"},
    {[](uop x, uop, uop) { return floordiv(x * 6, 4); }, "floordiv((x*3), 2)"},
    {[](uop x, uop, uop) { return floormod(x * 6, 4); }, "(floormod((x*3), 2)*2)"},
    {[](uop x, uop y, uop) { return floordiv(x * 4 + y, 4); }, "x"},
    {[](uop x, uop y, uop) { return floormod(x * 4 + y, 4); }, "y"},
    {[](uop x, uop y, uop n) { return floordiv(x * 64 + y * 16 + n, 64); }, "x"},
    {[](uop x, uop y, uop n) { return floordiv(y * 4 + x * 64 + n * 16 + y, 64); }, "(x+(n//4))"},
    {[](uop x, uop y, uop n) { return floormod(y + x * 32 + n * 16, 64); }, "(y+(floormod((n+(x*2)), 4)*16))"},
    {[](uop x, uop y, uop) { return floordiv(x * 4 + y, 8); }, "floordiv(x, 2)"},
    {[](uop x, uop y, uop) { return floormod(x * 4 + y, 8); }, "(y+(floormod(x, 2)*4))"},
    {[](uop x, uop y, uop) { return floormod(x * 9 + y, 4); }, "floormod((x+y), 4)"},
    {[](uop x, uop, uop n) { return floordiv(x, n) * n + floormod(x, n); }, "x"},
    {[](uop x, uop, uop) { return floordiv(x, 4) * 12 + floormod(x, 4) * 3; }, "(x*3)"},
    {[](uop x, uop, uop) { return floormod(floordiv(x, 2), 3) * 2 + floormod(x, 2); }, "floormod(x, 6)"},
    {[](uop x, uop, uop) { return floordiv(x, 6) * 3 + floormod(floordiv(x, 2), 3); }, "floordiv(x, 2)"},
    {[](uop x, uop, uop) { return x - floordiv(x, 7) * 7; }, "floormod(x, 7)"},
    {[](uop x, uop, uop) { return floordiv(x, 4) < -1; }, "(x<-4)"},
    {[](uop x, uop, uop) { return floordiv(x, 4) >= 1; }, "(3<x)"},
    {[](uop x, uop, uop) { return x.owner->constant(int32, -2) < floordiv(x, 4); }, "(-5<x)"},
};

// Is e simplified rightly for every value of its variables, and to something that stays?
void check_all(uop e, uop x, uop y) {
  const uop s = simplify(e);
  bool right = simplify(s) == s;
  i64 bad_x = 0, bad_y = 0;
  for (i64 a = x.lo(); a <= x.hi(); ++a)
    for (i64 b = y.lo(); b <= y.hi(); ++b) {
      const binding at[] = {{"x", a}, {"y", b}};
      const i64 before = evaluate(e, at), after = evaluate(s, at);
      if (before == after && after >= s.lo() && after <= s.hi()) continue;
      right = false;
      bad_x = a;
      bad_y = b;
    }
  if (right) return;
  INFO(render(e).c_str() << " to " << render(s).c_str() << " at x = " << bad_x << ", y = " << bad_y);
  CHECK(right);
}

}  // namespace

TEST_CASE("every floor rule has its example") {
  for (const example& each : examples) {
    graph g;
    const uop made = simplify(each.make(g.var("x", -10, 10), g.var("y", 0, 3), g.var("n", 1, 9)));
    CHECK(std::string(render(made).c_str()) == each.expected);
  }
  graph g;
  const uop u = g.var("u", 0, 255, uint8), v = g.var("v", 0, 255, uint8);
  CHECK(simplify(floordiv(u, v)) == u / v);
  CHECK(simplify(floormod(u, v)) == u % v);
}

TEST_CASE("floor rules are right for every sign") {
  const i64 constants[] = {-4, -3, 0, 1, 2, 6, 12};
  const interval ranges[] = {{-9, 8}, {0, 7}, {-13, -2}, {-4, -1}};
  for (const interval r : ranges)
    for (const interval q : {interval{0, 1}, interval{-2, 0}})
      for (const i64 c : constants)
        for (const i64 d : constants)
          for (const i64 k : {i64{-5}, i64{3}}) {
            graph g;
            const uop x = g.var("x", r.lo, r.hi), y = g.var("y", q.lo, q.hi);
            for (const uop e : {x * c + y + k, floordiv(x, c) + k, floormod(x, c) + y, floormod(x * c, k * 4) + y * 2}) {
              check_all(floordiv(e, d), x, y);
              check_all(floormod(e, d), x, y);
            }
            check_all(floordiv(x * c, d) < k, x, y);
            check_all(y + k < floordiv(x, d), x, y);
            check_all(g.constant(int32, k) < floordiv(x, d), x, y);
            check_all(floordiv(x, c) * d + floormod(x, c) * k, x, y);
            check_all(floormod(floordiv(x, c), d) * c + floormod(x, c), x, y);
            check_all(floordiv(x, c * d) * d + floormod(floordiv(x, c), d), x, y);
          }
}

TEST_CASE("floor division of sums of many terms, in any order") {
  const i64 factors[] = {32, 8, 2, 1};
  for (int order = 0; order < 24; ++order) {
    int left[] = {0, 1, 2, 3}, rest = order;
    graph g;
    const uop x = g.var("x", -4, 3), y = g.var("y", 0, 3);
    const uop terms[] = {x, y, g.var("z", 0, 3), y};
    uop sum = g.constant(int32, 0);
    for (int n = 4; n > 0; rest /= n--) {
      const int at = rest % n;
      sum = sum + terms[4 - n] * factors[left[at]];
      left[at] = left[n - 1];
    }
    const uop z = terms[2];
    for (i64 v = 0; v <= 3; ++v) {
      const replacement with{z, g.constant(int32, v)};
      for (const i64 c : {i64{32}, i64{8}, i64{16}, i64{12}})
        for (const uop e : {floordiv(sum, c), floormod(sum, c), floordiv(sum - 5, c), floormod(sum - 5, c)}) {
          const uop s = simplify(e);
          check_all(substitute(e, {&with, 1}), x, y);
          for (i64 a = -4; a <= 3; ++a) {
            const binding at[] = {{"x", a}, {"y", v}, {"z", 3 - v}};
            REQUIRE(evaluate(e, at) == evaluate(s, at));
          }
        }
    }
  }
}

TEST_CASE("floor rules are right where int8 and uint8 wrap") {
  for (const dtype t : {int8, uint8})
    for (const i64 c : {i64{-128}, i64{-3}, i64{1}, i64{6}, i64{127}})
      for (const i64 d : {i64{-128}, i64{-2}, i64{3}, i64{64}}) {
        graph g;
        const uop x = g.var("x", min_value(t.kind), max_value(t.kind), t), y = g.var("y", 0, 1, t);
        for (const uop e : {x + y, x * c + y, x + c, floordiv(x, c), floormod(x, c), floordiv(x, c) + d}) {
          check_all(floordiv(e, d), x, y);
          check_all(floormod(e, d), x, y);
        }
        check_all(floordiv(x, c) < g.constant(t, d), x, y);
        check_all(floordiv(x, c) * c + floormod(x, c), x, y);
        check_all(x + floordiv(x, c) * g.constant(t, -c), x, y);
      }
}
