// The models as kernels: shapes are types, and the C++ compiler records, fuses and lowers the lambdas of model.hpp.
#pragma once

#include "training.hpp"

namespace digits {

using images = tw::f32<batch_size, pixels>;
using labels = tw::spec<int, batch_size>;

struct regression_kernels {
  template <auto Fn, class... Inputs>
  using with_weights = tw::kernel<Fn, Inputs..., tw::f32<pixels, classes>, tw::f32<classes>>;

  struct step : with_weights<regression_model::step, images, labels> {};
  struct loss : with_weights<regression_model::loss, images, labels> {};
  struct predict : with_weights<regression_model::predict, images> {};
};

struct mlp_kernels {
  template <auto Fn, class... Inputs>
  using with_weights = tw::kernel<Fn, Inputs..., tw::f32<pixels, hidden>, tw::f32<hidden>, tw::f32<hidden, classes>, tw::f32<classes>>;

  struct step : with_weights<mlp_model::step, images, labels> {};
  struct loss : with_weights<mlp_model::loss, images, labels> {};
  struct predict : with_weights<mlp_model::predict, images> {};
};

template <class Kernels>
class static_path {
 public:
  static constexpr size_t weight_count = Kernels::step::result_count;
  static constexpr size_t step_kernels = Kernels::step::launches, loss_kernels = Kernels::loss::launches,
                          predict_kernels = Kernels::predict::launches;

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

}  // namespace digits
