// Training with kernels: shapes are types, and the C++ compiler records, fuses and lowers the lambdas of model.hpp.
// Kernels has the kernels step, loss and predict, see static_regression.cpp and static_mlp.cpp.
#pragma once

#include "training.hpp"

namespace digits {

using images = tw::f32<batch_size, pixels>;
using labels = tw::spec<int, batch_size>;

template <class Kernels>
class static_path {
 public:
  static constexpr size_t weight_count = Kernels::step::result_count;

  explicit static_path(const weight_values& initial) : weights_(initial), next_(initial) {}

  void step(const batch& b) {
    with_indices([&](auto... i) { Kernels::step::run(next_[i]..., b.images, b.digits, weights_[i]...); });
    std::swap(weights_, next_);
  }
  float loss(const batch& b) const {
    float out[1];
    with_indices([&](auto... i) { Kernels::loss::run(out, b.images, b.digits, weights_[i]...); });
    return out[0];
  }
  std::array<int, batch_size> predict(const batch& b) const {
    std::array<int, batch_size> out;
    with_indices([&](auto... i) { Kernels::predict::run(out, b.images, weights_[i]...); });
    return out;
  }
  const weight_values& weights() const { return weights_; }

 private:
  template <class Use>
  static void with_indices(const Use& use) {
    [&]<size_t... I>(std::index_sequence<I...>) { use(std::integral_constant<size_t, I>{}...); }(std::make_index_sequence<weight_count>{});
  }

  weight_values weights_, next_;
};

template <class Kernels>
path_report run_static(const weight_values& initial, const divided_dataset& data) {
  static_path<Kernels> path(initial);
  return {train(path, data), {Kernels::step::launches, Kernels::loss::launches, Kernels::predict::launches}};
}

// Each in a source of its own, so that they compile side by side.
path_report run_static_regression(const weight_values& initial, const divided_dataset& data);
path_report run_static_mlp(const weight_values& initial, const divided_dataset& data);

}  // namespace digits
