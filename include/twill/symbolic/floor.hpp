// Division and remainder that round down. Unlike truncation, rounding down lets every multiple of the divisor out of a sum
// whatever the signs, so these rules need bounds only against overflow. They are declarative but for sums of three terms and
// more: a pattern sees so many terms of a sum, these can be many.
#pragma once

#include "twill/symbolic/terms.hpp"

namespace twill {

namespace detail {

// A sum floordiv c or floormod c, c > 1: terms that are multiples of c leave; or, where the others lie within [0, g), terms
// that are multiples of a divisor g of c are divided by g. Procedural: any number of terms, in any order.
constexpr uop floor_of_sum(const match& m, context&) {
  const uop root = m.root();
  const i64 c = root.source(1).argument(0);
  const bool mod = root.is(op::FLOORMOD);
  graph& g = *root.owner;
  term_list terms(g, root.type());
  if (c <= 1 || is_unsigned(root.type()) || !terms.collect(root.source(0).id, 1, true)) return {};
  const auto divided = [&](const term_list& sum, i64 by) {
    const u32 sources[2] = {sum.build().id, g.constant(root.type(), by).id};
    return uop{&g, g.intern(root.code(), root.type(), {sources, 2})};
  };
  const auto take = [&](term_list& rest, i64 by) {  // leaves what is no multiple; the multiples, divided
    term_list out = rest;
    for (u8 i = 0; i < rest.count; ++i) {
      const bool multiple = rest.factors[i] % by == 0;
      out.factors[i] = multiple ? rest.factors[i] / by : 0;
      if (multiple) rest.factors[i] = 0;
    }
    out.constant = floor_quotient(rest.constant, by);
    rest.constant = floor_rest(rest.constant, by);
    return out;
  };
  i64 lo = 0, hi = 0;
  term_list rest = terms;
  const term_list whole = take(rest, c);
  bool some = whole.constant != 0;
  for (u8 i = 0; i < terms.count; ++i) {
    if (terms.factors[i] == min_value(scalar_kind::int64)) return {};
    some = some || whole.factors[i] != 0;
  }
  if (some) {
    if (!rest.fits(lo, hi)) return {};
    const uop inner = divided(rest, c);
    return mod ? inner : whole.build(inner);
  }
  i64 best = 1;
  for (u8 i = 0; i < terms.count; ++i) {
    const i64 d = greatest_common_divisor(terms.factors[i], c);
    if (d <= best || d == c) continue;
    rest = terms;
    take(rest, d);
    if (rest.range(lo, hi) && lo >= 0 && hi < d) best = d;
  }
  if (best == 1) return {};
  rest = terms;
  const term_list multiples = take(rest, best);
  if (!multiples.fits(lo, hi)) return {};
  const uop inner = divided(multiples, c / best);
  return mod ? rest.build({&g, rest.scaled(inner.id, best)}) : inner;
}

namespace floor_rules {
using namespace twill::pattern;

constexpr term floordiv(const term& a, const term& b) { return pattern::node(op::FLOORDIV, a, b); }
constexpr term floormod(const term& a, const term& b) { return pattern::node(op::FLOORMOD, a, b); }
constexpr term unsigned_integers(const term& a) { return pattern::detail::restricted(a, kinds::integer & ~kinds::signed_integer); }
// Of constants, b > 0: guards and fold(…) divide by truncating. The rest first: it has the sign of a, or is moved up by b.
constexpr term floor_rest(const term& a, const term& b) { return (a % b + b) % b; }
constexpr term floor_quotient(const term& a, const term& b) { return (a - floor_rest(a, b)) / b; }

inline constexpr auto set = rules(
    // identities; x by 0 as SEMANTICS says. What has one value by its bounds, as x floordiv 0, needs no rule.
    rewrite("x floordiv 1", floordiv(integers(x), 1), x),                                       // an axis of size 1
    rewrite("x floordiv -1", floordiv(signed_integers(x), -1), x * -1).as(rule_kind::ring),     // a flipped axis; the least integer wraps on both sides
    rewrite("x floordiv x", floordiv(integers(x), x), 1, lo(x) > 0 || hi(x) < 0),               // n by n, n in [1, 9]
    rewrite("x floormod 0", floormod(integers(x), 0), x),
    rewrite("x floormod x", floormod(integers(x), x), 0),                                       // 0 by 0 is 0 too
    // nested
    rewrite("x floordiv c floordiv d", floordiv(floordiv(integers(x), c0), c1), floordiv(x, fold(c0 * c1)), c0 > 0 && c1 > 0),  // flat / 4 / 8
    rewrite("(x floordiv c + k) floordiv d", floordiv(floordiv(integers(x), c0) + c1, c2), floordiv(x + fold(c0 * c1), fold(c0 * c2)), c0 > 0 && c2 > 0),  // (i / 2 - 3) / 4: padded, then split
    rewrite("x floormod c floormod d", floormod(floormod(integers(x), c0), c1), floormod(x, c1), c0 > 0 && c1 > 0 && c0 % c1 == 0),  // flat % 64 % 8
    rewrite("(x floormod c) floordiv d", floordiv(floormod(integers(x), c0), c1), floormod(floordiv(x, c1), fold(c0 / c1)), c1 > 0 && c0 > c1 && c0 % c1 == 0),  // flat % 64 / 8
    rewrite("(x floormod c + y) floormod d", floormod(floormod(integers(x), c0) + y, c1), floormod(x + y, c1), c0 > 0 && c1 > 0 && c0 % c1 == 0),  // a roll of a roll
    // no sign to care for
    rewrite("floordiv of the same sign", floordiv(integers(x), y), x / y, lo(x) >= 0 && lo(y) >= 0),  // i by 4, i in [0, 31]
    rewrite("floormod of the same sign", floormod(integers(x), y), x % y, lo(x) >= 0 && lo(y) >= 0),
    rewrite("unsigned floordiv", floordiv(unsigned_integers(x), y), x / y).as(rule_kind::ring),       // a hash by the size of its table
    rewrite("unsigned floormod", floormod(unsigned_integers(x), y), x % y).as(rule_kind::ring),
    // by a negative number
    rewrite("x floordiv -c", floordiv(signed_integers(x), c0), floordiv(x * -1, fold(c0 * -1)), c0 < -1),    // a reversed stride
    rewrite("x floormod -c", floormod(signed_integers(x), c0), floormod(x * -1, fold(c0 * -1)) * -1, c0 < -1),
    // one period
    rewrite("x floormod c in one period", floormod(integers(x), c0), x + fold(floor_quotient(lo(x), c0) * c0 * -1),
            c0 > 0 && floor_quotient(lo(x), c0) == floor_quotient(hi(x), c0)),                   // -1 - i: an index from the end
    // multiples leave
    rewrite("(x + k) floormod c", floormod(integers(x) + c0, c1), floormod(x + fold(floor_rest(c0, c1)), c1), c1 > 0 && (c0 < 0 || c0 >= c1)),  // (x + 6) % 2
    rewrite("(x * c) floordiv d", floordiv(integers(x) * c0, c1), floordiv(x * fold(c0 / gcd(c0, c1)), fold(c1 / gcd(c0, c1))), c1 > 0 && gcd(c0, c1) > 1),
    rewrite("(x * c) floormod d", floormod(integers(x) * c0, c1), floormod(x * fold(c0 / gcd(c0, c1)), fold(c1 / gcd(c0, c1))) * fold(gcd(c0, c1)),
            c1 > 0 && gcd(c0, c1) > 1),
    rewrite("(x * c + y) floormod d, c larger", floormod(integers(x) * c0 + y, c1), floormod(x * fold(c0 % c1) + y, c1),
            c1 > 0 && (c0 >= c1 || c0 <= c1 * -1) && c0 % c1 != 0),                              // (i * 9 + j) % 4
    // a small rest leaves
    rewrite("sum floordiv c", pattern::node(op_set{{op::FLOORDIV, op::FLOORMOD}}, signed_integers(x) + y, any_constant), floor_of_sum),  // (i * 64 + j * 16 + k * 4 + l) by 64, in any order
    // quotient and remainder together
    rewrite("(x floordiv y) * y + x floormod y", floordiv(integers(x), y) * y + floormod(x, y), x).as(rule_kind::ring),  // unflatten, flatten
    rewrite("(x floordiv c) * cd + (x floormod c) * d", floordiv(integers(x), c0) * c1 + floormod(x, c0) * c2, x * c2, c1 == c0 * c2).as(rule_kind::ring),
    rewrite("(x floordiv c floormod d) * c + x floormod c", floormod(floordiv(integers(x), c0), c1) * c0 + floormod(x, c0), floormod(x, fold(c0 * c1)), c0 > 0 && c1 > 0),
    rewrite("(x floordiv cd) * d + x floordiv c floormod d", floordiv(integers(x), c2) * c1 + floormod(floordiv(x, c0), c1), floordiv(x, c0), c0 > 0 && c1 > 0 && c2 == c0 * c1),
    rewrite("x - x floordiv c * c", integers(x) + floordiv(x, c0) * c1, floormod(x, c0), c0 + c1 == 0).as(rule_kind::ring),  // x - floor(x / 7) * 7
    // comparisons
    rewrite("x floordiv c < d", floordiv(integers(x), c0) < c1, x < fold(c0 * c1), c0 > 0),      // row < 3
    rewrite("d < x floordiv c", c1 < floordiv(integers(x), c0), fold(c0 * c1 + c0 - 1) < x, c0 > 0));
}  // namespace floor_rules
}  // namespace detail

namespace symbolic_rules {
inline constexpr const auto& floor = detail::floor_rules::set;
}

}  // namespace twill
