// The README's tensors.
#include <twill/tensor.hpp>

#include <cstdlib>
#include <iostream>
#include <vector>

namespace tw = twill;

namespace {
inline constexpr auto layer = [](auto x, auto w, auto b) { return tw::relu(tw::matmul(x, w) + b); };
}

int main(int argc, char**) {
  const tw::i64 n = 30 + 2 * argc;
  const std::vector<float> data(static_cast<std::size_t>(n) * 64, 0.5f), weights(640, 0.25f), bias(10, -1.0f);
  // README
  const tw::tensor X = tw::tensor::from(data, {n, 64});       // n is known when the program runs
  const tw::tensor W = tw::tensor::from(weights, {64, 10}), B = tw::tensor::from(bias, {10});

  const tw::tensor Y = layer(X, W, B);                        // the kernel's lambda; nothing has run yet
  std::cout << tw::schedule(Y).front().source(tw::lang::cuda) << '\n';
  const std::vector<float> y = Y.to_vector<float>();          // emits C++, compiles, loads, runs; the next time from the cache
  const int top = tw::argmax(tw::mean(Y, 0)).item<int>();
  // end README
  return y.front() == 7.0f && top == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
