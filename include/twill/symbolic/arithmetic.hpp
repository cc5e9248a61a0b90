// Sums and products of integers: the normal form of a sum, constants together. True modulo 2^n, so they need no bounds.
#pragma once

#include "twill/symbolic/terms.hpp"

namespace twill {

namespace detail {

// A sum that is not in its normal form (terms.hpp). Procedural: it compares all terms of a sum, a pattern a fixed number.
constexpr uop normal_sum(const match& m, context&) {
  graph& g = *m.owner;
  const u32 l = g.source(m.root_id, 0), r = g.source(m.root_id, 1);
  const node &left = g.at(l), &right = g.at(r);
  bool in_order = right.code != op::ADD;
  if (in_order) {
    const u32 last = left.code == op::ADD ? g.source(l, 1) : l;
    if (right.code == op::CONST) {
      if (g.at(last).code != op::CONST) return {};  // sum + constant: the usual case
      in_order = false;
    } else {
      in_order = !out_of_order(g, last, r);
    }
  }
  term_list terms(g, m.root().type());
  if (!terms.collect(m.root_id, 1, false)) return {};
  const bool normal = in_order && !terms.merged && terms.normal_operands() == terms.operands;
  quotient_joiner{terms}.run();
  if (normal && !terms.merged) return {};
  const uop out = terms.build();
  // The order of the terms decides whether a part of the sum may overflow.
  if (out.is(op::ADD) && g.at(out.id).may_wrap && !g.at(m.root_id).may_wrap) return {};
  return out;
}
// (… + x * c + …) * d. A sum of bases alone stays: (a + b) * d.
constexpr uop distributed(const match& m, context&) {
  graph& g = *m.owner;
  u32 id = g.source(m.root_id, 0);
  bool alone = true;
  for (u8 looked = 0; alone; ++looked) {
    if (looked > term_list::limit) return {};  // too many terms for a list
    const bool nested = g.at(id).code == op::ADD;
    const u32 term = nested ? g.source(id, 1) : id;
    const op code = g.at(term).code;
    alone = code != op::CONST && code != op::ADD && !(code == op::MUL && g.at(g.source(term, 1)).code == op::CONST);
    if (!nested) break;
    id = g.source(id, 0);
  }
  if (alone) return {};
  term_list terms(g, m.root().type());
  if (!terms.collect(m.root_id, 1, false)) return {};
  const uop out = terms.build();
  if (out.is(op::ADD) && g.at(out.id).may_wrap && !g.at(m.root_id).may_wrap) return {};
  return out;
}

namespace arithmetic_rules {
using namespace twill::pattern;
inline constexpr auto set = rules(
    rewrite("normal form of a sum", integers(leaf(op::ADD)), normal_sum),            // (a + b + c) + (a * 3 + d)
    rewrite("(x + y) * c", integers(with(pattern::node(op::MUL, leaf(op::ADD), any_constant), order::tuple)), distributed),  // (i * 4 + j) * 8
    rewrite("x ^ c ^ d", integers(x) ^ c0 ^ c1, x ^ (c0 ^ c1)),
    rewrite("where(c, a, b) + d", where(w, c0, c1) + c2, where(w, c0 + c2, c1 + c2)),
    rewrite("where(c, a, b) * d", where(w, c0, c1) * c2, where(w, c0 * c2, c1 * c2)));
}  // namespace arithmetic_rules
}  // namespace detail

namespace symbolic_rules {
inline constexpr const auto& arithmetic = detail::arithmetic_rules::set;
}

}  // namespace twill
