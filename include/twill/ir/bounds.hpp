// Bounds of a node from the bounds of its sources, computed once when the node is interned.
#pragma once

#include "twill/ir/interval.hpp"
#include "twill/ir/ops.hpp"

namespace twill {

// type: the node's; source_type: its first source's; sources: bounds of the first three. A bound that overflows becomes
// the full range of the dtype.
constexpr interval infer_bounds(op code, dtype type, dtype source_type, span<const interval> sources, span<const i64> arguments) {
  (void)source_type;
  if (code == op::CONST && !is_float(type)) return {arguments[0], arguments[0]};
  if (code == op::DEFINE_VAR) return {arguments[0], arguments[1]};
  if (is_float(type) || type.kind == scalar_kind::void_) return {};
  (void)sources;
  return full_range(type);
}

}  // namespace twill
