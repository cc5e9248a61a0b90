// Static kernels: reductions.
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

TEST_CASE("static kernels: sums and products") {
  check<f32<33, 17>>("sum of columns", [](auto x) { return tw::sum(x, 0_c); });
  check<f32<5, 67>>("sum of rows", [](auto x) { return tw::sum(x, 1_c, tw::keepdim); });
  check<f64<3, 5, 7>>("sum of all", [](auto x) { return tw::sum(x); });
  check<f32<3, 4, 9>>("sum over two axes", [](auto x) { return tw::sum(x * x + 1, 0_c, 2_c); });
  check<spec<i8, 50>>("sum and mean of int8", [](auto x) { return tw::outputs(tw::sum(x), tw::mean(x)); });
  check<spec<bool, 4, 9>>("count", [](auto x) { return tw::sum(x, -1_c); });
  check<spec<i16, 7, 5>>("product of int16", [](auto x) { return tw::prod(x, 0_c); });
  check<f32<6>>("product of float32", [](auto x) { return tw::prod(x); });
  check<spec<half, 3, 21>>("float16", [](auto x) { return tw::outputs(tw::sum(x, 1_c), tw::mean(x, 1_c)); });
  check<f32<0, 3>>("of nothing", [](auto x) { return tw::outputs(tw::sum(x, 0_c), tw::prod(x, 0_c), tw::max(x, 0_c)); });
  check<f32<1>>("the same all over a tile", [](auto x) { return tw::sum(tw::exp(tw::pad<tw::pads{{3, 8}}>(tw::expand<6>(x)))); });
  check<f32<1, 5>>("over one", [](auto x) { return tw::sum(x, 0_c); });
}

TEST_CASE("static kernels: extremes") {
  check<f32<4, 37>>("max, min", [](auto x) { return tw::outputs(tw::max(x, 1_c), tw::min(x, 1_c)); });
  check<spec<u64, 3, 3>>("max of uint64", [](auto x) { return tw::max(x); });
  check<spec<bool, 2, 5>>("any, all", [](auto x) { return tw::outputs(tw::max(x), tw::min(x, 0_c)); });
  check<f32<5, 19>>("argmax", [](auto x) { return tw::argmax(x, 1_c); });
  check<spec<int, 7, 3>>("argmin", [](auto x) { return tw::outputs(tw::argmin(x), tw::argmax(x, 0_c, tw::keepdim)); });
  check<f32<3, 33>>("reduce, elementwise, reduce", [](auto x) { return tw::mean(tw::exp(x - tw::max(x, 1_c, tw::keepdim)), 1_c); });
}
