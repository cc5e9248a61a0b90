// A function recorded, scheduled and lowered by the C++ compiler: one constant evaluation for each stage, its result frozen
// in a static member of a tag type. Programs are carried by these tags; they never appear in a mangled name.
#pragma once

#include <utility>

#include "twill/door/results.hpp"
#include "twill/lower/lower.hpp"
#include "twill/schedule/freeze.hpp"
#include "twill/schedule/in_place.hpp"
#include "twill/shape/static_shape.hpp"
#include "twill/tensor/functions.hpp"

namespace twill {

namespace detail {

// Recording: Source has record(recorder&, vector<u32, 4>& outputs).
template <class Source>
struct recording {
  struct outcome {
    twill::problem shape_problem;
    dtype_problem type_problem;
    fixed_words<words_capacity> words;
  };
  static constexpr outcome generous = [] {
    outcome out;
    recorder r;
    vector<u32, 4> outputs;
    Source::record(r, outputs);
    out.shape_problem = r.shape_problem;
    out.type_problem = r.type_problem;
    if (r.shape_problem || r.type_problem) return out;
    const vector<i64> words = pack_recording(r, outputs);
    for (const i64 w : words) out.words.items[out.words.count++] = w;
    return out;
  }();
  static constexpr twill::problem problem = generous.shape_problem;
  static constexpr dtype_problem type_problem = generous.type_problem;
  static constexpr bool ok = !problem && !type_problem;
  static constexpr auto words = [] {
    fixed_words<generous.words.count> out;
    for (const i64 w : generous.words.view()) out.items[out.count++] = w;
    return out;
  }();
  static constexpr size_t output_count = [] {
    recorder r;
    return unpack_recording(words.view(), r).size();
  }();
  static constexpr shape output_shape(size_t i) {
    recorder r;
    const vector<u32, 4> outputs = unpack_recording(words.view(), r);
    return r.shapes[outputs[i]];
  }
  static constexpr dtype output_type(size_t i) {
    recorder r;
    const vector<u32, 4> outputs = unpack_recording(words.view(), r);
    return r.nodes.at(outputs[i]).type;
  }
};

template <class Source>
struct planning {
  static constexpr vector<i64> pack() {
    recorder r;
    const vector<u32, 4> outputs = unpack_recording(recording<Source>::words.view(), r);
    return pack_plan(plan_kernels(r.nodes, r.shapes, outputs));
  }
  static constexpr const auto& words = frozen_words<planning>::value;
  static constexpr size_t kernels = unpack_plan(words.view()).kernels.size();
};

inline constexpr size_t program_capacity = 1024;

// What is known of a lowered kernel beside its program.
struct kernel_facts {
  i64 flops = 0;
  u32 arguments[64]{};       // numbers in the plan's buffer table
  u32 argument_count = 0;
  u64 read_elsewhere = 0;    // bit i: argument i is loaded at other places than where an output is stored
  u64 read = 0;              // bit i: argument i is loaded
};

template <class Source, size_t Kernel, int VectorBytes>
struct lowering {
  struct generous_program {
    frozen_program<program_capacity, program_capacity, max_tile_axes, 64> body;
    size_t instructions = 0, accesses = 0, axes = 0, buffers = 0;
    kernel_facts facts;
  };
  static constexpr generous_program generous = [] {
    generous_program out;
    recorder r;
    unpack_recording(recording<Source>::words.view(), r);
    const schedule_plan plan = unpack_plan(planning<Source>::words.view());
    kernel_tree tree;
    build_kernel(r.nodes, r.shapes, plan, Kernel, tree);
    out.facts.flops = tree.flops;
    for (const u32 a : tree.arguments) out.facts.arguments[out.facts.argument_count++] = a;
    for (u32 i = 0; i < tree.arguments.size(); ++i) {
      if (tree.buffers[i].output) continue;
      for (u32 o = 0; o < tree.arguments.size(); ++o) {
        if (!tree.buffers[o].output) continue;
        const reads how = reads_of(tree, i, o);
        if (how != reads::none) out.facts.read |= u64{1} << i;
        if (how == reads::elsewhere) out.facts.read_elsewhere |= u64{1} << i;
      }
    }
    program p;
    lower(tree, cpu_machine(VectorBytes), p);
    for (const instruction& i : p.instructions) out.body.instructions[out.instructions++] = i;
    for (const access& a : p.accesses) out.body.accesses[out.accesses++] = a;
    for (const tile_axis& a : p.axes) out.body.axes[out.axes++] = a;
    for (const buffer_info& b : p.buffers) out.body.buffers[out.buffers++] = b;
    out.body.parallel_count = p.parallel_count;
    out.body.work = p.work;
    return out;
  }();
  static constexpr kernel_facts facts = generous.facts;
  static constexpr auto program = [] {
    frozen_program<generous.instructions, generous.accesses, generous.axes, generous.buffers> out;
    for (size_t i = 0; i < generous.instructions; ++i) out.instructions[i] = generous.body.instructions[i];
    for (size_t i = 0; i < generous.accesses; ++i) out.accesses[i] = generous.body.accesses[i];
    for (size_t i = 0; i < generous.axes; ++i) out.axes[i] = generous.body.axes[i];
    for (size_t i = 0; i < generous.buffers; ++i) out.buffers[i] = generous.body.buffers[i];
    out.parallel_count = generous.body.parallel_count;
    out.work = generous.body.work;
    return out;
  }();
};

}  // namespace detail
}  // namespace twill
