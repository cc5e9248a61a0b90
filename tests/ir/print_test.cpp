// Texts of nodes and graphs.
#include "twill/ir/print.hpp"

#include "catch.hpp"

using namespace twill;

namespace {

constexpr bool renders_in_the_compiler() {
  graph g;
  const uop i = g.var("i", 0, 31), j = g.var("j", 0, 63);
  return render((i * 64 + j) / 64 % 8) == "((((i*64)+j)//64)%8)" && render(g.constant(float32, 0.1)) == "0.1";
}
static_assert(renders_in_the_compiler());

}  // namespace

TEST_CASE("expressions print as in the conformance data") {
  graph g;
  const uop a = g.var("a", 0, 9), b = g.var("b", 0, 9), x = g.var("x", 0, 9);
  CHECK(render(a / 4 + -1) == "((a//4)+-1)");
  CHECK(render(!(a < 8)) == "((a<8)!=True)");
  CHECK(render(where(x < 2, max(a, b), g.constant(int32, 1))) == "(max(a, b) if (x<2) else 1)");
  CHECK(render((x << 5 & 3) | (a ^ b) >> 1) == "(((x<<5)&3)|((a^b)>>1))");
  CHECK(render(a - b) == "(a+(b*-1))");
  const i64 loop[] = {2, 0, 16}, old_loop[] = {0};
  CHECK(render(g.make(op::RANGE, int32, {}, loop)) == "ridx2");
  CHECK(render(g.make(op::RANGE, int32, {g.constant(int32, 0), g.constant(int32, 2)}, old_loop) < 1) == "(ridx0<1)");
  const i64 thread[] = {32, 5, 'g' | 'i' << 8 | 'd' << 16 | i64{'x'} << 24 | i64{'0'} << 32};
  CHECK(render(g.make(op::SPECIAL, int32, {}, thread) * -1) == "(gidx0*-1)");
}

TEST_CASE("every other op prints as a call") {
  graph g;
  const uop a = g.var("a", 0, 9), f = cast(a, float32);
  CHECK(render(f) == "float32(a)");
  CHECK(render(bitcast(f, int32)) == "BITCAST(float32(a), int32)");
  CHECK(render(min(a, 3)) == "min(a, 3)");
  CHECK(render(alu(op::FLOORDIV, a, a)) == "floordiv(a, a)");
  CHECK(render(alu(op::MULACC, a, a, a)) == "fma(a, a, a)");
  CHECK(render(alu(op::NEG, f)) == "(-float32(a))");
  CHECK(render(alu(op::RECIP, f)) == "(1/float32(a))");
  CHECK(render(alu(op::SQRT, f) / 2.0f) == "(sqrt(float32(a))/2.0)");
  CHECK(render(alu(op::THREEFRY, a, a)) == "THREEFRY(a, a)");
  CHECK(render(g.make(op::BARRIER, void_type, {})) == "BARRIER");
  const i64 axes[] = {static_cast<i64>(op::ADD), 1};
  CHECK(render(g.make(op::REDUCE_AXIS, int32, {a}, axes)) == "REDUCE_AXIS(a, 48, 1)");
  const i64 lanes[] = {1, -2};
  CHECK(render(g.make(op::VCONST, int32.with_lanes(2), {}, lanes)) == "VCONST(1, -2)");
}

TEST_CASE("constants print exactly") {
  graph g;
  CHECK(render(g.constant(bool_, 1)) == "True");
  CHECK(render(g.constant(int8, -128)) == "-128");
  CHECK(render(g.constant(uint64, -1)) == "18446744073709551615");
  const auto float_text = [&g](dtype t, double v) { return render(g.constant(t, v)); };
  CHECK(float_text(float32, 0.1) == "0.1");
  CHECK(float_text(float64, 0.1) == "0.1");
  CHECK(float_text(float32, 3.14159274) == "3.1415927");
  CHECK(float_text(float16, 0.333) == "0.333");
  CHECK(float_text(float32, -2.0) == "-2.0");
  CHECK(float_text(float32, 0.0) == "0.0");
  CHECK(float_text(float32, -0.0) == "-0.0");
  CHECK(float_text(float64, 1234567.875) == "1234567.875");
  CHECK(float_text(float64, 0.001) == "0.001");
  CHECK(float_text(float64, 1e-7) == "1e-7");
  CHECK(float_text(float64, 1.0 / 3) == "0x1.5555555555555p-2");
  CHECK(float_text(float32, 1e30) == "0x1.93e594p+99");
  CHECK(float_text(float64, 0x1p-1074) == "0x1p-1074");
  CHECK(float_text(float32, __builtin_inf()) == "inf");
  CHECK(float_text(float32, -__builtin_inf()) == "-inf");
  CHECK(float_text(float32, __builtin_nan("")) == "nan");
}

TEST_CASE("lists and trees") {
  graph g;
  const uop i = g.var("i", 0, 31);
  const uop unused = g.constant(int32, 5);
  const uop sum = i + 2;
  const uop root = sum * sum;
  CHECK(print_uops(root) ==
        "   0 DEFINE_VAR       int32         []              i in [0, 31]\n"
        "   1 CONST            int32         []              2\n"
        "   2 ADD              int32         [0, 1]\n"
        "   3 MUL              int32         [2, 2]\n");
  CHECK(print_uops(g).contains("   1 CONST            int32         []              5\n"));
  CHECK(unused.id == 1);
  CHECK(tree(root) ==
        "%1 MUL int32\n"
        "  %2 ADD int32\n"
        "    DEFINE_VAR int32 i in [0, 31]\n"
        "    CONST int32 2\n"
        "  %2\n");
}
