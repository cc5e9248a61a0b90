// The table of operations against the seed's facts.
#include "twill/ir/ops.hpp"

#include "catch.hpp"

using namespace twill;

namespace {

// tinygrad 0.10.2: Ops in their order, the first being 1.
constexpr const char* seed_order[] = {
    "NAME", "SINK", "CONTIGUOUS", "CONTIGUOUS_BACKWARD", "DETACH", "KERNEL", "UNIQUE", "EMPTY", "COPY", "BUFFER_VIEW", "BLOCK",
    "BLOCKSTART", "BLOCKFORK", "BLOCKEND", "RESHAPE", "PERMUTE", "EXPAND", "PAD", "SHRINK", "FLIP", "UNROLL", "CONTRACT", "VIEW",
    "DEFINE_GLOBAL", "BUFFER", "DEFINE_VAR", "DEFINE_LOCAL", "DEFINE_ACC", "VALID", "SPECIAL", "NOOP", "REDUCE_AXIS", "GEP",
    "VECTORIZE", "CAT", "CAST", "BITCAST", "EXP2", "LOG2", "SIN", "SQRT", "RECIP", "NEG", "LOAD", "STORE", "INDEX", "WMMA", "ADD",
    "MUL", "IDIV", "MAX", "MOD", "CMPLT", "CMPNE", "XOR", "SHL", "SHR", "OR", "AND", "THREEFRY", "SUB", "FDIV", "POW", "WHERE",
    "MULACC", "ASSIGN", "BIND", "BARRIER", "RANGE", "IF", "ENDRANGE", "ENDIF", "VCONST", "CONST", "DEVICE", "MULTI", "CUSTOM",
};
struct group {
  int bits;
  const char* members;  // between spaces
};
constexpr group seed_groups[] = {
    {op_group::unary,
     " EXP2 LOG2 NEG RECIP SIN SQRT "},
    {op_group::binary,
     " ADD AND CMPLT CMPNE FDIV IDIV MAX MOD MUL OR POW SHL SHR SUB THREEFRY XOR "},
    {op_group::ternary,
     " MULACC WHERE "},
    {op_group::irreducible,
     " CONST DEFINE_VAR RANGE SPECIAL "},
    {op_group::movement,
     " EXPAND FLIP PAD PERMUTE RESHAPE SHRINK "},
    {op_group::buffer,
     " CONST DEFINE_VAR LOAD STORE VALID "},
    {op_group::block,
     " BLOCK BLOCKEND BLOCKFORK BLOCKSTART "},
    {op_group::commutative,
     " ADD AND CMPNE MAX MUL OR XOR "},
    {op_group::associative,
     " ADD AND MAX MUL OR "},
    {op_group::idempotent,
     " AND MAX OR "},
    {op_group::unsafe_pad,
     " EXP2 IDIV LOG2 POW RECIP "},
};
constexpr op own[] = {op::MIN, op::FLOORDIV, op::FLOORMOD, op::EXP, op::LOG, op::TANH, op::IOTA};

}  // namespace

TEST_CASE("the seed's ops have its ordinals and names") {
  int ordinal = 0;
  for (const char* const expected : seed_order) {
    ++ordinal;
    CHECK(text_view(name(static_cast<op>(ordinal))) == text_view(expected));
  }
  CHECK(ordinal + 1 == seed_op_count);
  CHECK(static_cast<int>(op::CUSTOM) == ordinal);
}

TEST_CASE("the seed's ops are in its groups and no others") {
  for (const group& g : seed_groups)
    for (int i = 1; i < seed_op_count; ++i) {
      text spaced(" ");
      spaced << name(static_cast<op>(i)) << ' ';
      INFO(name(static_cast<op>(i)) << " in " << g.members);
      CHECK(in_group(static_cast<op>(i), g.bits) == text_view(g.members).contains(spaced));
    }
}

TEST_CASE("our ops start at 128 and have traits") {
  CHECK(static_cast<int>(op::MIN) == 128);
  CHECK(own_op_count == static_cast<int>(sizeof own / sizeof *own));
  const char* const names[] = {"MIN", "FLOORDIV", "FLOORMOD", "EXP", "LOG", "TANH", "IOTA"};
  for (int i = 0; i < own_op_count; ++i) CHECK(text_view(name(own[i])) == text_view(names[i]));
  static_assert(is_alu(op::MIN) && is_commutative(op::MIN) && is_alu(op::TANH) && !is_alu(op::IOTA) && !is_alu(op::CAST));
}

TEST_CASE("arity agrees with the groups, and ranks put variables first and constants last") {
  for (int i = 0; i < 256; ++i) {
    if (i >= seed_op_count && (i < 128 || i >= 128 + own_op_count)) continue;
    const op o = static_cast<op>(i);
    if (in_group(o, op_group::unary)) CHECK(traits(o).arity == 1);
    if (in_group(o, op_group::binary)) CHECK(traits(o).arity == 2);
    if (in_group(o, op_group::ternary)) CHECK(traits(o).arity == 3);
    if (in_group(o, op_group::commutative)) CHECK(traits(o).arity == 2);
    if (o != op::CONST && o != op::VCONST) CHECK(traits(o).rank < traits(op::CONST).rank);
    if (o != op::NULL_OP && o != op::DEFINE_VAR) CHECK(traits(o).rank > traits(op::DEFINE_VAR).rank);
  }
}
