// Operands of one associative op in their one normal form: a left-nested chain in canonical order, each operand once where
// the op is idempotent.
#pragma once

#include "twill/symbolic/terms.hpp"

namespace twill::detail {

struct operand_chain {
  static constexpr u8 limit = 16;
  graph& g;
  op code;
  dtype type;
  u32 operands[limit]{};
  u8 count = 0;
  bool none = false;  // the value is known: false for AND, true for OR

  constexpr operand_chain(graph& owner, op o, dtype t) : g(owner), code(o), type(t) {}

  constexpr bool collect(u32 root) {
    u32 stack[limit]{root};
    u8 top = 1;
    while (top > 0) {
      const u32 id = stack[--top];
      if (g.at(id).code == code) {
        if (top + 2 > limit) return false;
        stack[top++] = g.source(id, 1);
        stack[top++] = g.source(id, 0);
        continue;
      }
      if (!add(id)) return false;
    }
    return true;
  }
  constexpr bool add(u32 id) {
    for (u8 i = 0; i < count; ++i) {
      u32 one = 0;
      if (!joined(operands[i], id, one)) continue;
      // What two operands have become may go together with others.
      for (u8 k = i; k + 1 < count; ++k) operands[k] = operands[k + 1];
      --count;
      return none || add(one);
    }
    if (count == limit) return false;
    insert_in_order(g, operands, count, id);
    return true;
  }
  // Is left op right, of operands that are in normal form, in normal form? Looks at the last operands only, so that a long
  // chain costs no more than its length.
  constexpr bool is_normal(u32 left, u32 right) {
    if (g.at(right).code == code) return false;
    u32 next = left;
    for (u8 looked = 0; looked < limit; ++looked) {
      const bool nested = g.at(next).code == code;
      const u32 operand = nested ? g.source(next, 1) : next;
      u32 one = 0;
      if ((next == left && out_of_order(g, operand, right)) || joined(operand, right, one)) return false;
      if (!nested) break;
      next = g.source(next, 0);
    }
    return true;
  }
  constexpr uop build() const { return none ? uop{&g, g.constant(type, code == op::OR ? 1 : 0).id} : uop{&g, chain_of(g, code, type, operands, count)}; }

 private:
  // Are a and b one operand?
  constexpr bool joined(u32 a, u32 b, u32& out) {
    const bool idempotent = in_group(code, op_group::idempotent);
    if (a == b && idempotent) {
      out = a;
      return true;
    }
    const u32 sources[2] = {a, b};
    if (fold_constants(g, code, type, {sources, 2}, out)) return true;
    return is_bool(type) && (code == op::AND || code == op::OR) && (complements(a, b) || complements(b, a) || limits(a, b, out));
  }
  constexpr bool complements(u32 a, u32 b) {
    if (g.at(b).code != op::CMPNE || g.source(b, 0) != a || !uop(&g, g.source(b, 1)).is_constant(1)) return false;
    return none = true;
  }
  // x < c and x < d, x < c and d < x, and so on.
  constexpr bool limits(u32 a, u32 b, u32& out) {
    limit_of p = as_limit(a), q = as_limit(b);
    if (!p.ok || !q.ok || p.value != q.value) return false;
    if (p.upper == q.upper) {
      out = (p.c < q.c) == (p.upper == (code == op::AND)) ? a : b;
      return true;
    }
    if (!p.upper) {
      const limit_of swapped = p;
      p = q;
      q = swapped;
    }
    // x < p.c and q.c < x: no value where p.c - 1 <= q.c. x < p.c or q.c < x: every value where q.c < p.c.
    return none = code == op::AND ? p.c <= q.c || p.c - 1 <= q.c : q.c < p.c;
  }
  struct limit_of {
    bool ok = false, upper = false;
    u32 value = 0;
    i64 c = 0;
  };
  constexpr limit_of as_limit(u32 id) const {
    if (g.at(id).code != op::CMPLT) return {};
    const span<const u32> sources = g.sources(id);
    const node &a = g.at(sources[0]), &b = g.at(sources[1]);
    if (!is_integer(a.type) || a.type.kind == scalar_kind::uint64 || (a.code == op::CONST) == (b.code == op::CONST)) return {};
    if (b.code == op::CONST) return {true, true, sources[0], g.argument(sources[1], 0)};
    return {true, false, sources[1], g.argument(sources[0], 0)};
  }
};

// Procedural: it compares all operands of a chain, a pattern a fixed number.
constexpr uop normal_chain(const match& m, context&) {
  graph& g = *m.owner;
  const node& root = g.at(m.root_id);
  operand_chain chain(g, root.code, root.type);
  if (chain.is_normal(g.source(m.root_id, 0), g.source(m.root_id, 1))) return {};
  chain.none = false;
  if (!chain.collect(m.root_id)) return {};
  return chain.build();
}

namespace chain_rules {
using namespace twill::pattern;
constexpr term chain(op code) { return with(pattern::node(code, leaf(code), anything), order::tuple); }
inline constexpr auto set = rules(
    rewrite("normal form of a product", integers(chain(op::MUL)), normal_chain),             // (n * i) * m
    rewrite("normal form of and", integers_or_bools(chain(op::AND)), normal_chain),          // rand_neg/00481; the gates of a padded convolution
    rewrite("normal form of or", integers_or_bools(chain(op::OR)), normal_chain),
    rewrite("normal form of max", integers(chain(op::MAX)), normal_chain),                   // rand_neg/00417
    rewrite("normal form of min", integers(chain(op::MIN)), normal_chain));
}  // namespace chain_rules

}  // namespace twill::detail

namespace twill::symbolic_rules {
inline constexpr const auto& chain = detail::chain_rules::set;
}
