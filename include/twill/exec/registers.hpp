// Where the inline executor keeps a program's values: one member for each instruction, in indexed base classes, so that
// compilers see separate variables and keep them in registers.
#pragma once

#include "twill/exec/lane_elementary.hpp"
#include "twill/exec/memory.hpp"
#include "twill/lower/program.hpp"

namespace twill {
inline namespace TWILL_ABI {
namespace lanes {

// What the expansion of one instruction needs to know beyond the instruction.
struct step_plan {
  u32 tile = 0;       // its axes but the lane axis
  u16 points = 1;     // of the tile
  u16 lanes = 1;
  u16 active = 1;     // of the lanes
  u16 slot = 0;       // the instruction whose registers hold the value: itself, or for ASSIGN the accumulator
  u16 first = 0;      // RANGE: its body within `order`
  u16 count = 0;
  u8 lane_axis = 0xff;
  u8 mask_bytes = 1;  // of a bool with lanes
};

// Facts of a whole program. order: instruction numbers, those of each loop body (and of the whole) adjacent.
template <size_t N>
struct program_plan {
  step_plan step[N == 0 ? 1 : N]{};
  u16 order[N == 0 ? 1 : N]{};
  u16 first = 0, count = 0;
};

template <size_t N>
constexpr program_plan<N> make_plan(const program_view& p) {
  program_plan<N> plan;
  u16 parent[N + 1]{}, children[N + 1]{}, place[N + 1]{};
  u16 open = static_cast<u16>(N);
  for (u16 i = 0; i < N; ++i) {
    const instruction& in = p.instructions[i];
    step_plan& s = plan.step[i];
    s.slot = in.code == op::ASSIGN ? in.source[0] : i;
    s.tile = in.axes;
    for (int a = 0; in.axes >> a != 0 && a < max_tile_axes; ++a) {
      if ((in.axes >> a & 1) == 0) continue;
      const tile_axis& axis = p.axes[static_cast<size_t>(a)];
      if (axis.lane && axis.size > 1) {
        s.lanes = axis.size;
        s.active = axis.active;
        s.lane_axis = static_cast<u8>(a);
        s.tile &= ~(u32{1} << a);
      } else {
        s.points = static_cast<u16>(s.points * axis.size);
      }
    }
    if (in.kind == scalar_kind::bool_ && s.lanes > 1) {
      if (in.code == op::DEFINE_ACC) s.mask_bytes = 4;
      for (int k = 0; k < in.source_count && in.code != op::LOAD && in.code != op::WHERE; ++k) {
        const u16 from = in.source[k];
        if (plan.step[from].lanes == 1 && k + 1 < in.source_count) continue;
        const scalar_kind kind = register_kind(p.instructions[from].kind);
        const u8 bytes = is_bool(kind) ? plan.step[plan.step[from].slot].mask_bytes : static_cast<u8>(byte_size(kind));
        if (bytes > s.mask_bytes) s.mask_bytes = bytes;
      }
      if (in.code == op::WHERE) s.mask_bytes = plan.step[plan.step[in.source[0]].slot].mask_bytes;
    }
    if (in.code == op::ENDRANGE) {
      open = parent[open];
      parent[i] = static_cast<u16>(N + 1);  // nothing to run
      continue;
    }
    parent[i] = open;
    ++children[open];
    if (in.code == op::RANGE) open = i;
  }
  u16 at = 0;
  for (u16 block = 0; block <= N; ++block) {
    place[block] = at;
    (block == N ? plan.first : plan.step[block].first) = at;
    (block == N ? plan.count : plan.step[block].count) = children[block];
    at = static_cast<u16>(at + children[block]);
  }
  for (u16 i = 0; i < N; ++i)
    if (parent[i] <= N) plan.order[place[parent[i]]++] = i;
  return plan;
}

// The number, within the tile `from`, of point `point` of the tile `of`; the lowest axis is outermost. removed: axes of
// `from` that `of` lacks, and the number of a point of theirs.
constexpr u16 point_of(const tile_axis* axes, u32 of, u32 from, u32 point, u32 removed = 0, u32 removed_point = 0) {
  u32 result = 0, scale = 1;
  for (int a = max_tile_axes - 1; a >= 0; --a) {
    const u32 bit = u32{1} << a;
    if (((of | removed) & bit) == 0) continue;
    const u32 size = axes[a].size;
    u32& rest = (removed & bit) != 0 ? removed_point : point;
    const u32 index = rest % size;
    rest /= size;
    if ((from & bit) == 0) continue;
    result += index * scale;
    scale *= size;
  }
  return static_cast<u16>(result);
}
// The constant part of an access at a point.
constexpr i64 point_offset(const tile_axis* axes, const access& where, u32 of, u32 point) {
  i64 stride[max_tile_axes]{};
  for (int a = 0, n = 0; a < max_tile_axes; ++a)
    if ((where.axes >> a & 1) != 0) stride[a] = where.stride[n++];
  i64 result = where.offset;
  for (int a = max_tile_axes - 1; a >= 0; --a) {
    if ((of >> a & 1) == 0) continue;
    result += stride[a] * static_cast<i64>(point % axes[a].size);
    point /= axes[a].size;
  }
  return result;
}
constexpr i64 stride_along(const access& where, u8 axis) {
  if (axis == 0xff || (where.axes >> axis & 1) == 0) return 0;
  return where.stride[__builtin_popcount(where.axes & ((u32{1} << axis) - 1))];
}

// The executor's view of a tag: its program, evaluated facts and types.
template <class Tag>
struct expansion {
  static constexpr auto& code = Tag::program;
  static constexpr size_t size = Tag::program.view().instructions.size();
  static constexpr program_plan<size> plan = make_plan<size>(Tag::program.view());
  static constexpr size_t buffers = Tag::program.view().buffers.size();
};

template <class Tag, int I>
using register_of = typename value_of<expansion<Tag>::code.instructions[I].kind == scalar_kind::void_ ? scalar_kind::bool_
                                                                                                    : expansion<Tag>::code.instructions[I].kind,
                                      expansion<Tag>::plan.step[I].lanes, expansion<Tag>::plan.step[I].mask_bytes>::type;

constexpr bool has_value(op code) {
  return code != op::STORE && code != op::ENDRANGE && code != op::DEFINE_LOCAL && code != op::ASSIGN && code != op::SINK && code != op::NULL_OP;
}

template <int I, class T, int Points>
struct leaf {
  T at[Points];
};
template <int I> struct empty_leaf {};

template <class Tag, int I, bool Used> struct leaf_of { using type = empty_leaf<I>; };
template <class Tag, int I>
struct leaf_of<Tag, I, true> { using type = leaf<I, register_of<Tag, I>, expansion<Tag>::plan.step[I].points>; };

template <class Tag, class Numbers> struct register_file;
template <class Tag, int... I>
struct register_file<Tag, std::integer_sequence<int, I...>> : leaf_of<Tag, I, has_value(expansion<Tag>::code.instructions[I].code)>::type... {
  void* buffer[expansion<Tag>::buffers == 0 ? 1 : expansion<Tag>::buffers];
};
template <class Tag>
using registers = register_file<Tag, std::make_integer_sequence<int, static_cast<int>(expansion<Tag>::size)>>;

// The registers of a slot.
template <int I, class T, int Points>
TWILL_ALWAYS_INLINE T (&at(leaf<I, T, Points>& l))[Points] {
  return l.at;
}

// Local buffers, apart from the registers: their addresses are taken.
template <int B, i64 Bytes>
struct local_buffer {
  alignas(64) unsigned char bytes[Bytes];
};
template <int B>
struct local_buffer<B, 0> {};
template <class Tag, class Numbers> struct local_buffers;
template <class Tag, int... B>
struct local_buffers<Tag, std::integer_sequence<int, B...>>
    : local_buffer<B, expansion<Tag>::code.buffers[B].local ? expansion<Tag>::code.buffers[B].elements * byte_size(expansion<Tag>::code.buffers[B].kind) : 0>... {};
template <int B, i64 Bytes>
TWILL_ALWAYS_INLINE void* address_of(local_buffer<B, Bytes>& l) {
  if constexpr (Bytes != 0) return l.bytes;
  else return nullptr;
}

}  // namespace lanes
}  // namespace TWILL_ABI
}  // namespace twill
