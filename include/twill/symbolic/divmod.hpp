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
  term_list terms{};
  i64 lo = 0, hi = 0;
  bool negative = false;  // terms hold -x, and the result is to be negated

  constexpr uop divided(uop x, i64 by) const {
    const u32 sources[2] = {x.id, root.owner->constant(root.type(), by).id};
    return {root.owner, root.owner->intern(root.code(), root.type(), {sources, 2})};
  }
  // sum + x * factor, negated if need be.
  constexpr uop finish(term_list sum, uop x = {}, i64 factor = 1) const {
    if (negative) {
      if (!sum.negate()) return {};
      factor = -factor;
    }
    if (x.owner == nullptr) return sum.build();
    const uop scaled = sum.scaled(x.id, factor);
    bool empty = sum.constant == 0;
    for (u8 i = 0; i < sum.count; ++i) empty = empty && sum.factors[i] == 0;
    return empty ? scaled : sum.sum(scaled, sum.build());
  }
  // A list of the same bases, all factors 0.
  constexpr term_list blank() const {
    term_list out = terms;
    for (u8 i = 0; i < out.count; ++i) out.factors[i] = 0;
    out.constant = 0;
    return out;
  }
  constexpr bool fits(const term_list& t, i64& least, i64& most) const {
    return t.range(least, most) && wrap(t.type.kind, least) == least && wrap(t.type.kind, most) == most;
  }

  constexpr uop simplified(uop x) {
    lo = x.lo();
    hi = x.hi();
    if (!is_integer(x.type()) || (x.type().kind == scalar_kind::uint64 && (lo < 0 || hi < 0)) || x.is_constant()) return {};
    // The quotient is the same for all of x: x % c is x - q * c.
    if (lo / c == hi / c) {
      if (!mod) return {};  // a constant by its bounds
      const u32 sources[2] = {x.id, root.owner->constant(x.type(), -(lo / c) * c).id};
      return lo / c == 0 ? x : uop{root.owner, intern_canonical(*root.owner, op::ADD, x.type(), {sources, 2}, {}, true)};
    }
    if (!terms.collect(x, true)) return {};
    if (const uop out = two_values()) return out;
    if (const uop out = all_divisible()) return out;
    const bool one_sign = lo >= 0 || hi <= 0;
    if (lo < 0 && hi <= 0) {
      negative = true;
      if (lo == min_value(scalar_kind::int64) || !terms.negate()) return {};
      const i64 old = lo;
      lo = -hi;
      hi = -old;
    }
    if (one_sign) {
      if (const uop out = congruent()) return out;
      if (const uop out = without_multiples()) return out;
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
    term_list out = terms;
    for (u8 i = 0; i < terms.count; ++i) {
      if (terms.factors[i] % c != 0) return {};
      out.factors[i] = mod ? 0 : terms.factors[i] / c;
    }
    if (terms.constant % c != 0) return {};
    out.constant = mod ? 0 : terms.constant / c;
    return finish(out);
  }
  // x >= 0, and x = c * q + r with r inside one period of c: truncation is floor, so x / c = q + m and x % c = r - m * c.
  constexpr uop congruent() {
    for (int variant = 0; variant < 2; ++variant) {
      term_list rest = terms, quotient = terms;
      for (u8 i = 0; i < terms.count; ++i) {
        i64 r = floor_rest(terms.factors[i], c);
        if (variant == 1 && r > c / 2) r -= c;
        rest.factors[i] = r;
        quotient.factors[i] = floor_quotient(terms.factors[i], c) + (r < 0 ? 1 : 0);
      }
      rest.constant = floor_rest(terms.constant, c);
      quotient.constant = floor_quotient(terms.constant, c);
      i64 least = 0, most = 0;
      if (!rest.range(least, most)) continue;
      const i64 m = floor_quotient(least, c);
      if (m != floor_quotient(most, c)) continue;
      i64 shift = 0;
      if (mod) {
        if (!mul_checked(m, c, shift) || !subtract_checked(rest.constant, shift, rest.constant)) continue;
        return finish(rest);
      }
      if (!add_checked(quotient.constant, m, quotient.constant)) continue;
      return finish(quotient);
    }
    return {};
  }
  // x >= 0, x = c * q + r, r >= 0: x / c = q + r / c and x % c = r % c.
  constexpr uop without_multiples() {
    term_list rest = terms, quotient = blank();
    bool changed = false;
    for (u8 i = 0; i < terms.count; ++i) {
      const i64 q = floor_quotient(terms.factors[i], c), r = floor_rest(terms.factors[i], c);
      if (q == 0 || (!mod && r != 0)) continue;
      quotient.factors[i] = q;
      rest.factors[i] = r;
      changed = true;
    }
    const i64 q = floor_quotient(terms.constant, c);
    if (q != 0) {
      quotient.constant = q;
      rest.constant = floor_rest(terms.constant, c);
      changed = true;
    }
    // (y % (c * k)) * f + … is y * f + … modulo c.
    if (mod)
      for (u8 i = 0; i < rest.count; ++i) {
        const uop base{root.owner, rest.bases[i]};
        if (!base.is(op::MOD) || !base.source(1).is_constant() || base.source(0).lo() < 0 || rest.factors[i] <= 0) continue;
        i64 period = 0;
        if (!mul_checked(base.source(1).argument(0), rest.factors[i], period) || period % c != 0) continue;
        rest.bases[i] = base.source(0).id;
        changed = true;
      }
    i64 least = 0, most = 0;
    if (!changed || !fits(rest, least, most) || least < 0) return {};
    const uop inner = divided(rest.build(), c);
    return mod ? finish(blank(), inner) : finish(quotient, inner);
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
    if (!fits(out, least, most)) return {};
    const uop inner = divided(out.build(), c / g);
    term_list rest = blank();
    if (mod) rest.constant = k;
    return finish(rest, inner, mod ? g : 1);
  }
  // x >= 0, x = g * y + r with r in [0, g), c = g * d: x / c = y / d, x % c = (y % d) * g + r.
  constexpr uop without_small_terms() {
    i64 best = 1;
    for (u8 i = 0; i < terms.count; ++i) {
      const i64 g = greatest_common_divisor(terms.factors[i], c);
      if (g <= best || g == c) continue;
      term_list rest = terms;
      split(rest, g);
      i64 least = 0, most = 0;
      if (rest.range(least, most) && least >= 0 && most < g) best = g;
    }
    if (best == 1) return {};
    term_list rest = terms;
    term_list out = split(rest, best);
    i64 least = 0, most = 0;
    if (!fits(out, least, most)) return {};
    const uop inner = divided(out.build(), c / best);
    return finish(mod ? rest : blank(), inner, mod ? best : 1);
  }
  // Leaves in rest what is no multiple of g; the multiples, divided by g.
  static constexpr term_list split(term_list& rest, i64 g) {
    term_list out = rest;
    for (u8 i = 0; i < rest.count; ++i) {
      if (rest.factors[i] % g == 0) {
        out.factors[i] = rest.factors[i] / g;
        rest.factors[i] = 0;
      } else {
        out.factors[i] = 0;
      }
    }
    out.constant = floor_quotient(rest.constant, g);
    rest.constant = floor_rest(rest.constant, g);
    return out;
  }
};

constexpr uop divide_sum(const match& m, context&) {
  const i64 c = m[pattern::c0].argument(0);
  if (c <= 1) return {};
  sum_divider d{m.root(), c, m.root().is(op::MOD)};
  return d.simplified(m[pattern::x]);
}

namespace divmod_rules {
using namespace twill::pattern;
inline constexpr auto set = rules(
    rewrite("x / -c", x / c0, x / fold(c0 * -1) * -1, c0 < -1),                                     // exact: truncation is symmetric
    rewrite("x % -c", x % c0, x % fold(c0 * -1), c0 < -1),                                          // the dividend's sign
    rewrite("x / c / d", x / c0 / c1, x / fold(c0 * c1), c0 > 0 && c1 > 0),                         // i / 4 / 8
    rewrite("(x / c + k) / d", (x / c0 + c1) / c2, (x + fold(c0 * c1)) / fold(c0 * c2), lo(x) >= 0 && c0 > 0 && c2 > 0 && lo(x) + c0 * c1 >= 0),
    rewrite("(x % c) / d", (x % c0) / c1, (x / c1) % fold(c0 / c1), c1 > 0 && c0 > c1 && c0 % c1 == 0),  // i % 64 / 8
    rewrite("(x % c) % d", x % c0 % c1, x % c1, c1 > 0 && c0 > 0 && c0 % c1 == 0),                  // i % 64 % 8
    rewrite("(x / c) * c + x % c", (x / c0) * c0 + x % c0, x).as(rule_kind::ring),                  // unflatten, flatten
    rewrite("(x / c) * cd + (x % c) * d", (x / c0) * c1 + (x % c0) * c2, x * c2, c1 == c0 * c2).as(rule_kind::ring),
    rewrite("(x / c % d) * c + x % c", (x / c0 % c1) * c0 + x % c0, x % fold(c0 * c1), c0 > 0 && c1 > 0),
    rewrite("(x / cd) * d + x / c % d", (x / c2) * c1 + x / c0 % c1, x / c0, c0 > 0 && c1 > 0 && c2 == c0 * c1),
    rewrite("x - x / c * c", x + (x / c0) * c1, x % c0, c0 + c1 == 0).as(rule_kind::ring),
    rewrite("sum / c", x / c0, divide_sum),                                                         // (i * 64 + j) / 64
    rewrite("sum % c", x % c0, divide_sum),                                                         // (i * 64 + j) % 64
    rewrite("floor division of the same sign", pattern::node(op::FLOORDIV, integers(x), y), x / y, lo(x) >= 0 && lo(y) > 0),
    rewrite("floor remainder of the same sign", pattern::node(op::FLOORMOD, integers(x), y), x % y, lo(x) >= 0 && lo(y) > 0));
}  // namespace divmod_rules
}  // namespace detail

namespace symbolic_rules {
inline constexpr const auto& divmod = detail::divmod_rules::set;
}

}  // namespace twill
