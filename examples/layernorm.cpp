// Layer normalization: one lambda, as a kernel whose shape the C++ compiler knows and as tensors of a shape known at run
// time. Both schedule it as one kernel, a row at a time, and agree.
#include <twill/kernel.hpp>
#include <twill/tensor.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <vector>

namespace tw = twill;
using namespace tw::literals;

namespace {

inline constexpr auto layernorm = [](auto x, auto scale, auto shift) {
  auto centred = x - tw::mean(x, -1_c, tw::keepdim);
  auto variance = tw::mean(centred * centred, -1_c, tw::keepdim);
  return centred / tw::sqrt(variance + 1e-5f) * scale + shift;
};
struct norm : tw::kernel<layernorm, tw::f32<6, 200>, tw::f32<200>, tw::f32<200>> {};
static_assert(norm::launches == 1 && norm::workspace_bytes == 0);

}  // namespace

int main() {
  const std::size_t rows = 6, n = 200;
  std::vector<float> x(rows * n), scale(n), shift(n), fixed(rows * n);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<float>(i)) * static_cast<float>(1 + i / n);
  for (std::size_t j = 0; j < n; ++j) scale[j] = 1 + 0.01f * static_cast<float>(j), shift[j] = static_cast<float>(j % 3);

  norm::run(fixed, x, scale, shift);

  const tw::tensor y = layernorm(tw::tensor::from(x, {rows, n}), tw::tensor::from(scale, {n}), tw::tensor::from(shift, {n}));
  const std::size_t kernels = tw::schedule(y).size();
  const std::vector<float> dynamic = y.to_vector<float>();

  double worst = 0, apart = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    double mean = 0, variance = 0;
    for (std::size_t j = 0; j < n; ++j) mean += static_cast<double>(x[i * n + j]) / static_cast<double>(n);
    for (std::size_t j = 0; j < n; ++j) variance += std::pow(static_cast<double>(x[i * n + j]) - mean, 2) / static_cast<double>(n);
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t at = i * n + j;
      const double right = (static_cast<double>(x[at]) - mean) / std::sqrt(variance + 1e-5) * static_cast<double>(scale[j]) + static_cast<double>(shift[j]);
      worst = std::max(worst, std::abs(static_cast<double>(fixed[at]) - right));
      apart = std::max(apart, static_cast<double>(std::abs(fixed[at] - dynamic[at])));
    }
  }
  std::cout << kernels << " kernel; off by " << worst << " at most; static and run-time results differ by " << apart << '\n';
  return kernels == 1 && worst < 2e-5 && apart < 2e-5 ? EXIT_SUCCESS : EXIT_FAILURE;
}
