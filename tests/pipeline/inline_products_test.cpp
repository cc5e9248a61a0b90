// Static kernels: products and rows.
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

TEST_CASE("static kernels: matrix products") {
  check<f32<5, 7>, f32<7, 9>>("matmul", [](auto x, auto y) { return tw::matmul(x, y); });
  check<f64<16, 16>, f64<16, 16>>("float64 matmul", [](auto x, auto y) { return tw::matmul(x, y); });
  check<spec<i8, 3, 9>, spec<i8, 9, 4>>("int8 matmul", [](auto x, auto y) { return tw::matmul(x, y); });
  check<f32<2, 3, 5>, f32<5, 4>>("batched matmul", [](auto x, auto y) { return tw::matmul(x, y); });
  check<f32<19>, f32<19>>("dot products", [](auto x, auto y) { return tw::outputs(tw::matmul(x, y), tw::matmul(x, x)); });
  check<f32<33, 1>, f32<1, 2>>("outer product", [](auto x, auto y) { return tw::matmul(x, y); });
  check<f32<3, 8>, f32<8, 10>, f32<10>>("dense", [](auto x, auto y, auto b) { return tw::relu(tw::matmul(x, y) + b); });
  check<spec<half, 4, 17>, spec<half, 3, 17>>("float16 matmul", [](auto x, auto y) { return tw::matmul(x, tw::transpose(y)); });
}

TEST_CASE("static kernels: rows") {
  check<f32<5, 33>>("softmax", [](auto x) { return tw::softmax(x, 1_c); });
  check<f32<7, 6>>("softmax of columns", [](auto x) { return tw::softmax(x, 0_c); });
  check<f32<4, 29>>("layernorm", [](auto x) {
    const auto centred = x - tw::mean(x, 1_c, tw::keepdim);
    return centred / tw::sqrt(tw::mean(centred * centred, 1_c, tw::keepdim) + 1e-3);
  });
  check<f32<4, 8>, f32<6, 8>, f32<6, 8>>("attention", [](auto q, auto k, auto v) { return tw::matmul(tw::softmax(tw::matmul(q, tw::transpose(k)) * 0.5f), v); });
}
