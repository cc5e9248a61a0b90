// Comparisons, maxima and minima of integers. They need sums that don't overflow, so they are ordered rules.
#pragma once

#include "twill/symbolic/terms.hpp"

namespace twill {

namespace detail {

// d * p + r < c, with every (c - r) / d rounded up to the same t: p < t. And the other way round.
constexpr uop less_without_small_terms(const match& m, context&) {
  const uop root = m.root();
  const bool right = root.source(0).is_constant();  // c < sum
  const uop x = root.source(right ? 1 : 0);
  const i64 c = root.source(right ? 0 : 1).argument(0);
  if (!is_integer(x.type()) || (x.type().kind == scalar_kind::uint64 && (c < 0 || x.lo() < 0))) return {};
  term_list terms(*x.owner, x.type());
  if (!terms.collect(x.id, 1, true)) return {};
  i64 best = 1;
  term_list best_left{};
  i64 best_limit = 0;
  for (u8 i = 0; i < terms.count; ++i) {
    if (terms.factors[i] == min_value(scalar_kind::int64)) return {};
    const i64 d = terms.factors[i] < 0 ? -terms.factors[i] : terms.factors[i];
    if (d <= best) continue;
    term_list rest = terms, left = terms;
    for (u8 k = 0; k < terms.count; ++k) {
      const bool multiple = terms.factors[k] % d == 0;
      left.factors[k] = multiple ? terms.factors[k] / d : 0;
      if (multiple) rest.factors[k] = 0;
    }
    left.constant = 0;
    i64 least = 0, most = 0, a = 0, b = 0;
    if (!rest.range(least, most) || !subtract_checked(c, least, a) || !subtract_checked(c, most, b)) continue;
    // sum < c: p < ceil((c - r) / d). c < sum: floor((c - r) / d) < p.
    i64 t = 0, u = 0;
    if (right) {
      t = floor_quotient(a, d);
      u = floor_quotient(b, d);
    } else {
      if (!subtract_checked(a, 1, a) || !subtract_checked(b, 1, b)) continue;
      t = floor_quotient(a, d) + 1;
      u = floor_quotient(b, d) + 1;
    }
    i64 p_least = 0, p_most = 0;
    if (t != u || wrap(x.type().kind, t) != t || !left.range(p_least, p_most)) continue;
    if (wrap(x.type().kind, p_least) != p_least || wrap(x.type().kind, p_most) != p_most) continue;
    best = d;
    best_left = left;
    best_limit = t;
  }
  if (best == 1) return {};
  const uop sum = best_left.build(), limit = x.owner->constant(x.type(), best_limit);
  return right ? limit < sum : sum < limit;
}
// g * p + k != c where g does not divide c - k: never equal.
constexpr uop never_equal(const match& m, context&) {
  const uop x = m[pattern::x];
  term_list terms(*x.owner, x.type());
  if (!is_integer(x.type()) || !terms.collect(x.id, 1, true) || terms.count == 0) return {};
  i64 g = 0, k = 0;
  for (u8 i = 0; i < terms.count; ++i) {
    if (terms.factors[i] == min_value(scalar_kind::int64)) return {};
    g = greatest_common_divisor(g, terms.factors[i]);
  }
  if (x.type().kind == scalar_kind::uint64 || g <= 1 || !subtract_checked(m[pattern::c0].argument(0), terms.constant, k) || k % g == 0) return {};
  return x.owner->constant(m.root().type(), 1);
}

namespace compare_rules {
using namespace twill::pattern;
inline constexpr auto set = rules(
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
    rewrite("d * p + r < c", integers(x) + y < c0, less_without_small_terms),                // i * 4 + j < 16, j in [0, 3]
    rewrite("c < d * p + r", c0 < integers(x) + y, less_without_small_terms),
    rewrite("x + z < y + z", integers(x) + z < y + z, x < y),
    rewrite("x < x + y", integers(x) < x + y, 0 < y),
    rewrite("x + y < x", integers(x) + y < x, y < 0),
    rewrite("x * c < y * c", integers(x) * c0 < y * c0, x < y, c0 > 0),
    rewrite("x + c != d", integers(x) + c0 != c1, x != c1 + c0 * -1),
    rewrite("x * c != d", integers(x) * c0 != c1, x != fold(c1 / c0), c0 != 0 && c1 % c0 == 0).as(rule_kind::ordered),  // i * 8 != 16
    rewrite("x * c != d, never", integers(x) * c0 != c1, true, c0 != 0 && c1 % c0 != 0).as(rule_kind::ordered),         // i * 8 != 118
    rewrite("sum != c, never", integers(x) != c0, never_equal),                              // i * 8 + j * 4 != 6
    rewrite("x + z != y + z", integers(x) + z != y + z, x != y),
    rewrite("x != x + y", integers(x) != x + y, y != 0),
    rewrite("x < c and x < d", (integers(x) < c0) & (x < c1), x < fold(min(c0, c1))),
    rewrite("x < c or x < d", (integers(x) < c0) | (x < c1), x < fold(max(c0, c1))),
    rewrite("c < x and d < x", (c0 < integers(x)) & (c1 < x), fold(max(c0, c1)) < x),
    rewrite("c < x or d < x", (c0 < integers(x)) | (c1 < x), fold(min(c0, c1)) < x),
    rewrite("x < c and d < x, never", (integers(x) < c0) & (c1 < x), false, c0 - 1 <= c1),
    rewrite("max by bounds", max(integers(x), y), y, hi(x) <= lo(y)),                        // max(i + 100, j)
    rewrite("min by bounds", min(integers(x), y), x, hi(x) <= lo(y)),
    rewrite("max(max(x, c), d)", max(max(integers(x), c0), c1), max(x, max(c0, c1))),
    rewrite("min(min(x, c), d)", min(min(integers(x), c0), c1), min(x, min(c0, c1))),
    rewrite("max(max(x, y), x)", max(max(x, y), x), max(x, y)),
    rewrite("min(min(x, y), x)", min(min(x, y), x), min(x, y)),
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
