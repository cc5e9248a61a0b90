// How a kernel's axes are run: register tiles, vector lanes, threads. One list drives static and run-time kernels.
#pragma once

#include "twill/schedule/kernel_tree.hpp"

namespace twill {

// An axis of n elements becomes a loop over tiles of `upcast` (unrolled) vectors of `lanes`, then what is left over.
struct axis_opt {
  u16 upcast = 1;
  u16 lanes = 1;  // 1: scalar
  friend constexpr bool operator==(const axis_opt&, const axis_opt&) = default;
};

struct kernel_opts {
  vector<axis_opt, 8> outer;  // by outer axis; the first one is split over threads
  vector<axis_opt, 4> inner;  // by stage: of its last inner axis
  bool flat = false;          // one thread per index of the outer axes (CUDA)
};

// What the code will run on.
struct machine {
  int vector_bytes = 16;      // 0: no vectors
  int vector_registers = 16;
  bool threads_per_index = false;  // a GPU
  friend constexpr bool operator==(const machine&, const machine&) = default;
};
constexpr machine cpu_machine(int vector_bytes) { return {vector_bytes, vector_bytes >= 64 ? 32 : 16, false}; }
inline constexpr machine cuda_machine{0, 64, true};

}  // namespace twill
