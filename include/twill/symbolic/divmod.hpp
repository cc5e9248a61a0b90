// Division and remainder of integers by constants. Both truncate, so whatever needs floor division asks the bounds for the
// sign first.
#pragma once

#include "twill/symbolic/terms.hpp"

namespace twill {

namespace detail {

// x / c or x % c, c > 1, of a sum x. Each step says what it uses; the result never divides by c what it did before.
struct sum_divider {
  uop root;
  i64 c;
  bool mod;
  i64 sign = 1;  // of the divisor
  term_list terms{};
  bool negative = false;  // terms hold -x, and the result is to be negated

  // sum + (inner / by) * factor or sum + (inner % by) * factor, with the signs of what was negated.
  constexpr uop finish(term_list& sum, term_list& inner, i64 by, i64 factor = 1) const {
    if (negative && !inner.negate()) return {};
    if (negative != (sign < 0 && !mod) && !sum.negate()) return {};
    graph& g = *root.owner;
    const u32 sources[2] = {inner.build().id, g.constant(root.type(), mod ? by : by * sign).id};
    if (!sum.add(g.intern(root.code(), root.type(), {sources, 2}), factor, false)) return {};
    return sum.build();
  }
  constexpr uop finish(term_list& sum) const {
    if (negative != (sign < 0 && !mod) && !sum.negate()) return {};
    return sum.build();
  }
  // A list of the same bases, all factors 0.
  constexpr term_list blank() const {
    term_list out = terms;
    for (u8 i = 0; i < out.count; ++i) out.factors[i] = 0;
    out.constant = 0;
    return out;
  }

  constexpr uop simplified(uop x) {
    const i64 lo = x.lo(), hi = x.hi();
    if ((x.type().kind == scalar_kind::uint64 && (lo < 0 || hi < 0)) || x.is_constant()) return {};
    terms = term_list(*root.owner, x.type());
    // The quotient is the same for all of x: x % c is x - q * c.
    if (lo / c == hi / c) {
      if (!mod) return {};  // a constant by its bounds
      if (lo / c == 0) return x;
      if (!terms.collect(x.id, 1, false)) return {};
      terms.constant = wrapping_sub(x.type().kind, terms.constant, lo / c * c);
      return terms.build();
    }
    if (!terms.collect(x.id, 1, true)) return {};
    if (const uop out = two_values()) return out;
    if (const uop out = all_divisible()) return out;
    // One term has the sign of its base, whatever it is multiplied by.
    const bool one_sign = lo >= 0 || hi <= 0, one_term = terms.count == 1 && terms.constant == 0;
    if ((lo < 0 && hi <= 0) || (one_term && !one_sign && terms.factors[0] < 0)) {
      negative = true;
      if (!terms.negate()) return {};
    }
    if (one_sign) {
      if (const uop out = congruent()) return out;
    }
    if (one_sign || one_term) {
      if (const uop out = without_multiples(one_sign)) return out;
    }
    if (const uop out = common_factor(one_sign)) return out;
    return one_sign ? without_small_terms() : uop{};
  }

  // One base with two values: its quotient or remainder is linear in it.
  constexpr uop two_values() {
    if (terms.count != 1) return {};
    const interval b = root.owner->at(terms.bases[0]).bounds;
    i64 width = 0, at_lo = 0, at_hi = 0;
    if (!subtract_checked(b.hi, b.lo, width) || width != 1) return {};
    if (!mul_checked(b.lo, terms.factors[0], at_lo) || !add_checked(at_lo, terms.constant, at_lo)) return {};
    if (!add_checked(at_lo, terms.factors[0], at_hi)) return {};
    const i64 v0 = mod ? at_lo % c : at_lo / c, v1 = mod ? at_hi % c : at_hi / c;
    term_list out = blank();
    i64 offset = 0;
    if (!subtract_checked(v1, v0, out.factors[0]) || !mul_checked(out.factors[0], b.lo, offset) || !subtract_checked(v0, offset, out.constant)) return {};
    return finish(out);
  }
  // x = c * q: exact, whatever the sign.
  constexpr uop all_divisible() {
    for (u8 i = 0; i < terms.count; ++i)
      if (terms.factors[i] % c != 0) return {};
    if (terms.constant % c != 0) return {};
    term_list out = terms;
    for (u8 i = 0; i < terms.count; ++i) out.factors[i] = mod ? 0 : terms.factors[i] / c;
    out.constant = mod ? 0 : terms.constant / c;
    return finish(out);
  }
  // x >= 0, and x = c * q + r with r inside one period of c: truncation is floor, so x / c = q + m and x % c = r - m * c.
  constexpr uop congruent() {
    for (int variant = 0; variant < 2; ++variant) {
      i64 least = floor_rest(terms.constant, c), most = least;
      bool known = true;
      for (u8 i = 0; i < terms.count && known; ++i) {
        const interval b = root.owner->at(terms.bases[i]).bounds;
        const i64 r = nearest_rest(terms.factors[i], variant);
        i64 p = 0, q = 0;
        known = mul_checked(b.lo, r, p) && mul_checked(b.hi, r, q) && add_checked(least, r < 0 ? q : p, least) && add_checked(most, r < 0 ? p : q, most);
      }
      const i64 m = floor_quotient(least, c);
      if (!known || m != floor_quotient(most, c)) continue;
      term_list out = terms;
      for (u8 i = 0; i < terms.count; ++i) {
        const i64 r = nearest_rest(terms.factors[i], variant);
        out.factors[i] = mod ? r : floor_quotient(terms.factors[i], c) + (r < 0 ? 1 : 0);
      }
      i64 shift = 0;
      if (mod) {
        if (!mul_checked(m, c, shift) || !subtract_checked(floor_rest(terms.constant, c), shift, out.constant)) continue;
      } else if (!add_checked(floor_quotient(terms.constant, c), m, out.constant)) {
        continue;
      }
      return finish(out);
    }
    return {};
  }
  constexpr i64 nearest_rest(i64 factor, int variant) const {
    const i64 r = floor_rest(factor, c);
    return variant == 1 && r > c / 2 ? r - c : r;
  }
  // x >= 0, x = c * q + r, r >= 0: x / c = q + r / c and x % c = r % c. One term of any sign: the same.
  constexpr uop without_multiples(bool one_sign) {
    bool changed = terms.constant >= c || terms.constant <= -c;
    for (u8 i = 0; i < terms.count && !changed; ++i) {
      const i64 f = terms.factors[i];
      changed = mod ? f >= c || f <= -c || (one_sign && is_inner_remainder(terms, i)) : f % c == 0;
    }
    if (!changed) return {};
    // Rests keep their sign if they can, x - 3 stays x - 3; else they are made positive.
    for (const bool floor : {false, true}) {
      term_list rest = terms;
      rest.constant = rest_of(terms.constant, floor);
      for (u8 i = 0; i < terms.count; ++i)
        if (mod || terms.factors[i] % c == 0) rest.factors[i] = rest_of(terms.factors[i], floor);
      for (u8 i = 0; mod && one_sign && i < terms.count; ++i) {
        if (!is_inner_remainder(rest, i)) continue;
        const i64 factor = rest.factors[i];
        rest.factors[i] = 0;
        if (!rest.collect(root.owner->source(rest.bases[i], 0), factor, true)) return {};
      }
      i64 least = 0, most = 0;
      if (!rest.fits(least, most) || (one_sign && least < 0)) continue;
      term_list quotient = blank();
      if (!mod) {
        for (u8 i = 0; i < terms.count; ++i)
          if (terms.factors[i] % c == 0) quotient.factors[i] = terms.factors[i] / c;
        quotient.constant = floor ? floor_quotient(terms.constant, c) : terms.constant / c;
      }
      return finish(quotient, rest, c);
    }
    return {};
  }
  constexpr i64 rest_of(i64 value, bool floor) const { return floor ? floor_rest(value, c) : value % c; }
  // (y % (c * k)) * f + … is y * f + … modulo c.
  constexpr bool is_inner_remainder(const term_list& list, u8 i) const {
    const uop base{root.owner, list.bases[i]};
    i64 period = 0;
    return base.is(op::MOD) && list.factors[i] > 0 && base.source(1).is_constant() && base.source(0).lo() >= 0 &&
           mul_checked(base.source(1).argument(0), list.factors[i], period) && period % c == 0;
  }
  // x = g * y + k, c = g * d: x / c = y / d, x % c = (y % d) * g; with k in (0, g), where x >= 0, + k.
  constexpr uop common_factor(bool one_sign) {
    i64 g = c;
    for (u8 i = 0; i < terms.count; ++i) g = greatest_common_divisor(terms.factors[i], g);
    if (g <= 1 || g == c) return {};
    const i64 k = floor_rest(terms.constant, g);
    if (k != 0 && !one_sign) return {};
    term_list out = terms;
    for (u8 i = 0; i < out.count; ++i) out.factors[i] /= g;
    out.constant = floor_quotient(terms.constant, g);
    i64 least = 0, most = 0;
    if (!out.fits(least, most)) return {};
    term_list rest = blank();
    if (mod) rest.constant = k;
    return finish(rest, out, c / g, mod ? g : 1);
  }
  // x >= 0, x = g * y + r with r in [0, g), c = g * d: x / c = y / d, x % c = (y % d) * g + r.
  constexpr uop without_small_terms() {
    i64 best = 1;
    for (u8 i = 0; i < terms.count; ++i) {
      const i64 g = greatest_common_divisor(terms.factors[i], c);
      if (g <= best || g == c) continue;
      term_list rest = terms;
      bool bare = !mod;
      split(rest, g, bare);
      i64 least = 0, most = 0;
      if (bare && rest.range(least, most) && least >= 0 && most < g) best = g;
    }
    if (best == 1) return {};
    term_list rest = terms;
    bool bare = false;
    term_list out = split(rest, best, bare);
    i64 least = 0, most = 0;
    if (!out.fits(least, most)) return {};
    if (!mod) rest = blank();
    return finish(rest, out, c / best, mod ? best : 1);
  }
  // Leaves in rest what is no multiple of g; the multiples, divided by g. For a quotient g * q + r counts as both. bare: one of them is then a base alone, so that
  // (y % d) * g + r is no larger than (y * g + r) % c.
  constexpr term_list split(term_list& rest, i64 g, bool& bare) const {
    term_list out = rest;
    const i64 one = negative ? -1 : 1;
    for (u8 i = 0; i < rest.count; ++i) {
      const i64 r = rest.factors[i] % g;
      if (mod && r != 0) {
        out.factors[i] = 0;
      } else {
        out.factors[i] = rest.factors[i] / g;
        bare = bare || out.factors[i] == one;
        rest.factors[i] = r;
      }
    }
    out.constant = floor_quotient(rest.constant, g);
    rest.constant = floor_rest(rest.constant, g);
    return out;
  }
};

constexpr uop divide_sum(const match& m, context&) {
  const uop root = m.root();
  const i64 c = root.source(1).argument(0);
  if (c < 0 && is_unsigned(root.type())) {  // 2^63 or more
    const uop x = root.source(0);
    return root.is(op::MOD) && integer_less(root.type().kind, x.hi(), c) ? x : uop{};
  }
  if (c == min_value(scalar_kind::int64) || (c >= -1 && c <= 1)) return {};
  sum_divider d{root, c < 0 ? -c : c, root.is(op::MOD), c < 0 ? -1 : 1};
  return d.simplified(root.source(0));
}

// (x % c) / d as (x / d) % (c / d): not where a constant would come out of x / d and stay outside. Procedural: it looks at
// what x is not.
constexpr bool divides_inside(const match& m) {
  const i64 c = m[pattern::c0].argument(0), d = m[pattern::c1].argument(0);
  if (d <= 0 || c <= d || c % d != 0) return false;
  const uop x = m[pattern::x];
  return !x.is(op::ADD) || !x.source(1).is_constant() || (x.source(1).argument(0) < d && x.source(1).argument(0) > -d);
}

namespace divmod_rules {
using namespace twill::pattern;
inline constexpr auto set = rules(
    rewrite("x % -c", x % c0, x % fold(c0 * -1), c0 < -1),                                          // the dividend's sign
    rewrite("x * y / y", integers(x) * y / y, x, lo(y) > 0 || hi(y) < 0),                           // i * n / n, n a dimension
    rewrite("x * y % y", integers(x) * y % y, 0),
    rewrite("x % y, x smaller", integers(x) % y, x, lo(x) >= 0 && hi(x) < lo(y)),                   // i % n, n in [8, 16]
    rewrite("x / c / d", x / c0 / c1, x / fold(c0 * c1), (c0 < -1 || 1 < c0) && (c1 < -1 || 1 < c1)),   // i / 4 / 8; rand_neg/00538
    rewrite("(x / c + k) / d", (x / c0 + c1) / c2, (x + fold(c0 * c1)) / fold(c0 * c2), lo(x) >= 0 && c0 > 0 && c2 > 0 && lo(x) + c0 * c1 >= 0),
    rewrite("(x % c) / d", (integers(x) % c0) / c1, (x / c1) % fold(c0 / c1), divides_inside),         // i % 64 / 8
    rewrite("(x % c) % d", x % c0 % c1, x % c1, c1 > 0 && c0 > 0 && c0 % c1 == 0),                  // i % 64 % 8
    rewrite("(x / c) * c + x % c", (x / c0) * c0 + x % c0, x).as(rule_kind::ring),                  // unflatten, flatten
    rewrite("x - x / c * c", x + (x / c0) * c1, x % c0, c0 + c1 == 0).as(rule_kind::ring),
    rewrite("sum / c", integers(pattern::node(op_set{{op::IDIV, op::MOD}}, x, any_constant)), divide_sum));  // (i * 64 + j) / 64, (i * 64 + j) % 64
}  // namespace divmod_rules
}  // namespace detail

namespace symbolic_rules {
inline constexpr const auto& divmod = detail::divmod_rules::set;
}

}  // namespace twill
