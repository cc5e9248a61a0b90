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
  i64 value = 0;
  bool ok = false;
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
      stack[top++] = n.code == op::CONST ? known_of(n.type.kind, m.owner->arguments(id)[0]) : known{};
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
  constexpr search(const rule_view& set, const rule& r, graph& g, u32 root) : rule_(r), tokens_(set.tokens + r.first), graph_(g) {
    found.owner = &g;
    found.root_id = root;
  }

  match found{};

  constexpr bool next() {
    const u8 left = rule_.left;
    if (started_) {
      if (!back(left)) return false;
    }
    started_ = true;
    while (true) {
      while (place_ < left) {
        if (step(tokens_[place_])) continue;
        if (!back(place_)) return false;
      }
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
      if (parent.what == part::alternatives) {
        if (digits_[parent.choice - 1] != t.position) {
          for (const u8 end = t.end; place_ < end;) at_[place_++] = nowhere;
          return true;
        }
        id = at_[t.parent];
      } else {
        const span<const u32> sources = graph_.sources(at_[t.parent]);
        if (parent.sources == order::each) {
          for (const u32 s : sources)
            if (!fits(t, s)) return false;
          at_[place_++] = nowhere;
          return true;
        }
        id = sources[parent.choice != 0 ? detail::permuted(parent.count, digits_[parent.choice - 1], t.position) : t.position];
      }
    }
    if (!fits(t, id)) return false;
    at_[place_++] = id;
    return true;
  }
  constexpr bool fits(const token& t, u32 id) {
    const node& n = graph_.at(id);
    switch (t.what) {
      case part::any: case part::alternatives: break;
      case part::operation:
        if (n.code != t.code) return false;
        break;
      case part::any_alu:
        if (!is_alu(n.code) && n.code != op::CAST && n.code != op::BITCAST) return false;
        break;
      case part::operation_set: {
        const u32 code = static_cast<u32>(n.code), set = static_cast<u32>(t.value);
        if (code != (set & 255) && code != ((set >> 8) & 255) && code != ((set >> 16) & 255) && code != (set >> 24)) return false;
        break;
      }
      default:
        if (n.code != op::CONST || !equals(t, n, graph_.arguments(id)[0])) return false;
    }
    if (t.types != kinds::all && ((t.types >> static_cast<unsigned>(n.type.kind)) & 1) == 0) return false;
    if (t.what == part::operation || t.what == part::operation_set) {
      if (t.sources <= order::permutation ? n.source_count != t.count : (t.sources == order::prefix && n.source_count < t.count)) return false;
    }
    if (t.name != 0) {
      u32& bound = found.names[t.name - 1];
      if (t.binds) bound = id;
      else if (bound != id) return false;
    }
    return true;
  }
  static constexpr bool equals(const token& t, const node& n, i64 word) {
    if (t.what == part::constant) return true;
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
      if (rule_.choice_at[c] >= failed) continue;
      if (at_[rule_.choice_at[c]] == nowhere) continue;
      if (++digits_[c] < rule_.radix[c]) {
        place_ = static_cast<u8>(rule_.choice_at[c] + 1);
        return true;
      }
      digits_[c] = 0;
    }
    return false;
  }
  constexpr bool holds() const {
    if (rule_.kind == rule_kind::ordered && !nothing_overflows()) return false;
    if (rule_.test && !rule_.test(found)) return false;
    if (rule_.guard == 0) return true;
    detail::known stack[pattern::capacity]{};
    int top = 0;
    const token* guard = tokens_ + rule_.left + rule_.right;
    for (u8 i = rule_.guard; i-- > 0;) detail::compute(guard[i], found, stack, top);
    return stack[0].ok && stack[0].value != 0;
  }
  constexpr bool nothing_overflows() const {
    for (u8 i = 0; i < rule_.left; ++i)
      if (tokens_[i].what == part::operation && at_[i] != nowhere && may_overflow(graph_, tokens_[i].code, at_[i])) return false;
    return true;
  }

 public:
  // Can this node's exact value lie outside its dtype? A bound that overflows is the full range.
  static constexpr bool may_overflow(const graph& g, op code, u32 id) {
    if (code != op::ADD && code != op::MUL && code != op::SUB && code != op::NEG && code != op::SHL && code != op::MULACC) return false;
    const node& n = g.at(id);
    return is_integer(n.type) && n.bounds == full_range(n.type);
  }

 private:
  static constexpr u32 nowhere = ~u32{0};  // in an alternative that is not tried
  const rule& rule_;
  const token* tokens_;
  graph& graph_;
  u32 at_[max_pattern]{};
  u8 digits_[max_choices]{};
  u8 place_ = 0;
  bool started_ = false;
};

}  // namespace twill
