// Sums have one normal form, whatever order and grouping they were written in.
#include "catch.hpp"

#include <twill/symbolic.hpp>

namespace tw = twill;
using tw::i64;
using tw::u32;

namespace {

// Every sum of terms[0 … count) that parentheses and order can make: split into two parts in every way, both ways round.
constexpr void sums_of(const tw::uop* terms, u32 subset, tw::vector<tw::uop>& out) {
  if ((subset & (subset - 1)) == 0) {
    out.push_back(terms[__builtin_ctz(subset)]);
    return;
  }
  for (u32 left = (subset - 1) & subset; left != 0; left = (left - 1) & subset) {
    tw::vector<tw::uop> a, b;
    sums_of(terms, left, a);
    sums_of(terms, subset & ~left, b);
    for (const tw::uop& p : a)
      for (const tw::uop& q : b) out.push_back(p + q);
  }
}
// Do they all become one node?
constexpr bool one_form(const tw::uop* terms, u32 count) {
  tw::vector<tw::uop> sums;
  sums_of(terms, (1u << count) - 1, sums);
  const tw::uop first = tw::simplify(sums[0]);
  for (const tw::uop& s : sums)
    if (tw::simplify(s) != first) return false;
  return tw::simplify(first) == first;
}

constexpr bool three_terms_have_one_form() {
  tw::graph g;
  const tw::uop i = g.var("i", 0, 31), j = g.var("j", 0, 63), k = g.var("k", -8, 7);
  const tw::uop terms[] = {i * 64, j, k * 64};
  return one_form(terms, 3);
}
static_assert(three_terms_have_one_form());

}  // namespace

TEST_CASE("all ways to write a sum simplify to one node") {
  tw::graph g;
  const tw::uop a = g.var("a", 0, 7), b = g.var("b", -3, 9), c = g.var("c", 0, 100), d = g.var("d", 0, 3);
  const tw::uop five = g.constant(tw::int32, 5);
  const tw::uop sets[][5] = {
      {a, b, c, d, five},                                          // plain
      {a * 4, b * 4, c, d * 4, five},                              // one factor thrice
      {a, a * 3, b, b * -1, c},                                    // like terms
      {a * 8, (b + c) * 8, d, five, a},                            // a group that is opened
      {c / 4 * 4, c % 4, a, b * 2, five},                          // a quotient and its remainder
      {c / 3, (c + 1) / 3, (c + 2) / 3, a, five},                  // an unrolled loop
      {c, c / 10 * -10, a, b, d},                                  // a remainder in disguise
      {a * b, a, b, tw::where(a < 3, b, c), tw::max(a, d)},        // bases of every kind
  };
  for (const auto& terms : sets) {
    INFO(tw::render(terms[0] + terms[1] + terms[2] + terms[3] + terms[4]).c_str());
    CHECK(one_form(terms, 5));
  }
  // What can wrap has the same form, too.
  const tw::uop u = g.var("u", 0, 255, tw::uint8), v = g.var("v", 0, 255, tw::uint8);
  const tw::uop wrapping[] = {u, v * 7, u * 250, v, g.constant(tw::uint8, 200)};
  CHECK(one_form(wrapping, 5));
}

TEST_CASE("sums by their terms") {
  tw::graph g;
  const tw::uop a = g.var("a", 0, 7), b = g.var("b", -3, 9), c = g.var("c", 0, 100);
  CHECK(tw::simplify(a * 10 + b * 10) == (a + b) * 10);
  CHECK(tw::simplify((a * 2 + b) * 3) == a * 6 + b * 3);
  CHECK(tw::simplify((a + b) * 10 + c * 10) == (a + b + c) * 10);
  CHECK(tw::simplify((a + b) * 10 - a * 10) == b * 10);
  CHECK(tw::simplify((a + 3) * 64 + b) == tw::simplify(b + a * 64) + 192);
  CHECK(tw::simplify(c - c % 7) == tw::simplify(c / 7 * 7));
  CHECK(tw::simplify(b - b / 4 * 4) == b % 4);
  CHECK(tw::simplify((a * 3 + c) - (a * 3 + c) / 8 * 8) == (c + a * 3) % 8);
  CHECK(tw::simplify(c / 5 % 4 * 5 + c % 5) == c % 20);
  CHECK(tw::simplify(c / 20 * 4 + c / 5 % 4) == c / 5);
  CHECK(tw::simplify((a * 9 + c + 3) / 7 * 7 + (a * 2 + c + 3) % 7) == tw::simplify(a * 9 + c + 3));
  // A term of the unrolled loop that is 0 may lack.
  const tw::uop s = g.var("s", 0, 2);
  CHECK(tw::simplify(s / 4 + (s + 1) / 4 + (s + 2) / 4 + (s + 3) / 4) == s);
  // Below zero the sum is not b.
  CHECK(tw::simplify(b / 2 + (b + 1) / 2) != b);
  // The least offset has no opposite.
  const tw::uop w = g.var("w", -6, -4, tw::int64), low = w * -1 + tw::min_value(tw::scalar_kind::int64);
  const tw::uop halves = low / 2 + (low + 1) / 2;
  CHECK(tw::evaluate(tw::simplify(halves), {{"w", -6}}) == tw::evaluate(halves, {{"w", -6}}));
}
