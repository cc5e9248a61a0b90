// An integer node as a sum: constant + factor * base + …, for the rules that look at a whole sum.
#pragma once

#include "twill/match/rewrite.hpp"

namespace twill::detail {

struct term_list {
  static constexpr u8 limit = 16;
  graph* owner = nullptr;
  dtype type{};
  u32 bases[limit]{};
  i64 factors[limit]{};
  u8 count = 0;
  i64 constant = 0;
  bool merged = false;  // did two terms become one?
  u8 quotients = 0, remainders = 0;

  // Takes root apart. exact: only where no addition or multiplication on the way overflows, so that the sum is the value;
  // else it is the value modulo 2^n. False: too many terms, or not exact.
  constexpr bool collect(uop root, bool exact) {
    owner = root.owner;
    type = root.type();
    u32 stack[2 * limit]{};
    u8 top = 0;
    stack[top++] = root.id;
    const graph& g = *owner;
    while (top > 0) {
      const u32 id = stack[--top];
      const op code = g.at(id).code;
      if (exact && search::may_overflow(g, code, id)) return false;
      if (code == op::ADD) {
        if (top + 2 > 2 * limit) return false;
        stack[top++] = g.sources(id)[1];
        stack[top++] = g.sources(id)[0];
        continue;
      }
      if (code == op::CONST) {
        if (!add_constant(g.arguments(id)[0], exact)) return false;
        continue;
      }
      i64 factor = 1;
      u32 base = id;
      if (code == op::MUL && g.at(g.sources(id)[1]).code == op::CONST) {
        base = g.sources(id)[0];
        factor = g.arguments(g.sources(id)[1])[0];
      }
      if (!add(base, factor, exact)) return false;
    }
    return true;
  }
  constexpr bool add_constant(i64 value, bool exact) {
    if (!exact) constant = wrapping_add(type.kind, constant, value);
    else if (!add_checked(constant, value, constant)) return false;
    return true;
  }
  constexpr bool add(u32 base, i64 factor, bool exact) {
    for (u8 i = 0; i < count; ++i) {
      if (bases[i] != base) continue;
      merged = true;
      if (exact) return add_checked(factors[i], factor, factors[i]);
      factors[i] = wrapping_add(type.kind, factors[i], factor);
      return true;
    }
    if (count == limit) return false;
    const op code = owner->at(base).code;
    if (code == op::IDIV) ++quotients;
    if (code == op::MOD) ++remainders;
    bases[count] = base;
    factors[count++] = factor;
    return true;
  }
  // (x / c) * (c * f) and (x % c) * f are x * f.
  constexpr void join_quotients() {
    const graph& g = *owner;
    for (u8 i = 0; i < count; ++i) {
      if (g.at(bases[i]).code != op::MOD) continue;
      const span<const u32> rest = g.sources(bases[i]);
      if (g.at(rest[1]).code != op::CONST) continue;
      for (u8 j = 0; j < count; ++j) {
        if (g.at(bases[j]).code != op::IDIV) continue;
        const span<const u32> quotient = g.sources(bases[j]);
        if (quotient[0] != rest[0] || quotient[1] != rest[1]) continue;
        if (wrapping_mul(type.kind, g.arguments(rest[1])[0], factors[i]) != factors[j]) continue;
        const u32 x = rest[0];
        const i64 factor = factors[i];
        factors[i] = factors[j] = 0;
        merged = true;
        add(x, factor, false);
        return;
      }
    }
  }

  // x / c + (x + 1) / c + … + (x + c - 1) / c is x where x >= 0: what an unrolled loop leaves.
  constexpr void join_unrolled() {
    graph& g = *owner;
    for (u8 i = 0; i < count; ++i) {
      if (g.at(bases[i]).code != op::IDIV || factors[i] == 0) continue;
      const u32 x = g.sources(bases[i])[0], by = g.sources(bases[i])[1];
      if (g.at(by).code != op::CONST || g.at(x).code == op::CONST || g.at(x).bounds.lo < 0) continue;
      const i64 c = g.arguments(by)[0];
      if (c < 2 || c > count) continue;
      u8 places[limit]{};
      u16 seen = 1;
      for (u8 j = 0; j < count; ++j) {
        if (factors[j] != factors[i] || g.at(bases[j]).code != op::IDIV || g.sources(bases[j])[1] != by) continue;
        const u32 y = g.sources(bases[j])[0];
        if (g.at(y).code != op::ADD || search::may_overflow(g, op::ADD, y) || g.sources(y)[0] != x) continue;
        const u32 k = g.sources(y)[1];
        if (g.at(k).code != op::CONST || g.arguments(k)[0] <= 0 || g.arguments(k)[0] >= c) continue;
        const i64 at = g.arguments(k)[0];
        seen = static_cast<u16>(seen | 1u << at);
        places[at] = j;
      }
      if (seen != (1u << c) - 1) continue;
      const i64 factor = factors[i];
      factors[i] = 0;
      for (i64 k = 1; k < c; ++k) factors[places[k]] = 0;
      merged = true;
      add(x, factor, false);
      return;
    }
  }

  constexpr uop scaled(u32 base, i64 factor) const {
    if (factor == 1) return {owner, base};
    const u32 sources[2] = {base, owner->constant(type, factor).id};
    u32 made = 0;
    if (!fold_constants(*owner, op::MUL, type, {sources, 2}, made)) made = intern_canonical(*owner, op::MUL, type, {sources, 2}, {}, true);
    return {owner, made};
  }
  constexpr uop sum(uop a, uop b) const {
    if (a.owner == nullptr) return b;
    const u32 sources[2] = {a.id, b.id};
    return {owner, intern_canonical(*owner, op::ADD, type, {sources, 2}, {}, true)};
  }
  // The sum as a node, its constant last.
  constexpr uop build() const {
    uop out;
    for (u8 i = 0; i < count; ++i)
      if (factors[i] != 0) out = sum(out, scaled(bases[i], factors[i]));
    if (constant != 0 || out.owner == nullptr) out = sum(out, owner->constant(type, constant));
    return out;
  }

  // The range of the sum from those of its bases; false where it is not known.
  constexpr bool range(i64& lo, i64& hi) const {
    lo = hi = constant;
    for (u8 i = 0; i < count; ++i) {
      const interval b = owner->at(bases[i]).bounds;
      i64 p = 0, q = 0;
      if (type.kind == scalar_kind::uint64 && (b.lo < 0 || b.hi < 0)) return false;
      if (!mul_checked(b.lo, factors[i], p) || !mul_checked(b.hi, factors[i], q)) return false;
      if (!add_checked(lo, p < q ? p : q, lo) || !add_checked(hi, p < q ? q : p, hi)) return false;
    }
    return true;
  }
  constexpr bool negate() {
    for (u8 i = 0; i < count; ++i)
      if (!mul_checked(factors[i], -1, factors[i])) return false;
    return mul_checked(constant, -1, constant);
  }
};

constexpr i64 greatest_common_divisor(i64 a, i64 b) {
  if (a < 0) a = -a;
  if (b < 0) b = -b;
  while (b != 0) {
    const i64 r = a % b;
    a = b;
    b = r;
  }
  return a;
}
constexpr i64 floor_quotient(i64 a, i64 b) { return floordiv(scalar_kind::int64, a, b); }
constexpr i64 floor_rest(i64 a, i64 b) { return floormod(scalar_kind::int64, a, b); }

}  // namespace twill::detail
