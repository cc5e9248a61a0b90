// The network's kernels.
#include "static_path.hpp"

namespace digits {

struct mlp_kernels {
  template <auto Fn, class... Inputs>
  using with_weights = tw::kernel<Fn, Inputs..., tw::f32<pixels, hidden>, tw::f32<hidden>, tw::f32<hidden, classes>, tw::f32<classes>>;

  struct step : with_weights<mlp_model::step, images, labels> {};
  struct loss : with_weights<mlp_model::loss, images, labels> {};
  struct predict : with_weights<mlp_model::predict, images> {};
};

path_report run_static_mlp(const weight_values& initial, const divided_dataset& data) {
  return run_static<mlp_kernels>(initial, data);
}

}  // namespace digits
