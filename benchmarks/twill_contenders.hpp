// twill's contenders for one function: compiled with the program, compiled at run time, and as a tensor expression.
#pragma once

#include <twill/kernel.hpp>
#include <twill/tensor.hpp>

#include <array>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <tuple>

#include "harness.hpp"

namespace bench {

inline constexpr const char* twill_static = "twill, static";
inline constexpr const char* twill_run_time = "twill, run time";
inline constexpr const char* twill_tensor = "twill, tensor expression";

// An argument of the function.
struct argument {
  const floats& elements;
  twill::shape shape;

  twill::tensor tensor() const { return twill::tensor::borrow(elements.data(), shape); }
};

// Fn on arguments of these shapes, scheduled and compiled at run time.
template <auto Fn, class... Arguments>
std::shared_ptr<const twill::executable> prepared(const Arguments&... arguments) {
  twill::recorder recorder;
  const twill::shape shapes[]{arguments.shape...};
  const twill::u32 output = [&]<size_t... I>(std::index_sequence<I...>) {
    const twill::tracer operands[]{twill::record_argument(recorder, static_cast<twill::i64>(I), twill::float32, shapes[I])...};
    return Fn(operands[I]...).id;
  }(std::index_sequence_for<Arguments...>{});
  const auto program = std::make_shared<twill::executable>(recorder, twill::span<const twill::u32>(&output, 1));
  if (program->workspace_bytes() != 0) throw std::runtime_error("the function needs a workspace");
  program->prepare();
  return program;
}

// Kernel is twill::kernel<Fn, …> of the arguments' shapes. The run-time kernel is prepared once and called with pointers;
// the expression is recorded anew in every run, finds its compiled kernel, and allocates its result.
template <class Kernel, auto Fn, class... Arguments>
void add_twill(contest& c, const floats& out, const Arguments&... arguments) {
  c.add(twill_static, [&out, arguments...] { Kernel::run(out.data(), arguments.elements.data()...); });

  twill::set_execution(twill::execution::compiled);
  c.add(twill_run_time, [program = prepared<Fn>(arguments...), to = std::array<void*, 1>{out.data()},
                         from = std::array<void*, sizeof...(Arguments)>{arguments.elements.data()...}] {
    program->run(to.data(), from.data(), nullptr);
  });
  c.add(twill_tensor, [&out, inputs = std::tuple{arguments.tensor()...}] {
    const twill::tensor y = std::apply(Fn, inputs);
    const float* elements = y.template data<float>();
    if (out[0] == contest::unset) std::memcpy(out.data(), elements, out.size() * sizeof(float));  // to be checked
  });
  // Within a tenth of the static kernel.
  c.target(twill_run_time, twill_static, 1 / 1.1);
}

}  // namespace bench
