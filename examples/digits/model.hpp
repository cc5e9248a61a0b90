// The models: functions of operands. Kernels and tensors are made from the same lambdas, see static_path.hpp, runtime_path.hpp.
//
// x is (batch, 64), pixels from 0 to 1; digit is (batch), -1 in a row that only fills the batch up.
#pragma once

#include <twill/kernel.hpp>

namespace digits {

namespace tw = twill;
using namespace tw::literals;

inline constexpr int pixels = 64, hidden = 64, classes = 10;
inline constexpr int batch_size = 32, steps = 800;

// 1 in the column of the digit, else 0; a filling row is all 0.
inline constexpr auto target = [](auto digit) { return tw::cast<float>(tw::one_hot(digit, 10_c)); };

// The cross entropy of softmax(z), summed over the batch; a filling row adds 0.
inline constexpr auto cross_entropy = [](auto z, auto digit) {
  const auto shifted = z - tw::max(z, -1_c, tw::keepdim);
  return -tw::sum(target(digit) * (shifted - tw::log(tw::sum(tw::exp(shifted), -1_c, tw::keepdim))));
};

// The derivative by z of the mean cross entropy, times the learning rate.
inline constexpr auto scaled_error = [](auto z, auto digit, float rate) {
  return (tw::softmax(z, -1_c) - target(digit)) * (rate / float{batch_size});
};

namespace regression {

inline constexpr auto forward = [](auto x, auto w, auto b) { return tw::matmul(x, w) + b; };

inline constexpr auto loss = [](auto x, auto digit, auto w, auto b) { return cross_entropy(forward(x, w, b), digit); };

// The weights after one step of gradient descent.
inline constexpr auto step = [](auto x, auto digit, auto w, auto b) {
  const auto e = scaled_error(forward(x, w, b), digit, 1.0f);
  return tw::outputs(w - tw::matmul(tw::transpose(x), e), b - tw::sum(e, 0_c));
};

}  // namespace regression

namespace mlp {

inline constexpr auto layer = [](auto x, auto w, auto b) { return tw::relu(tw::matmul(x, w) + b); };

inline constexpr auto forward = [](auto x, auto w1, auto b1, auto w2, auto b2) { return tw::matmul(layer(x, w1, b1), w2) + b2; };

inline constexpr auto loss = [](auto x, auto digit, auto w1, auto b1, auto w2, auto b2) {
  return cross_entropy(forward(x, w1, b1, w2, b2), digit);
};

inline constexpr auto step = [](auto x, auto digit, auto w1, auto b1, auto w2, auto b2) {
  const auto h = layer(x, w1, b1);
  const auto e2 = scaled_error(tw::matmul(h, w2) + b2, digit, 0.5f);
  const auto e1 = tw::where(h > 0.0f, tw::matmul(e2, tw::transpose(w2)), 0.0f);  // through the relu
  return tw::outputs(w1 - tw::matmul(tw::transpose(x), e1), b1 - tw::sum(e1, 0_c),
                     w2 - tw::matmul(tw::transpose(h), e2), b2 - tw::sum(e2, 0_c));
};

}  // namespace mlp

// The digit that a forward pass finds likeliest.
template <auto Forward>
inline constexpr auto predict = [](auto... arguments) { return tw::argmax(Forward(arguments...), -1_c); };

// A model as both paths see it: its functions, and the shapes of its weights.
struct regression_model {
  static constexpr auto name = "regression 64-10", file_name = "regression";
  static constexpr auto loss = regression::loss;
  static constexpr auto step = regression::step;
  static constexpr auto predict = digits::predict<regression::forward>;
  static inline const tw::shape weights[]{{pixels, classes}, {classes}};
  static constexpr double required_accuracy = 0.95;
};
struct mlp_model {
  static constexpr auto name = "mlp 64-64-10", file_name = "mlp";
  static constexpr auto loss = mlp::loss;
  static constexpr auto step = mlp::step;
  static constexpr auto predict = digits::predict<mlp::forward>;
  static inline const tw::shape weights[]{{pixels, hidden}, {hidden}, {hidden, classes}, {classes}};
  static constexpr double required_accuracy = 0.96;
};

}  // namespace digits
