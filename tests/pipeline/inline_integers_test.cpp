// Static kernels: integers, bools and casts.
#include "pipeline/inline_runs.hpp"

namespace {
namespace tw = twill;
using namespace tw::literals;
using tw::f32, tw::f64, tw::spec, tw::scalar_kind;
using tw::i8, tw::i16, tw::i64, tw::u8, tw::u16, tw::u32, tw::u64;
using half = pipeline::float16_element;
using bhalf = pipeline::bfloat16_element;
}  // namespace
using pipeline::check;

TEST_CASE("static kernels: integer arithmetic") {
  check<spec<u8, 33>, spec<u8, 33>>("uint8 +", [](auto x, auto y) { return x + y; });
  check<spec<i8, 17>, spec<i8, 17>>("int8 -", [](auto x, auto y) { return x - y; });
  check<spec<i64, 5>, spec<i64, 5>>("int64 *", [](auto x, auto y) { return x * y; });
  check<spec<int, 16, 2>, spec<int, 2>>("int32 / %", [](auto x, auto y) { return tw::outputs(x / y, x % y); });
  check<spec<int, 18>>("x / x", [](auto x) { return tw::outputs(x / x, x % x, tw::floor_divide(x, x)); });
  check<spec<u64, 5>>("x / x of uint64", [](auto x) { return tw::outputs(x / x, tw::floor_divide(x, x)); });
  check<spec<i64, 11>>("x / x of int64", [](auto x) { return x / x; });
  check<spec<i64, 9>, spec<i64, 1>>("int64 / %", [](auto x, auto y) { return tw::outputs(x / y, x % y); });
  check<spec<i16, 31>, spec<i16, 31>>("int16 floor", [](auto x, auto y) { return tw::outputs(tw::floor_divide(x, y), tw::floor_mod(x, y)); });
  check<spec<u64, 8>, spec<u64, 8>>("uint64 floor", [](auto x, auto y) { return tw::outputs(tw::floor_divide(x, y), tw::floor_mod(x, y)); });
  check<spec<u16, 7>, spec<u16, 7>>("true_divide", [](auto x, auto y) { return tw::true_divide(x, y); });
  check<spec<u64, 9>, spec<u64, 9>>("uint64 order", [](auto x, auto y) { return tw::outputs(tw::maximum(x, y), tw::minimum(x, y), x < y); });
  check<spec<u32, 6>, spec<int, 6>>("uint32 with int32", [](auto x, auto y) { return x + y; });
  check<spec<i16, 3, 3>>("negate", [](auto x) { return -x + 1; });
}

TEST_CASE("static kernels: bools and casts") {
  check<spec<bool, 37>, spec<bool, 37>>("bool + * !", [](auto x, auto y) { return tw::outputs(x + y, x * y, !x); });
  check<f32<29>>("from float32", [](auto x) { return tw::outputs(tw::cast<bool>(x), tw::cast<int>(x), tw::cast<u8>(x)); });
  check<f64<11>>("from float64", [](auto x) { return tw::outputs(tw::cast<i64>(x), tw::cast<u64>(x), tw::cast<float>(x)); });
  check<f32<19>>("to float16", [](auto x) { return tw::outputs(tw::cast<scalar_kind::float16>(x), tw::cast<scalar_kind::bfloat16>(x)); });
  check<spec<half, 13>>("from float16", [](auto x) { return tw::outputs(tw::cast<float>(x), tw::cast<i8>(x), tw::cast<i64>(x)); });
  check<spec<i64, 10>>("from int64", [](auto x) { return tw::outputs(tw::cast<float>(x), tw::cast<double>(x), tw::cast<scalar_kind::float16>(x)); });
  check<spec<u64, 4, 3>>("from uint64", [](auto x) { return tw::outputs(tw::cast<float>(x), tw::cast<i16>(x)); });
  check<spec<i8, 2, 9>, spec<bool, 9>>("where", [](auto x, auto c) { return tw::where(c, x, 3); });
}
