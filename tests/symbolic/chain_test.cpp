// Chains of one associative op have one normal form, whatever order and grouping they were written in.
#include "catch.hpp"

#include <twill/symbolic.hpp>

namespace tw = twill;
using tw::i64;
using tw::u32;

namespace {

constexpr void chains_of(tw::op code, const tw::uop* operands, u32 subset, tw::vector<tw::uop>& out) {
  if ((subset & (subset - 1)) == 0) {
    out.push_back(operands[__builtin_ctz(subset)]);
    return;
  }
  for (u32 left = (subset - 1) & subset; left != 0; left = (left - 1) & subset) {
    tw::vector<tw::uop> a, b;
    chains_of(code, operands, left, a);
    chains_of(code, operands, subset & ~left, b);
    for (const tw::uop& p : a)
      for (const tw::uop& q : b) out.push_back(tw::alu(code, p, q));
  }
}
// Do they all become one node, of the same value?
constexpr bool one_form(tw::op code, const tw::uop* operands, u32 count) {
  tw::vector<tw::uop> chains;
  chains_of(code, operands, (1u << count) - 1, chains);
  const tw::uop first = tw::simplify(chains[0]);
  for (const tw::uop& c : chains)
    if (tw::simplify(c) != first) return false;
  return tw::simplify(first) == first;
}
constexpr bool three_clauses_have_one_form() {
  tw::graph g;
  const tw::uop i = g.var("i", 0, 31), j = g.var("j", 0, 63);
  const tw::uop clauses[] = {i < 5, j < 7, i < 9};
  return one_form(tw::op::AND, clauses, 3);
}
static_assert(three_clauses_have_one_form());

}  // namespace

TEST_CASE("all ways to write a chain simplify to one node") {
  tw::graph g;
  const tw::uop a = g.var("a", 0, 7), b = g.var("b", -3, 9), c = g.var("c", 0, 100), d = g.var("d", 0, 3);
  const tw::uop p = g.var("p", 0, 1, tw::bool_), q = g.var("q", 0, 1, tw::bool_);
  const tw::uop factors[] = {a, b, c * 3, d, g.constant(tw::int32, 5)};
  const tw::uop gates[] = {a < 3, b < 2, a < 5, p, 1 < c};
  const tw::uop never[] = {a < 3, p, 4 < a, q, b < 2};
  const tw::uop opposites[] = {p, q, a < 3, !q, c < 50};
  const tw::uop sizes[] = {a, b, g.constant(tw::int32, 4), a, c / 3};
  CHECK(one_form(tw::op::MUL, factors, 5));
  for (const tw::op code : {tw::op::AND, tw::op::OR}) {
    CHECK(one_form(code, gates, 5));
    CHECK(one_form(code, never, 5));
    CHECK(one_form(code, opposites, 5));
    CHECK(one_form(code, sizes, 5));
  }
  CHECK(one_form(tw::op::MAX, sizes, 5));
  CHECK(one_form(tw::op::MIN, sizes, 5));
}

TEST_CASE("operands that make others redundant") {
  tw::graph g;
  const tw::uop a = g.var("a", 0, 7), b = g.var("b", -3, 9), c = g.var("c", 0, 100);
  CHECK(tw::simplify((a < 3) & (b < 2) & (a < 5)) == tw::simplify((a < 3) & (b < 2)));
  CHECK(tw::simplify((a < 3) | (b < 2) | (a < 5)) == tw::simplify((a < 5) | (b < 2)));
  CHECK(tw::simplify((a < 3) & (b < 2) & (4 < a)).is_constant(0));
  CHECK(tw::simplify((a < 5) | (b < 2) | (3 < a)).is_constant(1));
  CHECK(tw::simplify((a < 3) & (b < 2) & !(a < 3)).is_constant(0));
  CHECK(tw::simplify(tw::max(tw::max(tw::max(a, b), 4), tw::max(a, 5))) == tw::simplify(tw::max(tw::max(a, b), 5)));
  CHECK(tw::simplify(c * a * (b * 2) * 3) == tw::simplify((a * b) * (c * 6)));
}

TEST_CASE("comparisons of sums") {
  tw::graph g;
  const tw::uop a = g.var("a", 0, 7), b = g.var("b", 0, 9), c = g.var("c", 0, 100), n = g.var("n", -9, 9);
  CHECK(tw::simplify(a * 3 + b * 4 < 1) == tw::simplify(a + b < 1));
  CHECK(tw::simplify(0 < a * 3 + b * 4) == tw::simplify(0 < a + b));
  CHECK(tw::simplify(a * 10 + b * 18 < 238) == tw::simplify(a * 5 + b * 9 < 119));
  CHECK(tw::simplify(a + b * 32 + c * 56 < 616) == tw::simplify(b * 4 + c * 7 < 77));
  CHECK(tw::simplify(a * -1 + b * -2 < -3) == tw::simplify(3 < a + b * 2));
  CHECK(tw::simplify(a + b + c < b + n) == tw::simplify(a + c < n));
  CHECK(tw::simplify(a * 3 + b + 5 < a + c + 7) == tw::simplify(a * 2 + b < c + 2));
  CHECK(tw::simplify(tw::not_equal(a + b * 2, b * 2 + c)) == tw::simplify(tw::not_equal(a, c)));
  CHECK(tw::simplify(tw::not_equal(a * 4 + b * 8, 12)) == tw::simplify(tw::not_equal(a + b * 2, 3)));
  CHECK(tw::simplify(tw::not_equal(a * 4 + b * 8, 13)).is_constant(1));
  CHECK(tw::simplify((c / 8) % 4 < 3) == tw::simplify(c % 32 < 24));
  CHECK(tw::simplify(a >= 3) == (2 < a));
  CHECK(tw::simplify(tw::where(a >= 3, b, c)) == tw::where(a < 3, c, b));
}

TEST_CASE("minima, and quotients by what is not constant") {
  tw::graph g;
  const tw::uop a = g.var("a", 0, 7), b = g.var("b", -3, 9), n = g.var("n", 8, 16);
  CHECK(tw::simplify(tw::max(a * -1, -5) * -1) == tw::simplify(tw::min(a, 5)));
  CHECK(tw::simplify(tw::max((a + b * 7) * -1, -3) * -1) == tw::simplify(tw::min(a + b * 7, 3)));
  CHECK(tw::simplify(tw::max(a * -1, b) * -1) != tw::simplify(tw::min(a, b)));
  CHECK(tw::simplify(b * n / n) == b);
  CHECK(tw::simplify(b * n % n).is_constant(0));
  CHECK(tw::simplify(a % n) == a);
  CHECK(tw::simplify((b - 3) % n) != b - 3);
  const tw::uop wide = g.var("w", 0, 2147483647);
  CHECK(tw::simplify(wide * n / n) != wide);  // may wrap
}
