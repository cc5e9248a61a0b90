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
  check<[](auto x) { return tw::reshape<3, 8>(x) + 1; }, f32<4, 6>>("reshape");
  check<[](auto x) { return tw::reshape<-1>(tw::transpose(x)); }, spec<i16, 5, 7>>("reshape of a transpose");
  check<[](auto x) { return tw::expand<4, 3, 5>(x); }, f32<3, 1>>("expand");
  check<[](auto x) { return tw::permute<2, 0, 1>(x) * 2; }, f64<3, 4, 5>>("permute");
  check<[](auto x) { return tw::transpose(x, 0_c, 2_c); }, spec<u8, 2, 3, 9>>("transpose");
  check<[](auto x) { return tw::pad<tw::pads{{1, 0}, {0, 2}}>(x); }, f32<5, 7>>("pad");
  check<[](auto x) { return tw::pad<tw::pads{{1, 2}}>(tw::exp(x)) + 1; }, f32<17>>("pad of exp");
  check<[](auto x) { return tw::shrink<tw::pads{{1, 4}, {0, 3}}>(x); }, spec<int, 5, 9>>("shrink");
  check<[](auto x) { return tw::flip(x, 0_c, 1_c) - x; }, f32<3, 11>>("flip");
  check<[](auto x) { return tw::sum(tw::pad<tw::pads{{0, 1}, {2, 0}}>(tw::recip(x)), 1_c); }, f32<4, 6>>("sum of a padded reciprocal");
  check<[](auto x) { return tw::contiguous(x * 2) + tw::flip(x, 0_c); }, f32<9, 2>>("contiguous");
  check<[](auto x) { return tw::flip(tw::reshape<2, 6>(tw::pad<tw::pads{{1, 0}, {1, 1}}>(x)), 1_c); }, f32<2, 2>>("views of views");
}

TEST_CASE("static kernels: constants that join") {
  check<[](auto x) { return x + tw::arange(7); }, f32<3, 7>>("arange");
  check<[](auto x) { return x * tw::full(tw::shape(2, 5), 1.5f); }, spec<i16, 5>>("full");
  check<[](auto x) { return tw::one_hot(x, 6_c); }, spec<u8, 2, 5>>("one_hot");
  check<[](auto x) { return tw::where(tw::arange(5) < x, x, -1); }, spec<int, 5>>("a mask of arange");
}
