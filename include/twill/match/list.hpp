// Rules as text: name, algebra, and where each was written.
#pragma once

#include "twill/ir/arithmetic.hpp"
#include "twill/match/rule.hpp"

namespace twill {

namespace detail {

constexpr bool is_not(const token* t) {
  return t->what == part::operation && t->code == op::CMPNE && t->count == 2;
}
constexpr const char* slot_name(u8 name) {
  constexpr const char* names[] = {"_", "x", "y", "z", "w", "c0", "c1", "c2", "c3", "?", "?"};
  return names[name];
}
constexpr void print_leaf(text& out, const token& t) {
  switch (t.what) {
    case part::any: case part::constant:
      if (t.name == 0 && t.what == part::constant) out << "const";
      else out << slot_name(t.name);
      break;
    case part::literal:
      if (t.types == kinds::boolean) out << (t.value != 0 ? "true" : "false");
      else out << t.value;
      break;
    case part::real: case part::exact_real: {
      const double value = static_cast<double>(__builtin_bit_cast(float, t.value));
      if (!(value - value == 0)) {
        out << (value < 0 ? "-inf" : value > 0 ? "inf" : "nan");
        break;
      }
      const i64 whole = static_cast<i64>(value);
      if (value <= 0 && whole == 0 && __builtin_bit_cast(i64, value) < 0) out << '-';
      out << whole << (static_cast<double>(whole) == value ? ".0" : "…");
      break;
    }
    case part::any_alu: out << "alu(…)"; break;
    default:
      out << name(t.code);
      if (t.sources == order::unchecked) out << "(…)";
  }
}
constexpr const char* types_suffix(u16 types) {
  switch (types) {
    case kinds::all: return "";
    case kinds::integer: return ":int";
    case kinds::signed_integer: return ":signed";
    case kinds::floating: return ":float";
    case kinds::boolean: return ":bool";
    case kinds::integer | kinds::boolean: return ":int|bool";
    default: return ":…";
  }
}

// One pass over the tokens; the open ones stand on a stack.
constexpr void print_pattern(text& out, const token* tokens, u8 size) {
  struct frame {
    u8 at = 0, seen = 0;
    bool infix = false, parenthesis = false, negation = false;
  };
  frame open[pattern::capacity]{};
  int depth = 0;
  for (u8 i = 0; i < size; ++i) {
    const token& t = tokens[i];
    if (depth > 0) {
      frame& f = open[depth - 1];
      if (f.seen > 0 && f.infix && !f.negation) out << ' ' << traits(tokens[f.at].code).spelling << ' ';
      else if (f.seen > 0 && !f.infix) out << ", ";
      ++f.seen;
    }
    if (t.count == 0) {
      const bool hidden = depth > 0 && open[depth - 1].negation && open[depth - 1].seen == 2;
      if (!hidden) {
        print_leaf(out, t);
        if (t.what != part::literal && t.what != part::real && t.what != part::exact_real) out << types_suffix(t.types);
      }
    } else {
      frame f{i, 0};
      const op_traits& tr = traits(t.code);
      f.infix = t.what == part::operation && t.count == 2 && t.code != op::MAX && t.code != op::MIN && tr.spelling[0] != '\0' && tr.arity == 2 && !(tr.spelling[0] >= 'a' && tr.spelling[0] <= 'z');
      if (t.name != 0 && t.what == part::operation) out << slot_name(t.name) << ": ";
      if (f.infix) {
        // CMPNE with true, the last token below it, is a negation.
        u8 second = static_cast<u8>(i + 1);
        for (u8 pending = 1; pending > 0; ++second) pending = static_cast<u8>(pending - 1 + tokens[second].count);
        f.negation = is_not(&t) && tokens[second].what == part::literal && tokens[second].types == kinds::boolean && tokens[second].value == 1;
        f.parenthesis = depth > 0 && !f.negation && (open[depth - 1].infix || open[depth - 1].negation);
        if (f.negation) out << '!';
        if (f.parenthesis) out << '(';
      } else {
        switch (t.what) {
          case part::fold: out << "fold("; break;
          case part::low: out << "lo("; break;
          case part::high: out << "hi("; break;
          case part::divisor: out << "gcd("; break;
          case part::alternatives: out << "any_of("; break;
          case part::any_alu: out << "alu("; break;
          case part::operation_set: out << name(t.code) << "|…("; break;
          default: out << (t.code == op::MAX || t.code == op::MIN ? tr.spelling : name(t.code)) << '(';
        }
      }
      open[depth++] = f;
      continue;
    }
    while (depth > 0 && open[depth - 1].seen == tokens[open[depth - 1].at].count) {
      const frame& f = open[--depth];
      if (f.parenthesis || !f.infix) out << ')';
      out << types_suffix(tokens[f.at].types);
    }
  }
}

}  // namespace detail

struct rule_info {
  text_view name;
  class text text;  // x / c0 / c1 -> x / fold(c0 * c1) if c0 > 0 & c1 > 0
  const char* file = "";
  int line = 0;
};

constexpr text rule_text(const rule_view& set, const rule& r) {
  text out;
  const token* tokens = set.tokens + r.first;
  detail::print_pattern(out, tokens, r.left);
  out << " -> ";
  if (r.act) out << "(computed)";
  else detail::print_pattern(out, tokens + r.left, r.right);
  if (r.guard != 0) {
    out << " if ";
    detail::print_pattern(out, tokens + r.left + r.right, r.guard);
  } else if (r.test) {
    out << " if (computed)";
  }
  return out;
}
// The rules of a set in their order.
template <size_t N>
constexpr vector<rule_info> list(const rule_set<N>& set) {
  vector<rule_info> out;
  out.reserve(N);
  const rule_view view = set.view();
  for (const rule& r : set.rules) out.push_back({r.name, rule_text(view, r), r.file, r.line});
  return out;
}

}  // namespace twill
