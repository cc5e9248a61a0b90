// The models on tensors: shapes are values, and the program itself emits, compiles and loads the kernels of the lambdas of
// model.hpp, or interprets them where there is no compiler.
#pragma once

#include <twill/tensor.hpp>

#include <tuple>

#include "training.hpp"

namespace digits {

template <class Model>
class runtime_path {
 public:
  static constexpr size_t weight_count = std::size(Model::weights);

  explicit runtime_path(const weight_values& initial) {
    for (size_t i = 0; i < weight_count; ++i) weights_[i] = tw::tensor::from(initial[i], Model::weights[i]);
  }

  void step(const batch& b) {
    const auto next = stepped(b);
    realize(next);
    std::copy(std::begin(next.items), std::end(next.items), weights_.begin());
  }
  float loss(const batch& b) const { return loss_of(b).template item<float>(); }
  std::vector<int> predict(const batch& b) const { return predicted(b).template to_vector<int>(); }
  weight_values weights() const {
    weight_values out;
    for (const tw::tensor& w : weights_) out.push_back(w.to_vector<float>());
    return out;
  }

  // Compiles every kernel, by running each function on a blank batch, and calls see(function's name, its schedule).
  template <class See>
  void prepare(const See& see) const {
    const batch blank;
    const auto next = stepped(blank);
    const tw::tensor lost = loss_of(blank), found = predicted(blank);
    const auto list = pointers(next);
    const tw::tensor_schedule of_step(list), of_loss = tw::schedule(lost), of_predict = tw::schedule(found);
    realize(next);
    lost.realize();
    found.realize();
    see("step", of_step);
    see("loss", of_loss);
    see("predict", of_predict);
  }

 private:
  using outputs = tw::results<tw::tensor, weight_count>;

  static tw::tensor images(const batch& b) { return tw::tensor::from(b.images, {batch_size, pixels}); }
  static tw::tensor labels(const batch& b) { return tw::tensor::from(b.digits, {batch_size}); }
  outputs stepped(const batch& b) const {
    return std::apply([&](const auto&... w) { return Model::step(images(b), labels(b), w...); }, weights_);
  }
  tw::tensor loss_of(const batch& b) const {
    return std::apply([&](const auto&... w) { return Model::loss(images(b), labels(b), w...); }, weights_);
  }
  tw::tensor predicted(const batch& b) const {
    return std::apply([&](const auto&... w) { return Model::predict(images(b), w...); }, weights_);
  }
  static std::array<const tw::tensor*, weight_count> pointers(const outputs& r) {
    std::array<const tw::tensor*, weight_count> out;
    std::transform(std::begin(r.items), std::end(r.items), out.begin(), [](const tw::tensor& t) { return &t; });
    return out;
  }
  static void realize(const outputs& r) { tw::realize_all(pointers(r)); }

  std::array<tw::tensor, weight_count> weights_;
};

}  // namespace digits
