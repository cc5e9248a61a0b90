// From a tensor graph to kernels: which nodes get a buffer, and the loop-nest tree of each kernel.
//
// Elementwise work fuses into its consumers and movement is pushed into the views of the loads. A reduction fuses into
// the kernel that uses it when the kernel's outer axes are exactly the reduction's own: then every value is computed once
// (softmax: both reductions and the quotient run for each row). What cannot fuse is realized: stored by a kernel of its own.
#pragma once

#include "twill/schedule/kernel_builder.hpp"
#if TWILL_VERIFY
#include "twill/schedule/verify.hpp"
#endif

namespace twill {

// Decides what is realized. outputs: distinct nodes of the graph, none of them a BUFFER (record a CONTIGUOUS of it).
constexpr schedule_plan plan_kernels(const graph& tensors, const vector<shape>& shapes, span<const u32> outputs) {
#if TWILL_VERIFY
  verify_tensors(tensors, outputs);
#endif
  schedule_plan plan;
  plan.buffer_of = vector<i64>(tensors.size(), -1);
  const auto add = [&](u32 id, buffer_use::kind what, u32 number) {
    plan.buffer_of[id] = static_cast<i64>(plan.buffers.size());
    plan.buffers.push_back({what, number, tensors.at(id).type, shapes[id].elements()});
  };
  const vector<u32> reachable = toposort(tensors, outputs);
  for (u32 i = 0; i < outputs.size(); ++i) add(outputs[i], buffer_use::kind::output, i);
  for (const u32 id : reachable) {
    if (plan.buffer_of[id] >= 0) continue;
    if (tensors.at(id).code == op::BUFFER) add(id, buffer_use::kind::input, static_cast<u32>(tensors.argument(id, 0)));
    else if (tensors.at(id).code == op::CONTIGUOUS) add(id, buffer_use::kind::temporary, plan.temporaries++);
  }

  // Realize what the kernels ask for, and reductions that several of them would compute, until nothing changes.
  struct formed {
    vector<i64, 8> outer;
    vector<u32> reductions;
    vector<u8> computes;  // by node; empty: not known (any more)
  };
  vector<formed> known(tensors.size());
  detail::movement_trackers moves;
  const auto realize = [&](u32 id) {
    add(id, buffer_use::kind::temporary, plan.temporaries++);
    for (formed& f : known)
      if (!f.computes.empty() && f.computes[id] != 0) f.computes.clear();
  };
  const auto is_output = [&](u32 id) { return plan.buffers[static_cast<size_t>(plan.buffer_of[id])].what == buffer_use::kind::output; };
  for (bool changed = true; changed;) {
    changed = false;
    vector<formed> kinds;
    vector<i64> kernel_of(tensors.size(), -1);
    plan.kernels.clear();
    for (const u32 id : reachable) {
      if (plan.buffer_of[id] < 0 || tensors.at(id).code == op::BUFFER || shapes[id].elements() == 0) continue;
      while (known[id].computes.empty()) {
        kernel_tree tree;
        detail::kernel_builder builder(tensors, shapes, plan, moves, tree);
        const i64 wanted = builder.check({id});
        if (wanted >= 0) {
          realize(static_cast<u32>(wanted));
          changed = true;
        } else {
          known[id] = {tree.outer, builder.reductions(), builder.computes()};
        }
      }
      const formed& now = known[id];
      // An output joins the last kernel if both store outputs, loop over the same outer axes, and it needs nothing that
      // this kernel stores.
      const size_t last = plan.kernels.size() - 1;
      bool joins = !plan.kernels.empty() && is_output(id) && is_output(plan.kernels[last][0]) && kinds[last].outer == now.outer;
      if (joins)
        for (const u32 below : toposort(tensors, {&id, 1})) joins = joins && kernel_of[below] != static_cast<i64>(last);
      if (!joins) {
        plan.kernels.push_back(vector<u32>{});
        kinds.push_back({now.outer, {}, {}});
      }
      plan.kernels.back().push_back(id);
      kernel_of[id] = static_cast<i64>(plan.kernels.size() - 1);
      for (const u32 r : now.reductions) {
        bool listed = false;
        for (const u32 k : kinds.back().reductions) listed = listed || k == r;
        if (!listed) kinds.back().reductions.push_back(r);
      }
    }
    if (changed) continue;
    vector<u8> times(tensors.size(), u8{0});
    for (const formed& k : kinds)
      for (const u32 r : k.reductions)
        if (plan.buffer_of[r] < 0 && ++times[r] > 1) {
          realize(r);
          changed = true;
        }
  }
  return plan;
}

// The tree of the k-th kernel of a plan.
constexpr void build_kernel(const graph& tensors, const vector<shape>& shapes, const schedule_plan& plan, size_t k, kernel_tree& out) {
  detail::movement_trackers moves;
  detail::kernel_builder builder(tensors, shapes, plan, moves, out);
  const i64 wanted = builder.build(plan.kernels[k]);
  if (wanted >= 0) raise<graph_error>("schedule: a planned kernel cannot be built");
#if TWILL_VERIFY
  verify_tree(out);
#endif
}

}  // namespace twill
