// A lowered kernel: a linear list of instructions in which vector lanes and register tiles are still symbolic.
//
// An instruction's value is a register tile: one element for every index of the tile axes in its `axes` mask. Executors
// run the instruction once for each of these points (unrolled, or as one vector along a lane axis); a source that lacks
// one of the axes is the same for all of its indices. After tinygrad's linear UOps, whose expander and devectorizer make
// one scalar node per point instead.
#pragma once

#include "twill/base/vector.hpp"
#include "twill/ir/constant.hpp"
#include "twill/ir/ops.hpp"
#include "twill/schedule/buffer_info.hpp"

namespace twill {

inline constexpr int max_tile_axes = 32;   // in one program
inline constexpr int max_sources = 8;      // of one instruction
inline constexpr int max_value_axes = 6;   // tile axes of one instruction

// A tile axis is unrolled; a lane axis is one vector register of `size` elements, of which the first `active` count: the
// others hold unspecified values that are neither stored nor reduced. On other axes active == size.
struct tile_axis {
  u16 size = 1;
  u16 active = 1;
  bool lane = false;
};

// Where LOAD, STORE and INDEX go: element offset + sum(coefficient[k] * source[k]) + sum(stride[n] * index of the n-th
// axis in `axes`, lowest bit first). All in elements, int64.
struct access {
  i64 offset = 0;
  i64 coefficient[max_sources]{};
  i64 stride[max_value_axes]{};
  u32 axes = 0;
  u16 buffer = 0;
  u8 terms = 0;  // how many leading sources are part of the index
};

struct instruction {
  op code = op::NULL_OP;
  // Of the value. LOAD and STORE: of the element in memory; float16 and bfloat16 are float32 in registers, so LOAD, CAST
  // to and STORE of them convert (a CAST rounds, then holds the rounded value as float32).
  scalar_kind kind = scalar_kind::void_;
  u8 source_count = 0;
  bool gated = false;      // LOAD: the last source is a bool; where it is false memory is not read and the value is 0
  u16 source[max_sources]{};
  u32 axes = 0;            // bit a: the value has one element per index of tile axis a
  u16 access = 0;          // LOAD, STORE, INDEX: number in the access table
  i64 argument[2]{};
};

// The meaning of argument[], and of the sources, by op:
//   CONST         argument[0]: the word (ir/constant.hpp)
//   RANGE         opens a loop; the value is its int64 variable 0, 1, … argument[0] - 1. argument[1] >= 0: this is a
//                 segment of the parallel axis and covers the parallel indices argument[1] … argument[1] + argument[0] - 1,
//                 of which a call runs those within its [begin, end). argument[1] == -1: a plain loop.
//   ENDRANGE      source[0]: the RANGE it closes
//   DEFINE_LOCAL  argument[0]: number of the buffer, a local one; argument[1]: its elements; private to an iteration
//   INDEX         the int64 value of its access's index expression
//   LOAD          sources: the index terms, then the gate if gated
//   STORE         sources: the index terms, then the value; runs for every point of `axes`, active lanes only
//   DEFINE_ACC    argument[0]: the word that every element starts with; a mutable value
//   ASSIGN        source[0]: a DEFINE_ACC, source[1]: its new value
//   REDUCE_AXIS   argument[0]: the op (ADD, MUL, MAX, MIN, AND, OR, XOR), argument[1]: mask of the axes it removes.
//                 Order: first the unrolled axes, lowest bit outermost, index by index, ((v0 op v1) op v2) …; then the lanes: if all are
//                 active, halves are combined (v[i] op v[i + n/2], n = size, size/2, … 1), else the active ones in order.
//   CAST, BITCAST, unary, binary and ternary ops: as in SEMANTICS; MULACC on floats rounds once

// A program under construction, and what is frozen of it. Buffers: the kernel's arguments in order, then local ones.
struct program {
  vector<instruction> instructions;
  vector<access> accesses;
  vector<tile_axis> axes;
  vector<buffer_info> buffers;
  i64 parallel_count = 1;  // size of the parallel index space
  i64 work = 0;            // rough cost in scalar operations, for deciding whether threads pay
};

// The same as spans, for executors and printers.
struct program_view {
  span<const instruction> instructions;
  span<const access> accesses;
  span<const tile_axis> axes;
  span<const buffer_info> buffers;
  i64 parallel_count = 1;
  i64 work = 0;
};
constexpr program_view view_of(const program& p) {
  return {p.instructions, p.accesses, p.axes, p.buffers, p.parallel_count, p.work};
}

// A program as a constant with static storage: fixed arrays, no heap.
template <size_t Instructions, size_t Accesses, size_t Axes, size_t Buffers>
struct frozen_program {
  instruction instructions[Instructions == 0 ? 1 : Instructions]{};
  access accesses[Accesses == 0 ? 1 : Accesses]{};
  tile_axis axes[Axes == 0 ? 1 : Axes]{};
  buffer_info buffers[Buffers == 0 ? 1 : Buffers]{};
  i64 parallel_count = 1;
  i64 work = 0;

  static constexpr size_t instruction_count = Instructions;
  constexpr program_view view() const {
    return {{instructions, Instructions}, {accesses, Accesses}, {axes, Axes}, {buffers, Buffers}, parallel_count, work};
  }
};

}  // namespace twill
