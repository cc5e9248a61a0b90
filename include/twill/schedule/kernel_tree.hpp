// A kernel before lowering: a loop-nest tree. Outer axes are shared by all stages; each stage has inner axes of its own
// and either reduces over them or stores along them. Expressions are nodes of one graph:
//
//   LOAD (buffer, view), IOTA (view): the position the view yields, VALID (view): is it unmasked; leaves, in which a view
//   maps (outer axes…, the stage's inner axes…) to a position; CONST; ALU and CAST; REDUCE_AXIS (op): the value, for each
//   outer index, of its source combined over the inner axes of the stage it roots; STORE (buffer, view).
#pragma once

#include "twill/ir/uop.hpp"
#include "twill/schedule/buffer_info.hpp"
#include "twill/shape/shapetracker.hpp"

namespace twill {

struct stage {
  vector<i64, 4> inner;
  vector<u32, 4> roots;  // REDUCE_AXIS nodes, or STORE nodes
};

struct kernel_tree {
  graph nodes{64};
  vector<shapetracker> views;
  vector<i64, 8> outer;
  vector<stage> stages;          // in the order they run
  vector<u32, 8> arguments;      // what each buffer is: number in the schedule's buffer table
  vector<buffer_info> buffers;   // the kernel's buffers, outputs first
  i64 flops = 0;                 // operations on data: 2·M·N·K for a matrix product, one for each other ALU op

  constexpr u32 view_number(const shapetracker& st) {
    for (u32 i = 0; i < views.size(); ++i)
      if (views[i] == st) return i;
    views.push_back(st);
    return static_cast<u32>(views.size() - 1);
  }
};

}  // namespace twill
