// Comparisons, maxima and minima of integers. They need sums that don't overflow, so they are ordered rules.
#pragma once

#include "twill/symbolic/terms.hpp"

namespace twill {

namespace detail {

// sum < c or c < sum. Procedural: looks at all terms of a sum.
struct sum_comparer {
  term_list& terms;
  bool right;  // c < sum
  i64 c;

  constexpr uop simplified() {
    // The constant on the side of the limit.
    if (!subtract_checked(c, terms.constant, c)) return {};
    terms.constant = 0;
    bool changed = turn_round();
    changed = without_factors() || without_small_terms() || changed;
    i64 least = 0, most = 0;
    if (!changed || wrap(terms.type.kind, c) != c || !terms.fits(least, most)) return {};
    const uop sum = terms.build(), limit = terms.owner->constant(terms.type, c);
    return right ? limit < sum : sum < limit;
  }

 private:
  // -x < c is -c < x.
  constexpr bool turn_round() {
    for (u8 i = 0; i < terms.count; ++i)
      if (terms.factors[i] > 0) return false;
    i64 opposite = 0;
    if (!mul_checked(c, -1, opposite) || !terms.negate()) return false;
    c = opposite;
    right = !right;
    return true;
  }
  // What is not negative is less than 1, a * 3 + b * 4 < 1, where each of it is 0: a + b < 1. And 0 < a * 3 + b * 4.
  constexpr bool without_factors() {
    if (c != (right ? 0 : 1)) return false;
    bool changed = false;
    for (u8 i = 0; i < terms.count; ++i) {
      if (terms.factors[i] <= 0 || terms.owner->at(terms.bases[i]).bounds.lo < 0) return false;
      changed = changed || terms.factors[i] != 1;
    }
    for (u8 i = 0; changed && i < terms.count; ++i) terms.factors[i] = 1;
    return changed;
  }
  // d * p + r < c where every (c - r) / d rounded up is the same t: p < t. And the other way round.
  constexpr bool without_small_terms() {
    i64 best = 1, best_limit = 0;
    for (u8 i = 0; i < terms.count; ++i) {
      const i64 size = magnitude(terms.factors[i]);
      i64 divisor = 0;  // of this factor and of all that are larger
      for (u8 k = 0; k < terms.count; ++k)
        if (magnitude(terms.factors[k]) >= size) divisor = greatest_common_divisor(divisor, terms.factors[k]);
      i64 t = 0;
      for (const i64 d : {size, divisor}) {
        if (d <= best || !limit_by(d, t)) continue;
        best = d;
        best_limit = t;
      }
    }
    if (best == 1) return false;
    for (u8 i = 0; i < terms.count; ++i) terms.factors[i] /= best;
    c = best_limit;
    return true;
  }
  constexpr bool limit_by(i64 d, i64& t) const {
    i64 least = 0, most = 0, a = 0, b = 0;
    for (u8 k = 0; k < terms.count; ++k) {
      const i64 r = terms.factors[k] % d;
      const interval v = terms.owner->at(terms.bases[k]).bounds;
      if (r == 0) continue;
      i64 p = 0, q = 0;
      if (!mul_checked(v.lo, r, p) || !mul_checked(v.hi, r, q)) return false;
      if (!add_checked(least, r < 0 ? q : p, least) || !add_checked(most, r < 0 ? p : q, most)) return false;
    }
    // sum < c: p < ceil((c - r) / d). c < sum: floor((c - r) / d) < p.
    if (!subtract_checked(c, least, a) || !subtract_checked(c, most, b)) return false;
    if (!right && (!subtract_checked(a, 1, a) || !subtract_checked(b, 1, b))) return false;
    t = floor_quotient(a, d);
    if (floor_quotient(b, d) != t) return false;
    if (!right) ++t;
    return true;
  }
  static constexpr i64 magnitude(i64 v) { return v == min_value(scalar_kind::int64) ? 1 : v < 0 ? -v : v; }
};
constexpr uop less_normal(const match& m, context&) {
  const uop root = m.root();
  const bool right = root.source(0).is_constant();
  const uop x = root.source(right ? 1 : 0);
  const i64 c = root.source(right ? 0 : 1).argument(0);
  if (x.type().kind == scalar_kind::uint64 && (c < 0 || x.lo() < 0 || x.hi() < 0)) return {};  // 2^63 and more
  term_list terms(*x.owner, x.type());
  if (!terms.collect(x.id, 1, true)) return {};
  const uop out = sum_comparer{terms, right, c}.simplified();
  // No uint64 is below 0: such a limit is no constant of the dtype.
  if (out.owner != nullptr && x.type().kind == scalar_kind::uint64 && out.is(op::CMPLT) && (out.source(0).is_constant() || out.source(1).is_constant()) &&
      out.source(out.source(0).is_constant() ? 0 : 1).argument(0) < 0)
    return {};
  return out;
}
// g * p + k != c: never equal where g does not divide c - k, else p != (c - k) / g. Procedural: looks at all terms.
constexpr uop not_equal_normal(const match& m, context&) {
  const uop x = m[pattern::x];
  term_list terms(*x.owner, x.type());
  if (x.type().kind == scalar_kind::uint64 || !terms.collect(x.id, 1, true) || terms.count == 0) return {};
  i64 g = 0, k = 0;
  bool negative = true;
  for (u8 i = 0; i < terms.count; ++i) {
    if (terms.factors[i] == min_value(scalar_kind::int64)) return {};
    g = greatest_common_divisor(g, terms.factors[i]);
    negative = negative && terms.factors[i] < 0;
  }
  if (g == 0 || !subtract_checked(m[pattern::c0].argument(0), terms.constant, k)) return {};
  if (k % g != 0) return x.owner->constant(m.root().type(), 1);
  if (negative) g = -g;
  if (g == 1 || (g == -1 && k == min_value(scalar_kind::int64))) return {};
  for (u8 i = 0; i < terms.count; ++i) terms.factors[i] /= g;
  terms.constant = 0;
  i64 least = 0, most = 0;
  if (!terms.fits(least, most) || wrap(x.type().kind, k / g) != k / g) return {};
  return not_equal(terms.build(), x.owner->constant(x.type(), k / g));
}
// Takes from both what they have in common; they have one sign.
constexpr bool cancel(i64& a, i64& b) {
  if (a == 0 || b == 0 || (a < 0) != (b < 0)) return false;
  const i64 common = (a < b) == (a > 0) ? a : b;
  a -= common;
  b -= common;
  return true;
}
// Terms that both sides of a comparison have. Procedural: looks at all of them.
constexpr uop without_common_terms(const match& m, context&) {
  const uop root = m.root(), x = root.source(0), y = root.source(1);
  if (x.is_constant() || y.is_constant() || x.type().kind == scalar_kind::uint64) return {};
  term_list left(*x.owner, x.type()), right(*x.owner, x.type());
  if (!left.collect(x.id, 1, true) || !right.collect(y.id, 1, true)) return {};
  bool changed = false;
  for (u8 i = 0; i < left.count; ++i)
    for (u8 j = 0; j < right.count; ++j)
      if (left.bases[i] == right.bases[j]) changed = cancel(left.factors[i], right.factors[j]) || changed;
  if (left.constant != 0 && right.constant != 0) changed = cancel(left.constant, right.constant) || changed;
  if (!changed) return {};
  i64 least = 0, most = 0;
  if (!left.fits(least, most) || !right.fits(least, most)) return {};
  return left.build() < right.build();
}

// -x, where every term of x is negative, one of them a base * -1, or x is a constant: -x is then no larger.
constexpr uop turned_positive(uop x) {
  term_list terms(*x.owner, x.type());
  if (is_unsigned(x.type()) || !terms.collect(x.id, 1, true) || !terms.negate()) return {};
  bool bare = terms.count == 0;
  for (u8 i = 0; i < terms.count; ++i) {
    if (terms.factors[i] < 0) return {};
    bare = bare || terms.factors[i] == 1;
  }
  if (!bare) return {};
  i64 least = 0, most = 0;
  return terms.fits(least, most) ? terms.build() : uop{};
}
// max(-x, -y) * -1 is min(x, y). Procedural: in a sum the sign stands in every term.
constexpr uop min_of_negated(const match& m, context&) {
  const uop x = m[pattern::x];
  if (m.root().get().may_wrap) return {};
  const uop a = turned_positive(x.source(0));
  if (a.owner == nullptr) return {};
  const uop b = turned_positive(x.source(1));
  if (b.owner == nullptr) return {};
  return min(a, b);
}

namespace compare_rules {
using namespace twill::pattern;
inline constexpr auto set = rules(
    rewrite("not x < c", !(integers(x) < c0), fold(c0 - 1) < x),                             // rand_index/00240
    rewrite("not c < x", !(c0 < integers(x)), x < fold(c0 + 1)),
    rewrite("where(c < x, y, z)", where(c0 < integers(x), y, z), where(x < fold(c0 + 1), z, y)),  // one form with where(x < c, z, y)
    rewrite("x + c < d", integers(x) + c0 < c1, x < fold(c1 - c0)),                          // i + 3 < 7
    rewrite("c < x + d", c0 < integers(x) + c1, fold(c0 - c1) < x),
    rewrite("x * c < d, d > 0", integers(x) * c0 < c1, x < fold((c1 + c0 - 1) / c0), c0 > 0 && c1 > 0),  // i * 4 < 10
    rewrite("x * c < d, d <= 0", integers(x) * c0 < c1, x < fold(c1 / c0), c0 > 0 && c1 <= 0),
    rewrite("d < x * c, d >= 0", c1 < integers(x) * c0, fold(c1 / c0) < x, c0 > 0 && c1 >= 0),
    rewrite("d < x * c, d < 0", c1 < integers(x) * c0, fold((c1 - c0 + 1) / c0) < x, c0 > 0 && c1 < 0),
    rewrite("x * -c < d, d <= 0", integers(x) * c0 < c1, fold(c1 / c0) < x, c0 < 0 && c1 <= 0),          // i * -2 < -5
    rewrite("x * -c < d, d > 0", integers(x) * c0 < c1, fold((c1 - c0 - 1) / c0) < x, c0 < 0 && c1 > 0),
    rewrite("d < x * -c, d >= 0", c1 < integers(x) * c0, x < fold(c1 / c0), c0 < 0 && c1 >= 0),
    rewrite("d < x * -c, d < 0", c1 < integers(x) * c0, x < fold((c1 + c0 + 1) / c0), c0 < 0 && c1 < 0),
    rewrite("x / c < d, d > 0", integers(x) / c0 < c1, x < fold(c0 * c1), c0 > 0 && c1 > 0),             // i / 4 < 3
    rewrite("x / c < d, d <= 0", integers(x) / c0 < c1, x < fold((c1 - 1) * c0 + 1), c0 > 0 && c1 <= 0),
    rewrite("d < x / c, d >= 0", c1 < integers(x) / c0, fold((c1 + 1) * c0 - 1) < x, c0 > 0 && c1 >= 0),
    rewrite("d < x / c, d < 0", c1 < integers(x) / c0, fold(c1 * c0) < x, c0 > 0 && c1 < 0),
    rewrite("x / c % d < e", integers(x) / c0 % c1 < c2, x % fold(c0 * c1) < fold(c0 * c2), c0 > 0 && c1 > 0 && c2 > 0),  // rand_index/01078
    rewrite("sum < c", integers(leaf(op::ADD)) < any_constant, less_normal),                 // i * 4 + j < 16, j in [0, 3]
    rewrite("c < sum", any_constant < integers(leaf(op::ADD)), less_normal),
    rewrite("sum != c", with(pattern::node(op::CMPNE, named(x, integers(leaf(op::ADD))), c0), order::tuple), not_equal_normal),  // i * 8 + j * 4 != 6
    rewrite("x + y < x + z", integers(x) < y, without_common_terms),                        // rand_index/02799
    rewrite("x + z != y + z", integers(x) + z != y + z, x != y),                            // i + n != j + n
    rewrite("x * c < y * c", integers(x) * c0 < y * c0, x < y, c0 > 0),
    rewrite("x + c != d", integers(x) + c0 != c1, x != c1 + c0 * -1),
    rewrite("x * c != d", integers(x) * c0 != c1, x != fold(c1 / c0), c0 != 0 && c1 % c0 == 0).as(rule_kind::ordered),  // i * 8 != 16
    rewrite("x * c != d, never", integers(x) * c0 != c1, true, c0 != 0 && c1 % c0 != 0).as(rule_kind::ordered),         // i * 8 != 118
    rewrite("x < c and x < d", (integers(x) < c0) & (x < c1), x < fold(min(c0, c1))),
    rewrite("x < c or x < d", (integers(x) < c0) | (x < c1), x < fold(max(c0, c1))),
    rewrite("c < x and d < x", (c0 < integers(x)) & (c1 < x), fold(max(c0, c1)) < x),
    rewrite("c < x or d < x", (c0 < integers(x)) | (c1 < x), fold(min(c0, c1)) < x),
    rewrite("x < c or d < x, always", (integers(x) < c0) | (c1 < x), true, c1 < c0),
    rewrite("x < c and d < x, never", (integers(x) < c0) & (c1 < x), false, c0 - 1 <= c1),
    rewrite("max(-x, -y) * -1", integers(named(x, leaf(op::MAX))) * -1, min_of_negated),               // rand_index/00213
    rewrite("max by bounds", max(integers(x), y), y, hi(x) <= lo(y)),                        // max(i + 100, j)
    rewrite("min by bounds", min(integers(x), y), x, hi(x) <= lo(y)),
    rewrite("max(x + z, y + z)", max(integers(x) + z, y + z), max(x, y) + z),
    rewrite("min(x + z, y + z)", min(integers(x) + z, y + z), min(x, y) + z),
    rewrite("max(x, x + y)", max(integers(x), x + y), x + max(y, 0)),
    rewrite("min(x, x + y)", min(integers(x), x + y), x + min(y, 0)));
}  // namespace compare_rules
}  // namespace detail

namespace symbolic_rules {
inline constexpr const auto& compare = detail::compare_rules::set;
}

}  // namespace twill
