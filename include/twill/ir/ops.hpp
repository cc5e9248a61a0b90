// The operations: names, ordinals and groups of the seed (tinygrad 0.10.2), ours from 128 up, in ONE table of traits.
#pragma once

#include "twill/base/text.hpp"

namespace twill {

// Ordinals are stable: they are part of cache keys and of the conformance data.
enum class op : u8 {
  NULL_OP = 0, NAME, SINK, CONTIGUOUS, CONTIGUOUS_BACKWARD, DETACH, KERNEL, UNIQUE, EMPTY, COPY, BUFFER_VIEW, BLOCK,
  BLOCKSTART, BLOCKFORK, BLOCKEND, RESHAPE, PERMUTE, EXPAND, PAD, SHRINK, FLIP, UNROLL, CONTRACT, VIEW, DEFINE_GLOBAL,
  BUFFER, DEFINE_VAR, DEFINE_LOCAL, DEFINE_ACC, VALID, SPECIAL, NOOP, REDUCE_AXIS, GEP, VECTORIZE, CAT, CAST, BITCAST,
  EXP2, LOG2, SIN, SQRT, RECIP, NEG, LOAD, STORE, INDEX, WMMA, ADD, MUL, IDIV, MAX, MOD, CMPLT, CMPNE, XOR, SHL, SHR,
  OR, AND, THREEFRY, SUB, FDIV, POW, WHERE, MULACC, ASSIGN, BIND, BARRIER, RANGE, IF, ENDRANGE, ENDIF, VCONST, CONST,
  DEVICE, MULTI, CUSTOM,
  // Ours.
  MIN = 128, FLOORDIV, FLOORMOD, EXP, LOG, TANH, IOTA
};

namespace op_group {
enum : u16 {
  none = 0,
  unary = 1, binary = 2, ternary = 4, alu = unary | binary | ternary,
  irreducible = 8, movement = 16, buffer = 32, block = 64,
  commutative = 128, associative = 256, idempotent = 512,
  unsafe_pad = 1024,  // f(0) is not 0: padding with zeros does not commute with it
};
}

struct op_traits {
  const char* name;
  int arity;             // number of sources; -1: any
  u16 groups;            // of op_group
  u8 rank;               // canonical operand order: variables first, constants last
  const char* spelling;  // in C and in infix text; empty: none
};

namespace detail {
using namespace op_group;
inline constexpr op_traits seed_ops[] = {
    {"NULL_OP", 0, none, 0, ""},
    {"NAME", 0, none, 11, ""},
    {"SINK", -1, none, 12, ""},
    {"CONTIGUOUS", 1, none, 13, ""},
    {"CONTIGUOUS_BACKWARD", 1, none, 14, ""},
    {"DETACH", 1, none, 15, ""},
    {"KERNEL", -1, none, 16, ""},
    {"UNIQUE", 0, none, 17, ""},
    {"EMPTY", -1, none, 18, ""},
    {"COPY", -1, none, 19, ""},
    {"BUFFER_VIEW", -1, none, 20, ""},
    {"BLOCK", -1, block, 21, ""},
    {"BLOCKSTART", -1, block, 22, ""},
    {"BLOCKFORK", -1, block, 23, ""},
    {"BLOCKEND", -1, block, 24, ""},
    {"RESHAPE", 1, movement, 25, ""},
    {"PERMUTE", 1, movement, 26, ""},
    {"EXPAND", 1, movement, 27, ""},
    {"PAD", 1, movement, 28, ""},
    {"SHRINK", 1, movement, 29, ""},
    {"FLIP", 1, movement, 30, ""},
    {"UNROLL", 1, none, 31, ""},
    {"CONTRACT", 1, none, 32, ""},
    {"VIEW", -1, none, 33, ""},
    {"DEFINE_GLOBAL", 0, none, 34, ""},
    {"BUFFER", -1, none, 35, ""},
    {"DEFINE_VAR", 0, irreducible | buffer, 1, ""},
    {"DEFINE_LOCAL", 0, none, 37, ""},
    {"DEFINE_ACC", -1, none, 38, ""},
    {"VALID", -1, buffer, 39, ""},
    {"SPECIAL", 0, irreducible, 2, ""},
    {"NOOP", -1, none, 41, ""},
    {"REDUCE_AXIS", 1, none, 42, ""},
    {"GEP", 1, none, 43, ""},
    {"VECTORIZE", -1, none, 44, ""},
    {"CAT", -1, none, 45, ""},
    {"CAST", 1, none, 46, ""},
    {"BITCAST", 1, none, 47, ""},
    {"EXP2", 1, unary | unsafe_pad, 48, "exp2"},
    {"LOG2", 1, unary | unsafe_pad, 49, "log2"},
    {"SIN", 1, unary, 50, "sin"},
    {"SQRT", 1, unary, 51, "sqrt"},
    {"RECIP", 1, unary | unsafe_pad, 52, "1/"},
    {"NEG", 1, unary, 53, "-"},
    {"LOAD", -1, buffer, 54, ""},
    {"STORE", -1, buffer, 55, ""},
    {"INDEX", -1, none, 56, ""},
    {"WMMA", 3, none, 57, ""},
    {"ADD", 2, binary | commutative | associative, 58, "+"},
    {"MUL", 2, binary | commutative | associative, 59, "*"},
    {"IDIV", 2, binary | unsafe_pad, 60, "/"},
    {"MAX", 2, binary | commutative | associative | idempotent, 61, "max"},
    {"MOD", 2, binary, 62, "%"},
    {"CMPLT", 2, binary, 63, "<"},
    {"CMPNE", 2, binary | commutative, 64, "!="},
    {"XOR", 2, binary | commutative, 65, "^"},
    {"SHL", 2, binary, 66, "<<"},
    {"SHR", 2, binary, 67, ">>"},
    {"OR", 2, binary | commutative | associative | idempotent, 68, "|"},
    {"AND", 2, binary | commutative | associative | idempotent, 69, "&"},
    {"THREEFRY", 2, binary, 70, ""},
    {"SUB", 2, binary, 71, "-"},
    {"FDIV", 2, binary, 72, "/"},
    {"POW", 2, binary | unsafe_pad, 73, "pow"},
    {"WHERE", 3, ternary, 74, "?:"},
    {"MULACC", 3, ternary, 75, "fma"},
    {"ASSIGN", 2, none, 76, "="},
    {"BIND", -1, none, 77, ""},
    {"BARRIER", -1, none, 78, ""},
    {"RANGE", -1, irreducible, 3, ""},
    {"IF", -1, none, 80, ""},
    {"ENDRANGE", 1, none, 81, ""},
    {"ENDIF", 1, none, 82, ""},
    {"VCONST", 0, none, 255, ""},
    {"CONST", 0, irreducible | buffer, 255, ""},
    {"DEVICE", 0, none, 85, ""},
    {"MULTI", -1, none, 86, ""},
    {"CUSTOM", -1, none, 87, ""},
};
inline constexpr op_traits own_ops[] = {
    {"MIN", 2, binary | commutative | associative | idempotent, 200, "min"},
    {"FLOORDIV", 2, binary | unsafe_pad, 201, "floordiv"},
    {"FLOORMOD", 2, binary, 202, "floormod"},
    {"EXP", 1, unary | unsafe_pad, 203, "exp"},
    {"LOG", 1, unary | unsafe_pad, 204, "log"},
    {"TANH", 1, unary, 205, "tanh"},
    {"IOTA", 0, none, 4, "iota"},
};
inline constexpr int first_own_op = 128;
}  // namespace detail

inline constexpr int seed_op_count = static_cast<int>(sizeof(detail::seed_ops) / sizeof(op_traits));
inline constexpr int own_op_count = static_cast<int>(sizeof(detail::own_ops) / sizeof(op_traits));

constexpr const op_traits& traits(op o) {
  const int i = static_cast<int>(o);
  return i >= detail::first_own_op ? detail::own_ops[i - detail::first_own_op] : detail::seed_ops[i];
}
constexpr const char* name(op o) { return traits(o).name; }
constexpr bool in_group(op o, int groups) { return (traits(o).groups & groups) != 0; }
constexpr bool is_alu(op o) { return in_group(o, op_group::alu); }
constexpr bool is_movement(op o) { return in_group(o, op_group::movement); }
constexpr bool is_commutative(op o) { return in_group(o, op_group::commutative); }
constexpr bool is_comparison(op o) { return o == op::CMPLT || o == op::CMPNE; }

}  // namespace twill
