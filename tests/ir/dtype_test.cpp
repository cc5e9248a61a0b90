// Data types against the seed's facts.
#include "twill/ir/dtype.hpp"

#include "catch.hpp"

using namespace twill;

namespace {

constexpr dtype all[] = {bool_, int8, uint8, int16, uint16, int32, uint32, int64, uint64, float16, bfloat16, float32, float64};
constexpr int count = 13;
// tinygrad 0.10.2: least upper dtype of each pair, in the order above. int64 with uint64 asks for a cast here.
constexpr dtype upper[count][count] = {
    {bool_, int8, uint8, int16, uint16, int32, uint32, int64, uint64, float16, bfloat16, float32, float64},
    {int8, int8, int16, int16, int32, int32, int64, int64, float16, float16, bfloat16, float32, float64},
    {uint8, int16, uint8, int16, uint16, int32, uint32, int64, uint64, float16, bfloat16, float32, float64},
    {int16, int16, int16, int16, int32, int32, int64, int64, float16, float16, bfloat16, float32, float64},
    {uint16, int32, uint16, int32, uint16, int32, uint32, int64, uint64, float16, bfloat16, float32, float64},
    {int32, int32, int32, int32, int32, int32, int64, int64, float16, float16, bfloat16, float32, float64},
    {uint32, int64, uint32, int64, uint32, int64, uint32, int64, uint64, float16, bfloat16, float32, float64},
    {int64, int64, int64, int64, int64, int64, int64, int64, void_type, float16, bfloat16, float32, float64},
    {uint64, float16, uint64, float16, uint64, float16, uint64, void_type, uint64, float16, bfloat16, float32, float64},
    {float16, float16, float16, float16, float16, float16, float16, float16, float16, float16, float32, float32, float64},
    {bfloat16, bfloat16, bfloat16, bfloat16, bfloat16, bfloat16, bfloat16, bfloat16, bfloat16, float32, bfloat16, float32, float64},
    {float32, float32, float32, float32, float32, float32, float32, float32, float32, float32, float32, float32, float64},
    {float64, float64, float64, float64, float64, float64, float64, float64, float64, float64, float64, float64, float64},
};
struct facts {
  const char* name;
  int bytes;
};
constexpr facts seed_facts[] = {
    {"bool", 1}, {"int8", 1}, {"uint8", 1}, {"int16", 2}, {"uint16", 2}, {"int32", 4}, {"uint32", 4},
    {"int64", 8}, {"uint64", 8}, {"float16", 2}, {"bfloat16", 2}, {"float32", 4}, {"float64", 8},
};

static_assert(promote(int32, uint32) == int64 && promote(int8, float16) == float16 && promote(int64, uint64) == void_type);
static_assert(dtype_of<bool>() == bool_ && dtype_of<signed char>() == int8 && dtype_of<unsigned long>() == uint64);
static_assert(dtype_of<int>() == int32 && dtype_of<float>() == float32 && dtype_of<double>() == float64);

}  // namespace

TEST_CASE("promotion is the seed's lattice") {
  for (int a = 0; a < count; ++a)
    for (int b = 0; b < count; ++b) {
      INFO(name(all[a].kind) << " with " << name(all[b].kind));
      CHECK((promote(all[a], all[b]) == upper[a][b]));
    }
}

TEST_CASE("dtypes have the seed's names, order, sizes and ranges") {
  for (int i = 0; i < count; ++i) {
    CHECK(to_text(all[i]) == seed_facts[i].name);
    CHECK(byte_size(all[i]) == seed_facts[i].bytes);
    CHECK(static_cast<int>(all[i].kind) == i + 1);
  }
  CHECK((min_value(scalar_kind::bool_) == 0 && max_value(scalar_kind::bool_) == 1));
  CHECK((min_value(scalar_kind::int8) == -128 && max_value(scalar_kind::int8) == 127));
  CHECK((min_value(scalar_kind::uint16) == 0 && max_value(scalar_kind::uint16) == 65535));
  CHECK((min_value(scalar_kind::int32) == -2147483647 - 1 && max_value(scalar_kind::uint32) == 4294967295));
  CHECK((min_value(scalar_kind::int64) == INT64_MIN && max_value(scalar_kind::int64) == INT64_MAX));
  CHECK(static_cast<u64>(max_value(scalar_kind::uint64)) == UINT64_MAX);
}

TEST_CASE("sums accumulate in the seed's dtypes") {
  const dtype expected[] = {int32, int32, uint32, int32, uint32, int32, uint32, int64, uint64, float32, float32, float32, float64};
  for (int i = 0; i < count; ++i) CHECK((accumulator(all[i]) == expected[i]));
}

TEST_CASE("dtypes print as in the conformance data") {
  CHECK(to_text(float32) == "float32");
  CHECK(to_text(float32.with_lanes(4)) == "float32x4");
  CHECK(to_text(float32.pointer(256, address_space::local)) == "float32*:256@local");
  CHECK(to_text(float32.with_lanes(4).pointer(16)) == "float32x4*:16");
  CHECK(to_text(int8.pointer()) == "int8*");
}
