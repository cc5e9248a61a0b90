// Static kernels: movement and constants.
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

TEST_CASE("static kernels: movement") {
  check<f32<4, 6>>("reshape", [](auto x) { return tw::reshape<3, 8>(x) + 1; });
  check<spec<i16, 5, 7>>("reshape of a transpose", [](auto x) { return tw::reshape<-1>(tw::transpose(x)); });
  check<f32<3, 1>>("expand", [](auto x) { return tw::expand<4, 3, 5>(x); });
  check<f64<3, 4, 5>>("permute", [](auto x) { return tw::permute<2, 0, 1>(x) * 2; });
  check<spec<u8, 2, 3, 9>>("transpose", [](auto x) { return tw::transpose(x, 0_c, 2_c); });
  check<f32<5, 7>>("pad", [](auto x) { return tw::pad<tw::pads{{1, 0}, {0, 2}}>(x); });
  check<f32<17>>("pad of exp", [](auto x) { return tw::pad<tw::pads{{1, 2}}>(tw::exp(x)) + 1; });
  check<spec<int, 5, 9>>("shrink", [](auto x) { return tw::shrink<tw::pads{{1, 4}, {0, 3}}>(x); });
  check<f32<3, 11>>("flip", [](auto x) { return tw::flip(x, 0_c, 1_c) - x; });
  check<f32<4, 6>>("sum of a padded reciprocal", [](auto x) { return tw::sum(tw::pad<tw::pads{{0, 1}, {2, 0}}>(tw::recip(x)), 1_c); });
  check<f32<9, 2>>("contiguous", [](auto x) { return tw::contiguous(x * 2) + tw::flip(x, 0_c); });
  check<f32<2, 2>>("views of views", [](auto x) { return tw::flip(tw::reshape<2, 6>(tw::pad<tw::pads{{1, 0}, {1, 1}}>(x)), 1_c); });
}

TEST_CASE("static kernels: constants that join") {
  check<f32<3, 7>>("arange", [](auto x) { return x + tw::arange(7); });
  check<spec<i16, 5>>("full", [](auto x) { return x * tw::full(tw::shape(2, 5), 1.5f); });
  check<spec<u8, 2, 5>>("one_hot", [](auto x) { return tw::one_hot(x, 6_c); });
  check<spec<int, 5>>("a mask of arange", [](auto x) { return tw::where(tw::arange(5) < x, x, -1); });
}
