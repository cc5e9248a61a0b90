// The rules of tensor graphs and of kernel trees, as specs: the patterns that rewrite graphs also verify them.
#pragma once

#include "twill/match/spec.hpp"
#include "twill/schedule/kernel_tree.hpp"

namespace twill {

namespace detail {

constexpr bool right_leaf(const match& m) { return m.root().source_count() == 0 && !m.root().type().is_pointer(); }
constexpr bool right_constant(const match& m) { return m.root().source_count() == 0 && m.root().argument_count() == 1; }
constexpr bool right_movement(const match& m) { return m.root().source_count() == 1 && m.root().source(0).type() == m.root().type(); }
constexpr bool reduces_by_known_op(const match& m) {
  const uop u = m.root();
  if (u.source_count() != 1 || u.argument_count() < 2 || !(u.source(0).type() == u.type())) return false;
  const op by = static_cast<op>(u.argument(0));
  return by == op::ADD || by == op::MUL || by == op::MAX || by == op::MIN || by == op::AND || by == op::OR || by == op::XOR;
}
constexpr bool right_load(const match& m) { return m.root().source_count() == 0 && m.root().argument_count() == 2; }
constexpr bool right_view_leaf(const match& m) { return m.root().source_count() == 0 && m.root().argument_count() == 1; }
constexpr bool right_store(const match& m) { return m.root().source_count() == 1 && m.root().argument_count() == 2 && m.root().type() == void_type; }

namespace schedule_spec_rules {
using namespace twill::pattern;
inline constexpr auto tensors = rules(
    accept("argument", leaf(op::BUFFER), right_leaf),
    accept("positions", leaf(op::IOTA), right_view_leaf),
    accept("constant", leaf(op::CONST), right_constant),
    accept("reduction", leaf(op::REDUCE_AXIS), reduces_by_known_op),
    accept("reshape", leaf(op::RESHAPE), right_movement),
    accept("permute", leaf(op::PERMUTE), right_movement),
    accept("expand", leaf(op::EXPAND), right_movement),
    accept("pad", leaf(op::PAD), right_movement),
    accept("shrink", leaf(op::SHRINK), right_movement),
    accept("flip", leaf(op::FLIP), right_movement),
    accept("realized", leaf(op::CONTIGUOUS), right_movement));
inline constexpr auto kernels = rules(
    accept("load", leaf(op::LOAD), right_load),
    accept("position", leaf(op::IOTA), right_view_leaf),
    accept("validity", leaf(op::VALID), right_view_leaf),
    accept("constant", leaf(op::CONST), right_constant),
    accept("reduction", leaf(op::REDUCE_AXIS), reduces_by_known_op),
    accept("store", leaf(op::STORE), right_store));
}  // namespace schedule_spec_rules

constexpr void raise_violation(text_view stage, const violation& v) {
  if (v.ok()) return;
  text message(stage);
  message << ": " << v.why;
  raise<graph_error>(message);
}

}  // namespace detail

// What holds of a tensor graph (tensor/record.hpp) and of a kernel's expressions (schedule/kernel_tree.hpp), beside alu_spec.
inline constexpr const auto& tensor_spec = detail::schedule_spec_rules::tensors;
inline constexpr const auto& kernel_spec = detail::schedule_spec_rules::kernels;

// Raises graph_error for the first node that breaks a rule.
constexpr void verify_tensors(const graph& tensors, span<const u32> outputs) {
  graph& g = const_cast<graph&>(tensors);  // a uop names its graph; nothing is added to it
  for (const u32 o : outputs) {
    detail::raise_violation("tensor graph", verify(uop(&g, o), tensor_spec));
    detail::raise_violation("tensor graph", verify(uop(&g, o), alu_spec));
  }
}
constexpr void verify_tree(kernel_tree& k) {
  for (const stage& s : k.stages)
    for (const u32 r : s.roots) {
      detail::raise_violation("kernel", verify(uop(&k.nodes, r), kernel_spec));
      detail::raise_violation("kernel", verify(uop(&k.nodes, r), alu_spec));
    }
}

}  // namespace twill
