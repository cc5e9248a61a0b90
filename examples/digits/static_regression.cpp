// The regression's kernels.
#include "static_path.hpp"

namespace digits {

struct regression_kernels {
  template <auto Fn, class... Inputs>
  using with_weights = tw::kernel<Fn, Inputs..., tw::f32<pixels, classes>, tw::f32<classes>>;

  struct step : with_weights<regression_model::step, images, labels> {};
  struct loss : with_weights<regression_model::loss, images, labels> {};
  struct predict : with_weights<regression_model::predict, images> {};
};

path_report run_static_regression(const weight_values& initial, const divided_dataset& data) {
  return run_static<regression_kernels>(initial, data);
}

}  // namespace digits
