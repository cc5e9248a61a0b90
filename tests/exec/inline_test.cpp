// The inline executor against the interpreter, on every sample program: the same bits, except where the target has no
// multiply-add with one rounding.
#include "catch.hpp"
#include "exec/inline_check.hpp"

using namespace samples;

INLINE_SAMPLE(add_one, vector_add(3, 1))
INLINE_SAMPLE(add_two, vector_add(3, 2))
INLINE_SAMPLE(add_three, vector_add(3, 3))
INLINE_SAMPLE(add_four, vector_add(3, 4))
INLINE_SAMPLE(add_five, vector_add(3, 5))
INLINE_SAMPLE(add_six, vector_add(3, 6))
INLINE_SAMPLE(add_seven, vector_add(3, 7))
INLINE_SAMPLE(add_whole, vector_add(2, 0))
TEST_CASE("inline: every length of tail") {
  check<add_one>();
  check<add_two>();
  check<add_three>();
  check<add_four>();
  check<add_five>();
  check<add_six>();
  check<add_seven>();
  check<add_whole>();
}

INLINE_SAMPLE(softmax_tail, softmax_rows())
INLINE_SAMPLE(softmax_whole, softmax_rows(4, 3, 0))
INLINE_SAMPLE(softmax_one, softmax_rows(2, 1, 1))
INLINE_SAMPLE(matmul_rest, matmul_relu(20, 64, 13))
INLINE_SAMPLE(matmul_small, matmul_relu(6, 16, 1))
INLINE_SAMPLE(matmul_narrow, matmul_relu(7, 8, 5, 3, 1, 4))
INLINE_SAMPLE(matmul_wide, matmul_relu(5, 32, 5, 2, 1, 32))
TEST_CASE("inline: softmax and matmul") {
  check<softmax_tail>(2);
  check<softmax_whole>(2);
  check<softmax_one>(2);
  check<matmul_rest>();
  check<matmul_small>();
  check<matmul_narrow>();
  check<matmul_wide>();
}

INLINE_SAMPLE(gates, padded())
INLINE_SAMPLE(gates_four, padded(4))
INLINE_SAMPLE(gates_one, padded(1))
INLINE_SAMPLE(gathers, gather())
INLINE_SAMPLE(gathers_eight, gather(8))
INLINE_SAMPLE(no_trips, zero_trips())
INLINE_SAMPLE(scalars, scalar_tile())
TEST_CASE("inline: gates, gathers, empty loops, tiles of scalars") {
  check<gates>();
  check<gates_four>();
  check<gates_one>();
  check<gathers>();
  check<gathers_eight>();
  check<no_trips>();
  check<scalars>();
}

template <scalar_kind K> struct reductions_of { static constexpr sample make() { return reductions(K); } };
TEST_CASE("inline: reductions of every dtype") {
  for_every_kind([]<scalar_kind K>() { check<frozen<reductions_of<K>>>(1); });
}

TEST_CASE("inline: matmul and softmax against plain loops") {
  const auto buffers = run_inline<matmul_rest>(0);
  for (size_t i = 0; i < 20; ++i)
    for (size_t j = 0; j < 64; ++j) {
      double sum = 0;
      for (size_t k = 0; k < 13; ++k) sum += double_of(buffers[1][i * 13 + k]) * double_of(buffers[2][k * 64 + j]);
      CHECK(double_of(buffers[0][i * 64 + j]) == (sum > 0 ? sum : 0));
    }
  const auto rows = run_inline<softmax_tail>(1);
  for (size_t r = 0; r < 3; ++r) {
    double sum = 0;
    for (size_t c = 0; c < 21; ++c) sum += double_of(rows[0][r * 21 + c]);
    CHECK((sum > 0.999999 && sum < 1.000001));
  }
}
