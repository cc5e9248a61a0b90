// Integer intervals: what is known of a node's value.
#pragma once

#include "twill/ir/constant.hpp"

namespace twill {

// lo <= value <= hi, in the order of the node's own dtype: uint64 bounds are bit patterns. Floats carry no bounds.
struct interval {
  i64 lo = 0;
  i64 hi = 0;
  friend constexpr bool operator==(const interval&, const interval&) = default;
};
constexpr interval full_range(dtype t) { return {min_value(t.kind), max_value(t.kind)}; }

}  // namespace twill
