// Verifying graphs with the same patterns that rewrite them: a node is right when some rule of the spec accepts it.
#pragma once

#include "twill/match/matcher.hpp"

namespace twill {

// The first node that no rule accepts; node is empty when all are right.
struct violation {
  uop node;
  text why;
  constexpr bool ok() const { return node.owner == nullptr; }
};

// A rule of a spec: its right side is `true`, its guard says when the node is right.
consteval rule_source accept(const char* name, const pattern::term& left, const pattern::term& guard = pattern::always,
                             const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  return detail::make_rule(name, left, true, nullptr, guard, nullptr, file, line).as(rule_kind::ring);
}
template <detail::guarding G>
consteval rule_source accept(const char* name, const pattern::term& left, G guard, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  return detail::make_rule(name, left, true, nullptr, {}, static_cast<predicate>(guard), file, line).as(rule_kind::ring);
}

// Checks every node below the roots in order; nodes of ops that the spec does not mention are its caller's business.
template <size_t N>
constexpr violation verify(span<const uop> roots, const rule_set<N>& spec) {
  if (roots.empty()) return {};
  graph& g = *roots[0].owner;
  vector<u32> ids;
  for (const uop& r : roots) ids.push_back(r.id);
  const rule_view view = spec.view();
  for (const u32 id : toposort(g, ids)) {
    const size_t code = static_cast<size_t>(g.at(id).code);
    bool mentioned = false, right = false;
    for (size_t i = 0; i < N && !right; ++i) {
      if (code >= op_limit || (view.dispatch.roots[code * view.dispatch.words + i / 64] >> (i % 64) & 1) == 0) continue;
      mentioned = true;
      search s(view, view.rules[i], g, id);
      right = s.next();
    }
    if (!mentioned || right) continue;
    text why(name(g.at(id).code));
    why << " of dtype " << to_text(g.at(id).type) << " with sources of";
    for (const u32 s : g.sources(id)) why << ' ' << to_text(g.at(s).type);
    return {{&g, id}, why << " is not well-formed"};
  }
  return {};
}
template <size_t N>
constexpr violation verify(uop root, const rule_set<N>& spec) {
  return verify(span<const uop>(&root, 1), spec);
}

namespace detail {
constexpr bool sources_like_node(const match& m) {
  const uop u = m.root();
  for (size_t i = 0; i < u.source_count(); ++i)
    if (!(u.source(i).type() == u.type())) return false;
  return static_cast<int>(u.source_count()) == traits(u.code()).arity && !u.type().is_pointer() && u.type().kind != scalar_kind::void_;
}
constexpr bool right_comparison(const match& m) {
  const uop u = m.root();
  return u.source_count() == 2 && is_bool(u.type()) && u.source(0).type() == u.source(1).type() && u.type().lanes == u.source(0).type().lanes;
}
constexpr bool right_where(const match& m) {
  const uop u = m.root();
  return u.source_count() == 3 && is_bool(u.source(0).type()) && u.source(1).type() == u.type() && u.source(2).type() == u.type();
}
constexpr bool right_shift(const match& m) {
  const uop u = m.root();
  return u.source_count() == 2 && u.source(0).type() == u.type() && is_integer(u.type()) && is_integer(u.source(1).type());
}
constexpr bool right_cast(const match& m) {
  const uop u = m.root();
  return u.source_count() == 1 && u.type().lanes == u.source(0).type().lanes;
}
constexpr bool right_bitcast(const match& m) {
  const uop u = m.root();
  return u.source_count() == 1 && byte_size(u.type()) == byte_size(u.source(0).type());
}
namespace alu_spec_rules {
using namespace twill::pattern;
inline constexpr auto set = rules(
    accept("comparison", with(pattern::node(op_set{{op::CMPLT, op::CMPNE}}), order::unchecked), right_comparison),
    accept("where", leaf(op::WHERE), right_where),
    accept("shift", with(pattern::node(op_set{{op::SHL, op::SHR}}), order::unchecked), right_shift),
    accept("cast", leaf(op::CAST), right_cast),
    accept("bitcast", leaf(op::BITCAST), right_bitcast),
    accept("integer division", with(integers_or_bools(pattern::node(op_set{{op::IDIV, op::FLOORDIV}})), order::unchecked), sources_like_node),
    accept("float division", with(floats(pattern::node(op_set{{op::FDIV, op::RECIP}})), order::unchecked), sources_like_node),
    accept("arithmetic", with(pattern::node(op_set{{op::ADD, op::MUL, op::MAX, op::MIN}}), order::unchecked), sources_like_node),
    accept("difference", with(pattern::node(op_set{{op::SUB, op::NEG, op::MULACC, op::POW}}), order::unchecked), sources_like_node),
    accept("remainder", with(pattern::node(op_set{{op::MOD, op::FLOORMOD}}), order::unchecked), sources_like_node),
    accept("bitwise", with(integers_or_bools(pattern::node(op_set{{op::AND, op::OR, op::XOR}})), order::unchecked), sources_like_node),
    accept("elementary", with(floats(pattern::node(op_set{{op::EXP, op::EXP2, op::LOG, op::LOG2}})), order::unchecked), sources_like_node),
    accept("root, sine, tanh", with(floats(pattern::node(op_set{{op::SQRT, op::SIN, op::TANH}})), order::unchecked), sources_like_node));
}  // namespace alu_spec_rules
}  // namespace detail

// What holds of ALU nodes at every stage: operands of one dtype, bool comparisons and conditions, integer shifts.
inline constexpr const auto& alu_spec = detail::alu_spec_rules::set;

}  // namespace twill
