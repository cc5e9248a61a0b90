#include "twill/runtime/cuda_compiler.hpp"

#include "catch.hpp"
#include "scratch.hpp"

using scratch::variable;

TEST_CASE("CUDA text becomes an image") {
  if (twill::find_cuda_compiler().empty()) return;
  const auto binary = twill::compile_cuda("extern \"C\" __global__ void f(float* x) { x[threadIdx.x] *= 2.0f; }\n");
  INFO(binary.message.c_str());
  REQUIRE(binary);
  CHECK(twill::text_view(binary.image.data(), 4) == twill::text_view("\177ELF"));
  const auto text =
      twill::compile_cuda("extern \"C\" __global__ void f(float* x) { x[threadIdx.x] *= 2.0f; }\n", "sm_90", twill::cuda_image::ptx);
  REQUIRE(text);
  CHECK(twill::text_view(text.image.data(), text.image.size()).contains(".entry f("));
  const auto bad = twill::compile_cuda("extern \"C\" __global__ void f(float* x) { undeclared_name = 1; }\n");
  CHECK_FALSE(bad);
  CHECK(bad.message.contains("undeclared_name"));
}

TEST_CASE("a CUDA compiler that is not there or fails is a message") {
  {
    const variable compiler("TWILL_NVCC", "/nonexistent");
    CHECK(twill::compile_cuda("").message == "there is no CUDA compiler: TWILL_NVCC is '/nonexistent', which is no program");
  }
  const variable compiler("TWILL_NVCC", "/bin/false");
  CHECK(twill::compile_cuda("").message.contains("/bin/false ended with status 1"));
}
