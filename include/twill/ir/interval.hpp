// Integer intervals: what is known of a node's value.
#pragma once

#include "twill/ir/constant.hpp"

namespace twill {

// lo <= value <= hi, in the order of the node's own dtype: uint64 bounds are bit patterns. Those of a float are constant words
// (ir/constant.hpp), say that the value is no NaN, and compare by value: -0.0 is within [0.0, 1.0]. {0, 0} says nothing of a
// float: its value may be NaN.
struct interval {
  i64 lo = 0;
  i64 hi = 0;
  friend constexpr bool operator==(const interval&, const interval&) = default;
};
constexpr bool has_float_bounds(interval a) { return a.lo != 0 || a.hi != 0; }
constexpr interval float_bounds(double lo, double hi) {
  const interval out{lo == 0 ? 0 : word_of(lo), hi == 0 ? 0 : word_of(hi)};
  return has_float_bounds(out) ? out : interval{word_of(-0.0), 0};
}
constexpr interval full_range(dtype t) { return {min_value(t.kind), max_value(t.kind)}; }

}  // namespace twill
