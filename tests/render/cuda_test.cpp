// Emitted CUDA compiles, where nvcc is.
#include "twill/render/cuda.hpp"

#include "catch.hpp"
#include "lower/sample_programs.hpp"
#include "render/compiled.hpp"

using namespace samples;

namespace {
sample without_lanes(sample s) {
  for (tile_axis& a : s.code.axes) {
    a.lane = false;
    a.size = a.active;
  }
  return s;
}
}  // namespace

TEST_CASE("emitted CUDA compiles") {
  if (!have_command("nvcc")) {
    WARN("no nvcc");
    return;
  }
  std::vector<sample> all{vector_add(), softmax_rows(), matmul_relu(), padded(), gather(), bitcasts(1), zero_trips(), scalar_tile()};
  for (const scalar_kind k : {scalar_kind::bool_, scalar_kind::uint8, scalar_kind::int32, scalar_kind::int64, scalar_kind::float16,
                              scalar_kind::float32, scalar_kind::float64}) {
    all.push_back(casts(k, 1));
    all.push_back(reductions(k));
    all.push_back(is_float(k) ? float_ops(k, 1) : integer_ops(k, 1));
  }
  text source;
  for (size_t i = 0; i < all.size(); ++i)
    source << "namespace n" << i << " {\n" << render_cuda(view_of(without_lanes(all[i]).code), detail::say("kernel_", i)) << "}\n";
  temporary_folder folder;
  const std::string from = folder.write("code.cu", source), to = folder.file("code.cubin");
  CHECK(run_command({"nvcc", "-cubin", "-arch=sm_90", "-fmad=false", "-w", "-o", to, from}) == 0);
}

TEST_CASE("emitted CUDA refuses lanes and bad names") {
  CHECK_THROWS_AS(render_cuda(view_of(vector_add().code), "f"), graph_error);
  CHECK_THROWS_AS(render_cuda(view_of(without_lanes(vector_add()).code), "f g"), argument_error);
}
