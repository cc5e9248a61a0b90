// An integer node as a sum: constant + factor * base + …, and its one normal form: a left-nested chain of terms in canonical
// order, the constant last, bases with the same factor under one multiplication: a + (b + c) * 4 + 7.
#pragma once

#include "twill/match/rewrite.hpp"

namespace twill::detail {

constexpr i64 greatest_common_divisor(i64 a, i64 b) {
  u64 p = a < 0 ? u64{0} - static_cast<u64>(a) : static_cast<u64>(a), q = b < 0 ? u64{0} - static_cast<u64>(b) : static_cast<u64>(b);
  while (q != 0) {
    const u64 r = p % q;
    p = q;
    q = r;
  }
  return static_cast<i64>(p);
}
constexpr i64 floor_quotient(i64 a, i64 b) { return floordiv(scalar_kind::int64, a, b); }
constexpr i64 floor_rest(i64 a, i64 b) { return floormod(scalar_kind::int64, a, b); }

// Puts a node where it belongs among nodes in canonical order.
constexpr void insert_in_order(graph& g, u32* nodes, u8& count, u32 id) {
  u8 at = count++;
  for (; at > 0 && out_of_order(g, nodes[at - 1], id); --at) nodes[at] = nodes[at - 1];
  nodes[at] = id;
}
// nodes[0] op nodes[1] op …, nested to the left.
constexpr u32 chain_of(graph& g, op code, dtype type, const u32* nodes, u8 count) {
  u32 out = nodes[0];
  for (u8 i = 1; i < count; ++i) {
    const u32 sources[2] = {out, nodes[i]};
    out = g.intern(code, type, {sources, 2});
  }
  return out;
}

struct term_list {
  static constexpr u8 limit = 16;
  graph* owner = nullptr;
  dtype type{};
  u8 count = 0;
  u8 operands = 0;       // of the chain that was taken apart
  u8 quotients = 0, remainders = 0;
  u16 divisions = 0;     // which terms are either: one bit each
  bool merged = false;   // did two terms become one?
  i64 constant = 0;
  u32 bases[limit]{};
  i64 factors[limit]{};  // 0 where a term is gone

  constexpr term_list() = default;
  constexpr term_list(graph& g, dtype t) : owner(&g), type(t) {}

  constexpr bool is_division(u8 i) const { return (divisions >> i & 1) != 0; }
  constexpr bool multiply(i64 a, i64 b, bool exact, i64& out) const {
    if (exact) return mul_checked(a, b, out);
    out = wrapping_mul(type.kind, a, b);
    return true;
  }
  constexpr bool plus(i64 a, i64 b, bool exact, i64& out) const {
    if (exact) return add_checked(a, b, out);
    out = wrapping_add(type.kind, a, b);
    return true;
  }

  // Adds the terms of root * scale. exact: what may overflow stays one term, so that the sum is the value; else it is the
  // value modulo 2^n. False: too many terms, or a factor that is too large; some terms may have been added then.
  constexpr bool collect(u32 root, i64 scale, bool exact) {
    struct part { u32 id; i64 scale; };
    part stack[limit + 2]{};
    u8 top = 0;
    const graph& g = *owner;
    part now{root, scale};
    // Terms may be the same again and again: their number alone is no bound.
    for (int left = 8 * limit; left > 0; --left) {
      const node& n = g.at(now.id);
      if (n.code == op::ADD && !(exact && g.at(now.id).may_wrap)) {
        if (top == limit + 2) return false;
        const span<const u32> sources = g.sources(now.id);
        stack[top++] = {sources[1], now.scale};
        now.id = sources[0];
        continue;
      }
      if (now.scale == scale) ++operands;
      if (n.code == op::CONST) {
        i64 value = 0;
        if (!multiply(g.argument(now.id, 0), now.scale, exact, value) || !plus(constant, value, exact, constant)) return false;
      } else if (n.code == op::MUL && g.at(g.source(now.id, 1)).code == op::CONST && !(exact && g.at(now.id).may_wrap)) {
        const span<const u32> sources = g.sources(now.id);
        i64 factor = 0;
        if (!multiply(g.argument(sources[1], 0), now.scale, exact, factor)) return false;
        if (g.at(sources[0]).code == op::ADD) {
          now = {sources[0], factor};
          continue;
        }
        if (!add(sources[0], factor, exact)) return false;
      } else if (!add(now.id, now.scale, exact)) {
        return false;
      }
      if (top == 0) return true;
      now = stack[--top];
    }
    return false;
  }
  constexpr bool add(u32 base, i64 factor, bool exact) {
    for (u8 i = 0; i < count; ++i) {
      if (bases[i] != base) continue;
      merged = true;
      return plus(factors[i], factor, exact, factors[i]);
    }
    if (count == limit) return false;
    const op code = owner->at(base).code;
    if (code == op::IDIV) ++quotients;
    else if (code == op::MOD) ++remainders;
    if (code == op::IDIV || code == op::MOD) divisions = static_cast<u16>(divisions | 1u << count);
    bases[count] = base;
    factors[count++] = factor;
    return true;
  }

  // Terms that the normal form has: bases with the same factor are one.
  constexpr u8 normal_operands() const {
    u8 out = constant != 0 ? 1 : 0;
    for (u8 i = 0; i < count; ++i) {
      bool first = factors[i] != 0;
      if (factors[i] != 1)
        for (u8 j = 0; j < i && first; ++j) first = factors[j] != factors[i];
      if (first) ++out;
    }
    return out;
  }
  constexpr u32 scaled(u32 base, i64 factor) const {
    if (factor == 1) return base;
    const u32 sources[2] = {base, owner->constant(type, factor).id};
    return owner->intern(op::MUL, type, {sources, 2});
  }
  // The normal form.
  constexpr uop build() const { return build({}); }
  // With one more term, which is in normal form.
  constexpr uop build(uop more) const {
    graph& g = *owner;
    u32 nodes[limit + 2]{};
    u8 n = 0;
    if (more.owner != nullptr) nodes[n++] = more.id;
    for (u8 i = 0; i < count; ++i) {
      const i64 factor = factors[i];
      if (factor == 0) continue;
      if (factor == 1) {
        insert_in_order(g, nodes, n, bases[i]);
        continue;
      }
      u32 group[limit]{bases[i]};
      u8 size = 1;
      bool first = true;
      for (u8 j = 0; j < count && first; ++j) {
        if (factors[j] != factor || j == i) continue;
        if (j < i) first = false;
        else insert_in_order(g, group, size, bases[j]);
      }
      if (first) insert_in_order(g, nodes, n, scaled(chain_of(g, op::ADD, type, group, size), factor));
    }
    if (constant != 0 || n == 0) nodes[n++] = owner->constant(type, constant).id;
    return {owner, chain_of(g, op::ADD, type, nodes, n)};
  }

  // The range of the sum from those of its bases; false where it is not known.
  constexpr bool range(i64& lo, i64& hi) const {
    lo = hi = constant;
    for (u8 i = 0; i < count; ++i) {
      if (factors[i] == 0) continue;
      const interval b = owner->at(bases[i]).bounds;
      i64 p = 0, q = 0;
      if (type.kind == scalar_kind::uint64 && (b.lo < 0 || b.hi < 0)) return false;
      if (!mul_checked(b.lo, factors[i], p) || !mul_checked(b.hi, factors[i], q)) return false;
      if (!add_checked(lo, p < q ? p : q, lo) || !add_checked(hi, p < q ? q : p, hi)) return false;
    }
    return true;
  }
  // Is the range known, and inside the dtype?
  constexpr bool fits(i64& lo, i64& hi) const {
    return range(lo, hi) && wrap(type.kind, lo) == lo && wrap(type.kind, hi) == hi;
  }
  constexpr bool negate() {
    for (u8 i = 0; i < count; ++i)
      if (!mul_checked(factors[i], -1, factors[i])) return false;
    return mul_checked(constant, -1, constant);
  }
};

// What quotients and remainders of one value add up to. All of it is true modulo 2^n.
struct quotient_joiner {
  term_list& terms;

  constexpr void run() {
    while (terms.quotients + terms.remainders > 0 && terms.count > 1 && step()) {}
  }

 private:
  struct division {
    bool ok = false;
    u32 value = 0;
    i64 by = 0;
  };
  // base as value / by or value % by, by > 1.
  constexpr division as(op code, u8 i) const {
    const graph& g = *terms.owner;
    const u32 base = terms.bases[i];
    if (terms.factors[i] == 0 || g.at(base).code != code) return {};
    const u32 by = g.source(base, 1);
    if (g.at(by).code != op::CONST || g.argument(by, 0) < 2) return {};
    return {true, g.source(base, 0), g.argument(by, 0)};
  }
  constexpr i64 product(i64 a, i64 b) const { return wrapping_mul(terms.type.kind, a, b); }

  constexpr bool step() {
    for (u8 i = 0; i < terms.count; ++i) {
      if (!terms.is_division(i)) continue;
      if (const division m = as(op::MOD, i); m.ok) {
        for (u8 j = 0; j < terms.count; ++j) {
          if (j == i || !terms.is_division(j)) continue;
          if (const division q = as(op::IDIV, j); q.ok && join(i, m, j, q)) return true;
          if (const division n = as(op::MOD, j); n.ok && join_digits(i, m, j, n)) return true;
        }
        // x * f - (x % c) * f is (x / c) * (c * f).
        if (take_away(m.value, product(terms.factors[i], -1), i, op::IDIV, m.by, product(terms.factors[i], product(m.by, -1)))) return true;
      }
      if (const division q = as(op::IDIV, i); q.ok) {
        // x * f - (x / c) * (c * f) is (x % c) * f.
        const i64 f = terms.factors[i] % q.by == 0 ? product(terms.factors[i] / q.by, -1) : 0;
        if (f != 0 && take_away(q.value, f, i, op::MOD, q.by, f)) return true;
        if (terms.quotients > 1 && unroll(i, q)) return true;
      }
    }
    return false;
  }
  // (x / c) * (c * f) + (x % c) * f is x * f; so it is with x / d for x where x / d / c is written x / (d * c).
  constexpr bool join(u8 i, division m, u8 j, division q) {
    if (terms.factors[j] != product(terms.factors[i], m.by)) return false;
    u32 whole = q.value;
    if (q.by != m.by || !same_remainder(q.value, m.value, m.by)) {
      const graph& g = *terms.owner;
      const span<const u32> sources = g.sources(m.value);
      i64 by = 0;
      if (g.at(m.value).code != op::IDIV || sources[0] != q.value || g.at(sources[1]).code != op::CONST) return false;
      if (g.argument(sources[1], 0) < 2 || !mul_checked(g.argument(sources[1], 0), m.by, by) || by != q.by) return false;
      whole = m.value;
    }
    const i64 factor = terms.factors[i];
    return replace(i, j, whole, factor);
  }
  // ((x / c) % d) * (c * f) + (x % c) * f is (x % (c * d)) * f.
  constexpr bool join_digits(u8 i, division high, u8 j, division low) {
    graph& g = *terms.owner;
    if (g.at(high.value).code != op::IDIV || terms.factors[i] != product(terms.factors[j], low.by)) return false;
    const span<const u32> sources = g.sources(high.value);
    if (g.at(sources[1]).code != op::CONST || g.argument(sources[1], 0) != low.by) return false;
    i64 by = 0;
    if (!mul_checked(high.by, low.by, by) || wrap(terms.type.kind, by) != by || by < 0) return false;
    if (!same_remainder(sources[0], low.value, low.by)) return false;
    const u32 parts[2] = {g.source(high.value, 0), g.constant(terms.type, by).id};
    const u32 whole = g.intern(op::MOD, terms.type, {parts, 2});
    return replace(i, j, whole, terms.factors[j]);
  }
  constexpr bool replace(u8 i, u8 j, u32 whole, i64 factor) {
    const term_list before = terms;
    terms.factors[i] = terms.factors[j] = 0;
    terms.merged = true;
    return terms.collect(whole, factor, false) || put_back(before);
  }
  // Is x % c the same as y % c? Where both have one sign and x - y is a multiple of c.
  constexpr bool same_remainder(u32 x, u32 y, i64 c) const {
    if (x == y) return true;
    graph& g = *terms.owner;
    const interval a = g.at(x).bounds, b = g.at(y).bounds;
    if (terms.type.kind == scalar_kind::uint64 || !((a.lo >= 0 && b.lo >= 0) || (a.hi <= 0 && b.hi <= 0))) return false;
    term_list difference(g, terms.type);
    if (!difference.collect(x, 1, true) || !difference.collect(y, -1, true) || difference.constant % c != 0) return false;
    for (u8 k = 0; k < difference.count; ++k)
      if (difference.factors[k] % c != 0) return false;
    return true;
  }
  // Where the sum holds x * f: takes it and term i away and puts in (x op by) * factor.
  constexpr bool take_away(u32 x, i64 f, u8 i, op code, i64 by, i64 factor) {
    graph& g = *terms.owner;
    term_list part(g, terms.type);
    if (g.at(x).code == op::ADD && terms.count < 3) return false;
    if (!part.collect(x, f, false) || part.count == 0) return false;
    u8 places[term_list::limit]{};
    bool taken = false;
    for (u8 k = 0; k < part.count; ++k) {
      u8 at = 0;
      while (at < terms.count && terms.bases[at] != part.bases[k]) ++at;
      if (at == terms.count || terms.factors[at] != part.factors[k] || at == i) return false;
      places[k] = at;
      taken = taken || part.factors[k] != 0;
    }
    if (!taken) return false;  // x * f is nothing: there would be no end of taking it
    const term_list before = terms;
    for (u8 k = 0; k < part.count; ++k) terms.factors[places[k]] = 0;
    terms.constant = wrapping_sub(terms.type.kind, terms.constant, part.constant);
    terms.factors[i] = 0;
    terms.merged = true;
    const u32 sources[2] = {x, g.constant(terms.type, by).id};
    return terms.add(g.intern(code, terms.type, {sources, 2}), factor, false) || put_back(before);
  }
  // (x + k) / c + … for k of every rest modulo c is x + …, where all dividends have one sign: what an unrolled loop leaves.
  // With the k from 0 to c - 1, quotients that are 0 may lack.
  constexpr bool unroll(u8 i, division first) {
    const graph& g = *terms.owner;
    const i64 c = first.by;
    i64 offset = 0;
    const u32 x = without_constant(first.value, offset);
    const interval b = g.at(x).bounds;
    if (c > 64 || (terms.type.kind == scalar_kind::uint64 && b.hi < 0)) return false;
    const bool above = g.at(first.value).bounds.lo >= 0;
    if (!above && is_unsigned(terms.type.kind)) return false;  // 2^63 or more, not negative
    u64 seen = 0;
    u8 places[term_list::limit]{}, found = 0;
    i64 shift = 0;
    bool as_usual = true;
    for (u8 j = 0; j < terms.count; ++j) {
      const division q = as(op::IDIV, j);
      if (!q.ok || q.by != c || terms.factors[j] != terms.factors[i] || without_constant(q.value, offset) != x || offset == min_value(scalar_kind::int64)) continue;
      const interval value = g.at(q.value).bounds;
      if ((above ? value.lo < 0 : value.hi > 0) || offset == min_value(scalar_kind::int64)) continue;
      const i64 whole = above ? floor_quotient(offset, c) : -floor_quotient(-offset, c);
      const u64 bit = u64{1} << (above ? floor_rest(offset, c) : floor_rest(-offset, c));
      if ((seen & bit) != 0 || !add_checked(shift, whole, shift)) continue;
      as_usual = as_usual && whole == 0;
      seen |= bit;
      places[found++] = j;
    }
    if (found < c) {
      if (!above || !as_usual || b.lo < 0 || found < (b.hi < c ? b.hi : c)) return false;
      for (i64 k = 0; k < c; ++k)
        if ((seen >> k & 1) == 0 && b.hi + k >= c) return false;
    }
    const i64 factor = terms.factors[i];
    const term_list before = terms;
    for (u8 k = 0; k < found; ++k) terms.factors[places[k]] = 0;
    terms.merged = true;
    terms.constant = wrapping_add(terms.type.kind, terms.constant, product(shift, factor));
    return terms.collect(x, factor, false) || put_back(before);
  }
  // There was no room for what should come in: nothing has changed.
  constexpr bool put_back(const term_list& before) {
    terms = before;
    return false;
  }
  constexpr u32 without_constant(u32 id, i64& offset) const {
    const graph& g = *terms.owner;
    offset = 0;
    if (g.at(id).code != op::ADD || g.at(id).may_wrap || g.at(g.source(id, 1)).code != op::CONST) return id;
    offset = g.argument(g.source(id, 1), 0);
    return g.source(id, 0);
  }
};

}  // namespace twill::detail
