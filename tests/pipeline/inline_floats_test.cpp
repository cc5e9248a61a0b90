// Static kernels: elementwise functions of floats.
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

TEST_CASE("static kernels: functions of one float") {
  check<f32<17>>("exp", [](auto x) { return tw::exp(x); });
  check<f64<5, 3>>("exp2", [](auto x) { return tw::exp2(x); });
  check<f32<31>>("log", [](auto x) { return tw::log(x); });
  check<f64<2, 7>>("log2", [](auto x) { return tw::log2(x); });
  check<f32<33>>("sin", [](auto x) { return tw::sin(x); });
  check<f64<9>>("sqrt", [](auto x) { return tw::sqrt(x); });
  check<f32<1>>("recip", [](auto x) { return tw::recip(x); });
  check<f32<3, 5>>("tanh", [](auto x) { return tw::tanh(x); });
  check<f32<16>>("sigmoid", [](auto x) { return tw::sigmoid(x); });
  check<f64<2, 1, 3, 1, 2>>("relu, rank 5", [](auto x) { return tw::relu(-x); });
  check<f32<0, 3>>("exp of nothing", [](auto x) { return tw::exp(x); });
  check<f32<>>("rank 0", [](auto x) { return tw::sin(x) * 2; });
}

TEST_CASE("static kernels: functions of several floats") {
  check<f32<8, 31>, f32<8, 31>>("x * y + x", [](auto x, auto y) { return x * y + x; });
  check<f32<3, 1>, f32<1, 5>, f32<>>("broadcasting three ways", [](auto x, auto y, auto z) { return (x - y) / z; });
  check<f32<19>, f32<19>>("maximum, minimum", [](auto x, auto y) { return tw::outputs(tw::maximum(x, y), tw::minimum(x, y)); });
  check<f32<23>, f32<23>>("comparisons", [](auto x, auto y) { return tw::outputs(x < y, x <= y, x == y, x >= y); });
  check<f64<7>, f64<7>>("where", [](auto x, auto y) { return tw::where(x != y, x, y * 0.5); });
  check<f32<2, 9>, spec<half, 9>>("float32 with float16", [](auto x, auto y) { return tw::outputs(x + y, tw::exp(x) * y); });
  check<spec<half, 5, 7>, spec<half, 7>>("float16", [](auto x, auto y) { return x * y + 0.1; });
  check<spec<bhalf, 21>>("bfloat16", [](auto x) { return tw::outputs(tw::exp(x), x * 2.1); });
  check<f32<5>>("an argument as an output, twice", [](auto x) { return tw::outputs(x, x, x + 1); });
}
