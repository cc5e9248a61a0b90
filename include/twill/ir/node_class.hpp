// A coarse kind of node, one of 64: its op, and of constants whether they are 0, 1 or -1. Kept in every node, so that rules
// which cannot match are passed over by looking at a few of these.
#pragma once

#include "twill/base/span.hpp"
#include "twill/ir/constant.hpp"
#include "twill/ir/ops.hpp"

namespace twill {

namespace node_class {
inline constexpr u8 none = 0;  // of a source that is not there
inline constexpr u8 constant = 60, zero = 61, one = 62, minus_one = 63;
inline constexpr u8 count = 64;
// Two ops may share a class: it only ever rules out.
constexpr u8 of(op code) { return static_cast<u8>(1u + static_cast<unsigned>(code) % 59u); }
constexpr u8 of_value(i64 value) { return value == 0 ? zero : value == 1 ? one : value == -1 ? minus_one : constant; }
constexpr u8 of_value(double value) { return value == 0 ? zero : value == 1 ? one : value == -1 ? minus_one : constant; }
constexpr u8 of(op code, dtype type, span<const i64> arguments) {
  if (code != op::CONST) return of(code);
  if (is_float(type)) return of_value(double_of(arguments[0]));
  // The greatest unsigned number is what -1 wraps to.
  return is_unsigned(type) && arguments[0] == max_value(type.kind) ? minus_one : of_value(arguments[0]);
}
}  // namespace node_class

}  // namespace twill
