// Powers that are plain arithmetic: to the last bit.
#include "catch.hpp"

#include <twill/symbolic.hpp>

using namespace twill;

namespace {

constexpr uop power(uop x, uop y) { return alu(op::POW, x, y); }
constexpr bool rewrites() {
  graph g;
  const uop i = g.var("i", -3, 9), f = g.var("f", 0, 0, float32), d = g.var("d", 0, 0, float64);
  return simplify(power(i, g.constant(int32, 0))) == g.constant(int32, 1) && simplify(power(i, g.constant(int32, 1))) == i &&
         simplify(power(i, g.constant(int32, 2))) == simplify(i * i) && simplify(power(i, g.constant(int32, 3))) == simplify(i * i * i) &&
         simplify(power(g.constant(int32, 1), i)) == g.constant(int32, 1) && simplify(power(f, g.constant(float32, 0))) == g.constant(float32, 1) &&
         simplify(power(f, g.constant(float32, -0.0))) == g.constant(float32, 1) && simplify(power(f, g.constant(float32, 2))) == f * f &&
         simplify(power(f, g.constant(float32, -1))) == alu(op::RECIP, f) && simplify(power(d, g.constant(float64, 2))).is(op::POW) &&
         simplify(power(f, g.constant(float32, 0.5))).is(op::POW) && simplify(power(i, g.constant(int32, -1))).is(op::POW);
}
static_assert(rewrites());

}  // namespace

TEST_CASE("powers are rewritten at run time") { CHECK(rewrites()); }

TEST_CASE("squares and reciprocals are powers to the last bit") {
  const auto same = [](dtype t, double v) {
    const i64 x = word_of(v);
    return exec_alu(op::POW, t, t, {x, word_of(2)}) == exec_alu(op::MUL, t, t, {x, x}) &&
           exec_alu(op::POW, t, t, {x, word_of(-1)}) == exec_alu(op::RECIP, t, t, {x}) && exec_alu(op::POW, t, t, {x, word_of(1)}) == x &&
           exec_alu(op::POW, t, t, {x, word_of(0)}) == word_of(1) && exec_alu(op::POW, t, t, {word_of(1), x}) == word_of(1);
  };
  int wrong = 0;
  for (u32 bits = 0; bits < 65536; bits += 7) {
    wrong += !same(float16, float16_value(static_cast<u16>(bits)));
    wrong += !same(bfloat16, bfloat16_value(static_cast<u16>(bits)));
  }
  u64 state = 1;
  for (int round = 0; round < 20'000; ++round) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    wrong += !same(float32, float32_value(static_cast<u32>(state >> 32)));
  }
  for (u32 bits : {0u, 0x80000000u, 0x7f800000u, 0xff800000u, 0x7fc00000u, 1u, 0x007fffffu, 0x00800000u, 0x7f7fffffu, 0x3f800001u, 0x3f7fffffu})
    wrong += !same(float32, float32_value(bits));
  CHECK(wrong == 0);
}

TEST_CASE("integer powers wrap as products do") {
  for (const dtype t : {int8, uint8})
    for (i64 v = min_value(t.kind); v <= max_value(t.kind); ++v) {
      graph g;
      const uop x = g.var("x", min_value(t.kind), max_value(t.kind), t);
      const binding at[] = {{"x", v}};
      for (const i64 n : {i64{0}, i64{1}, i64{2}, i64{3}}) REQUIRE(evaluate(power(x, g.constant(t, n)), at) == evaluate(simplify(power(x, g.constant(t, n))), at));
      REQUIRE(evaluate(power(g.constant(t, 1), x), at) == 1);
    }
}
