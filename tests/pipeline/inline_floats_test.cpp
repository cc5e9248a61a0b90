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
  check<[](auto x) { return tw::exp(x); }, f32<17>>("exp");
  check<[](auto x) { return tw::exp2(x); }, f64<5, 3>>("exp2");
  check<[](auto x) { return tw::log(x); }, f32<31>>("log");
  check<[](auto x) { return tw::log2(x); }, f64<2, 7>>("log2");
  check<[](auto x) { return tw::sin(x); }, f32<33>>("sin");
  check<[](auto x) { return tw::sqrt(x); }, f64<9>>("sqrt");
  check<[](auto x) { return tw::recip(x); }, f32<1>>("recip");
  check<[](auto x) { return tw::tanh(x); }, f32<3, 5>>("tanh");
  check<[](auto x) { return tw::sigmoid(x); }, f32<16>>("sigmoid");
  check<[](auto x) { return tw::relu(-x); }, f64<2, 1, 3, 1, 2>>("relu, rank 5");
  check<[](auto x) { return tw::exp(x); }, f32<0, 3>>("exp of nothing");
  check<[](auto x) { return tw::sin(x) * 2; }, f32<>>("rank 0");
}

TEST_CASE("static kernels: functions of several floats") {
  check<[](auto x, auto y) { return x * y + x; }, f32<8, 31>, f32<8, 31>>("x * y + x");
  check<[](auto x, auto y, auto z) { return (x - y) / z; }, f32<3, 1>, f32<1, 5>, f32<>>("broadcasting three ways");
  check<[](auto x, auto y) { return tw::outputs(tw::maximum(x, y), tw::minimum(x, y)); }, f32<19>, f32<19>>("maximum, minimum");
  check<[](auto x, auto y) { return tw::outputs(x < y, x <= y, x == y, x >= y); }, f32<23>, f32<23>>("comparisons");
  check<[](auto x, auto y) { return tw::where(x != y, x, y * 0.5); }, f64<7>, f64<7>>("where");
  check<[](auto x, auto y) { return tw::outputs(x + y, tw::exp(x) * y); }, f32<2, 9>, spec<half, 9>>("float32 with float16");
  check<[](auto x, auto y) { return x * y + 0.1; }, spec<half, 5, 7>, spec<half, 7>>("float16");
  check<[](auto x) { return tw::outputs(tw::exp(x), x * 2.1); }, spec<bhalf, 21>>("bfloat16");
  check<[](auto x) { return tw::outputs(x, x, x + 1); }, f32<5>>("an argument as an output, twice");
}
