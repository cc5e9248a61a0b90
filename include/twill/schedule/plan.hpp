// What scheduling decides: which values get a buffer, and which of them each kernel stores.
#pragma once

#include "twill/base/vector.hpp"
#include "twill/ir/dtype.hpp"

namespace twill {

// Where a realized value lives.
struct buffer_use {
  enum class kind : u8 { input, output, temporary };
  kind what = kind::input;
  u32 number = 0;  // argument slot, output number, or number of the temporary
  dtype type{};
  i64 elements = 0;
};

// Which nodes are realized and which of them share a kernel.
struct schedule_plan {
  vector<buffer_use> buffers;
  vector<i64> buffer_of;              // by node id: its number in buffers, or -1
  vector<vector<u32>> kernels;        // realized nodes stored by each kernel, in the order they run
  u32 temporaries = 0;
};

}  // namespace twill
