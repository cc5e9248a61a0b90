// Trains two models on handwritten digits, each with kernels of the C++ compiler and with kernels made when run, and compares.
//
//   digits [FILE.csv [FOLDER]]      FOLDER gets the emitted source; it is "emitted" beside the program if not given
#include "report.hpp"
#include "runtime_path.hpp"
#include "static_path.hpp"

namespace digits {

template <class Model>
path_report run_at_run_time(const weight_values& initial, const divided_dataset& data, kernel_log& log) {
  runtime_path<Model> p(initial);
  path_report out;
  p.prepare([&](const std::string& function, const tw::tensor_schedule& kernels) {
    log.add(std::string(Model::file_name) + "_" + function, kernels);
    (function == "step" ? out.kernels.step : function == "loss" ? out.kernels.loss : out.kernels.predict) = kernels.size();
  });
  out.result = train(p, data);
  return out;
}

struct comparison {
  trained result;
  bool agree = false, accurate = false;
};

template <class Model, class RunStatic>
comparison compare(const RunStatic& run_static, const divided_dataset& data, kernel_log& log) {
  const weight_values initial = initial_weights<Model>();
  const path_report fixed = run_static(initial, data), lazy = run_at_run_time<Model>(initial, data, log);
  const bool agree = print_comparison(Model::name, fixed, lazy);
  return {fixed.result, agree, std::min(fixed.result.accuracy, lazy.result.accuracy) >= Model::required_accuracy};
}

int run(const std::string& file, bool own_file, const std::filesystem::path& folder) {
  const divided_dataset data = divide(read_digits(file));
  std::printf("%s\n%zu rows to train, %zu to test; %d steps of %d rows for each model and path\n", file.c_str(), data.train.size(),
              data.test.size(), steps, batch_size);
  kernel_log log(folder);
  const comparison regression = compare<regression_model>(run_static_regression, data, log);
  const comparison mlp = compare<mlp_model>(run_static_mlp, data, log);
  print_images(data.test, {{regression_model::name, &regression.result.predictions}, {mlp_model::name, &mlp.result.predictions}});
  log.print();

  if (!regression.agree || !mlp.agree) return 1;
  if (own_file || (regression.accurate && mlp.accurate)) return 0;
  std::fprintf(stderr, "digits: a model is less accurate than it should be (%g and %g)\n", regression_model::required_accuracy,
               mlp_model::required_accuracy);
  return 1;
}

}  // namespace digits

int main(int argc, char** argv) {
  try {
    const std::filesystem::path beside = std::filesystem::path(argv[0]).parent_path() / "emitted";
    return digits::run(argc > 1 ? argv[1] : DIGITS_CSV, argc > 1, argc > 2 ? std::filesystem::path(argv[2]) : beside);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  }
}
