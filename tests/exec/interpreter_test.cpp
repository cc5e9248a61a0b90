// The interpreter in constant evaluation and at run time.
#include "catch.hpp"
#include "lower/sample_runs.hpp"

using namespace samples;

// The whole result, as one number, of a sample in constant evaluation.
constexpr u64 digest_of(const vector<vector<i64>>& buffers) {
  u64 digest = 0;
  for (const auto& b : buffers)
    for (const i64 word : b) digest = noise(digest ^ static_cast<u64>(word));
  return digest;
}
#define SAME_IN_BOTH(name, expression)                                   \
  TEST_CASE("interpreter: " name) {                                      \
    static constexpr u64 expected = digest_of(run_on_words(expression)); \
    CHECK(digest_of(run_on_words(expression)) == expected);              \
    CHECK(digest_of(run_on_memory(expression)) == expected);             \
    CHECK(digest_of(run_on_memory(expression, 1)) == expected);          \
  }

SAME_IN_BOTH("vector add", vector_add())
SAME_IN_BOTH("softmax", softmax_rows())
SAME_IN_BOTH("matmul", matmul_relu())
SAME_IN_BOTH("padded", padded())
SAME_IN_BOTH("gather", gather())
SAME_IN_BOTH("reductions, int32", reductions(scalar_kind::int32))
SAME_IN_BOTH("reductions, float32", reductions(scalar_kind::float32))
SAME_IN_BOTH("reductions, bool", reductions(scalar_kind::bool_))
SAME_IN_BOTH("zero trips", zero_trips())
SAME_IN_BOTH("scalar tile", scalar_tile())
SAME_IN_BOTH("bitcasts", bitcasts())
SAME_IN_BOTH("casts, float32", casts(scalar_kind::float32))
SAME_IN_BOTH("casts, int16", casts(scalar_kind::int16))

TEST_CASE("interpreter: words and memory agree for every dtype") {
  for (int k = static_cast<int>(scalar_kind::bool_); k <= static_cast<int>(scalar_kind::float64); ++k) {
    const scalar_kind kind = static_cast<scalar_kind>(k);
    CAPTURE(name(kind));
    vector<sample> all{casts(kind), reductions(kind)};
    if (is_float(kind))
      all.push_back(float_ops(kind));
    else
      all.push_back(integer_ops(kind));
    for (const sample& s : all) {
      CAPTURE(s.name);
      CHECK(digest_of(run_on_words(s)) == digest_of(run_on_memory(s)));
    }
  }
}

static_assert([] {
  const sample s = vector_add();
  const auto buffers = run_on_words(s);
  for (i64 i = 0; i < s.code.buffers[0].elements; ++i) {
    const size_t e = static_cast<size_t>(i);
    if (double_of(buffers[0][e]) != double_of(buffers[1][e]) + double_of(buffers[2][e])) return false;
  }
  return true;
}());

TEST_CASE("interpreter: matmul and softmax against plain loops") {
  const sample s = matmul_relu(20, 64, 13);
  const auto buffers = run_on_memory(s);
  for (i64 i = 0; i < 20; ++i)
    for (i64 j = 0; j < 64; ++j) {
      double sum = 0;
      for (i64 k = 0; k < 13; ++k)
        sum += double_of(buffers[1][static_cast<size_t>(i * 13 + k)]) * double_of(buffers[2][static_cast<size_t>(k * 64 + j)]);
      CHECK(double_of(buffers[0][static_cast<size_t>(i * 64 + j)]) == (sum > 0 ? sum : 0));
    }
  const auto rows = run_on_memory(softmax_rows(4, 3, 7));
  for (size_t r = 0; r < 4; ++r) {
    double sum = 0;
    for (size_t c = 0; c < 31; ++c) sum += double_of(rows[0][r * 31 + c]);
    CHECK((sum > 0.999999 && sum < 1.000001));
  }
}
