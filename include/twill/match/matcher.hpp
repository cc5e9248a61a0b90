// Matching one rule at one node: a loop over the pattern's tokens that goes back over the operand orders and the
// alternatives until all of the pattern and the guard hold. Fixed-size state, no allocation, no recursion.
#pragma once

#include "twill/ir/arithmetic.hpp"
#include "twill/match/rule.hpp"

namespace twill {

namespace detail {

// The position that place i has in the k-th permutation of n places, in lexicographic order.
constexpr u8 permuted(u8 n, u8 k, u8 i) {
  if (n == 2) return static_cast<u8>(i ^ k);
  u8 left[16]{};
  for (u8 j = 0; j < n; ++j) left[j] = j;
  u32 size = 1;
  for (u8 j = 2; j < n; ++j) size *= j;
  u32 rest = k;
  for (u8 j = 0;; ++j) {
    const u32 d = rest / size;
    rest %= size;
    if (j == i) return left[d];
    for (u32 m = d; m + 1 < n; ++m) left[m] = left[m + 1];
    if (n - 1 - j > 0) size /= static_cast<u32>(n - 1 - j);
  }
}

// An integer that is known, or not: the value of a guard. Arithmetic is checked: what overflows is not known.
struct known {
  i64 value;
  bool ok;
};
constexpr known known_of(scalar_kind k, i64 word) {
  return {word, (is_integer(k) || is_bool(k)) && !(k == scalar_kind::uint64 && word < 0)};
}
constexpr known checked(op code, known a, known b) {
  // Kleene's logic: one false operand decides an AND whatever is known of the other.
  if (code == op::AND) {
    if ((a.ok && a.value == 0) || (b.ok && b.value == 0)) return {0, true};
    return {1, a.ok && b.ok};
  }
  if (code == op::OR) {
    if ((a.ok && a.value != 0) || (b.ok && b.value != 0)) return {1, true};
    return {0, a.ok && b.ok};
  }
  if (!a.ok || !b.ok) return {};
  known out{0, true};
  const bool least_by_minus_one = b.value == -1 && a.value == min_value(scalar_kind::int64);
  switch (code) {
    case op::ADD: out.ok = !__builtin_add_overflow(a.value, b.value, &out.value); break;
    case op::MUL: out.ok = !__builtin_mul_overflow(a.value, b.value, &out.value); break;
    case op::IDIV: out.ok = b.value != 0 && !least_by_minus_one; if (out.ok) out.value = a.value / b.value; break;
    case op::MOD: out.ok = b.value != 0 && !least_by_minus_one; if (out.ok) out.value = a.value % b.value; break;
    case op::CMPLT: out.value = a.value < b.value; break;
    case op::CMPNE: out.value = a.value != b.value; break;
    case op::MAX: out.value = a.value < b.value ? b.value : a.value; break;
    case op::MIN: out.value = a.value < b.value ? a.value : b.value; break;
    default: out.ok = false;
  }
  return out;
}
constexpr known greatest_common_divisor(known a, known b) {
  if (!a.ok || !b.ok || a.value == min_value(scalar_kind::int64) || b.value == min_value(scalar_kind::int64)) return {};
  i64 p = a.value < 0 ? -a.value : a.value, q = b.value < 0 ? -b.value : b.value;
  while (q != 0) {
    const i64 r = p % q;
    p = q;
    q = r;
  }
  return {p, true};
}

// The value of one number token whose operands (the first on top) stand on the stack.
constexpr void compute(const token& t, const match& m, known* stack, int& top) {
  const auto pop = [&] { return stack[--top]; };
  switch (t.what) {
    case part::literal: stack[top++] = {t.value, true}; break;
    case part::low: case part::high: {
      const node& n = m.owner->at(m.names[t.name - 1]);
      stack[top - 1] = known_of(n.type.kind, t.what == part::low ? n.bounds.lo : n.bounds.hi);
      // An unsigned 64-bit range that passes the middle has a lower bound that is known and an upper one that is not.
      break;
    }
    case part::any: case part::constant: {
      const u32 id = m.names[t.name - 1];
      const node& n = m.owner->at(id);
      stack[top++] = n.code == op::CONST ? known_of(n.type.kind, m.owner->argument(id, 0)) : known{};
      break;
    }
    case part::divisor: {
      const known a = pop(), b = pop();
      stack[top++] = greatest_common_divisor(a, b);
      break;
    }
    case part::operation: {
      const known a = pop(), b = t.count == 2 ? pop() : known{};
      stack[top++] = checked(t.code, a, b);
      break;
    }
    default: break;
  }
}

}  // namespace detail

// The matches of one rule at one node, one after the other: while (s.next()) use(s.found).
class search {
 public:
  constexpr search(const rule_view& set, const rule& r, graph& g, u32 root) : search(set, r, g, root, 0, r.choices > 0 ? r.radix[0] : u8{1}) {}
  // Only the orders of the root's operands from first up to last: 0 as they stand, 1 the two swapped. canonical: do all
  // operands below the root stand in canonical order?
  constexpr search(const rule_view& set, const rule& r, graph& g, u32 root, u8 first, u8 last, bool canonical = false)
      : rule_(r), tokens_(set.tokens + r.first), graph_(g), first_(first), last_(last), settled_(canonical ? r.settled : u8{0}) {
    found.owner = &g;
    found.root_id = root;
    for (u8 c = 0; c < r.choices; ++c) digits_[c] = 0;
    digits_[0] = first;
  }

  match found;

  constexpr bool next() {
    const u8 left = rule_.left;
    if (started_ && !back(left)) return false;
    started_ = true;
    while (true) {
      while (place_ < left)
        if (!step(tokens_[place_]) && !back(place_)) return false;
      if (holds()) return true;
      if (!back(left)) return false;
    }
  }

 private:
  // Tries token place_; on success moves on.
  constexpr bool step(const token& t) {
    u32 id = found.root_id;
    if (place_ > 0) {
      const token& parent = tokens_[t.parent];
      if (parent.sources == order::each || parent.what == part::alternatives) return step_aside(t, parent);
      size_t position = t.position;
      if (parent.choice != 0) {
        const u8 digit = digits_[parent.choice - 1];
        position = parent.count == 2 ? position ^ digit : detail::permuted(parent.count, digit, t.position);
      }
      id = graph_.source(at_[t.parent], position);
    }
    if (!fits(t, id)) return false;
    at_[place_++] = id;
    return true;
  }
  // The rarer ways to stand under a parent: as one of its alternatives, or for each of its sources.
  constexpr bool step_aside(const token& t, const token& parent) {
    if (parent.what == part::alternatives) {
      if (digits_[parent.choice - 1] != t.position) {
        for (const u8 end = t.end; place_ < end;) at_[place_++] = nowhere;
        return true;
      }
      const u32 id = at_[t.parent];
      if (!fits(t, id)) return false;
      at_[place_++] = id;
      return true;
    }
    for (const u32 s : graph_.sources(at_[t.parent]))
      if (!fits(t, s)) return false;
    at_[place_++] = nowhere;
    return true;
  }
  constexpr bool fits(const token& t, u32 id) {
    const node& n = graph_.at(id);
    if (t.what == part::operation) {
      if (n.code != t.code) return false;
      if (t.sources <= order::permutation ? n.source_count != t.count : (t.sources == order::prefix && n.source_count < t.count)) return false;
    } else if (t.what != part::any && !fits_rarely(t, n, id)) {
      return false;
    }
    if (t.types != kinds::all && ((t.types >> static_cast<unsigned>(n.type.kind)) & 1) == 0) return false;
    if (t.one_value && n.bounds.lo != n.bounds.hi) return false;
    if (t.name != 0) {
      u32& bound = found.names[t.name - 1];
      if (t.binds) bound = id;
      else if (bound != id) return false;
    }
    return true;
  }
  constexpr bool fits_rarely(const token& t, const node& n, u32 id) const {
    switch (t.what) {
      case part::any_alu: return is_alu(n.code) || n.code == op::CAST || n.code == op::BITCAST;
      case part::alternatives: return true;
      case part::operation_set: {
        const u32 code = static_cast<u32>(n.code), set = static_cast<u32>(t.value);
        if (code != (set & 255) && code != ((set >> 8) & 255) && code != ((set >> 16) & 255) && code != (set >> 24)) return false;
        return t.sources <= order::permutation ? n.source_count == t.count : t.sources != order::prefix || n.source_count >= t.count;
      }
      case part::constant: return n.code == op::CONST;
      default: return n.code == op::CONST && equals(t, n, graph_.argument(id, 0));
    }
  }
  static constexpr bool equals(const token& t, const node& n, i64 word) {
    if (t.what == part::literal) {
      if (is_float(n.type)) return double_of(word) == static_cast<double>(t.value);
      return word == (is_unsigned(n.type) ? wrap(n.type.kind, t.value) : t.value);
    }
    if (!is_float(n.type)) return false;
    const double value = static_cast<double>(__builtin_bit_cast(float, t.value));
    return t.what == part::exact_real ? word == word_of(value) : double_of(word) == value;
  }
  // Moves the last choice before `failed` on; false when there is none left.
  constexpr bool back(u8 failed) {
    for (int c = rule_.choices; c-- > 0;) {
      if (rule_.choice_at[c] >= failed || (settled_ >> c & 1) != 0) continue;
      if (at_[rule_.choice_at[c]] == nowhere) continue;
      if (++digits_[c] < (c == 0 ? last_ : rule_.radix[c])) {
        place_ = static_cast<u8>(rule_.choice_at[c] + 1);
        return true;
      }
      digits_[c] = c == 0 ? first_ : u8{0};
    }
    return false;
  }
  constexpr bool holds() const {
    if (rule_.kind == rule_kind::ordered && !nothing_overflows()) return false;
    if (rule_.test && !rule_.test(found)) return false;
    if (rule_.guard == 0) return true;
    detail::known stack[pattern::capacity];
    int top = 0;
    const token* guard = tokens_ + rule_.left + rule_.right;
    for (u8 i = rule_.guard; i-- > 0;) detail::compute(guard[i], found, stack, top);
    return stack[0].ok && stack[0].value != 0;
  }
  constexpr bool nothing_overflows() const {
    for (u32 left = rule_.overflowing; left != 0; left &= left - 1) {
      const u32 id = at_[__builtin_ctz(left)];
      if (id != nowhere && graph_.at(id).may_wrap) return false;
    }
    return true;
  }

 private:
  static constexpr u32 nowhere = ~u32{0};  // in an alternative that is not tried
  const rule& rule_;
  const token* tokens_;
  graph& graph_;
  u32 at_[max_pattern];
  u8 digits_[max_choices];
  u8 first_, last_, settled_;
  u8 place_ = 0;
  bool started_ = false;
};

}  // namespace twill
