// A buffer of a kernel: one of its arguments, or memory of its own.
#pragma once

#include "twill/ir/dtype.hpp"

namespace twill {

struct buffer_info {
  scalar_kind kind = scalar_kind::void_;
  bool output = false;
  bool local = false;
  i64 elements = 0;
};

}  // namespace twill
