// Ahead-of-time source: it compiles, runs and gives what the tensors give.
#include <twill/tensor.hpp>

#include <string>
#include <vector>

#include "catch.hpp"

namespace tw = twill;

namespace {
constexpr auto layer = [](auto x, auto w, auto b) { return tw::relu(tw::matmul(x, w) + b); };
constexpr auto two_kernels = [](auto x) { return tw::softmax(tw::matmul(x, x), -1); };
}  // namespace

TEST_CASE("emitted C++ runs") {
  const std::string source = tw::emit(tw::lang::cpp, layer, tw::argument_spec{tw::float32, {3, 4}}, tw::argument_spec{tw::float32, {4, 5}}, tw::argument_spec{tw::float32, {5}});
  CHECK(source.find("#include") == std::string::npos);
  CHECK(source == std::string(tw::emit(tw::lang::cpp, layer, tw::argument_spec{tw::float32, {3, 4}}, tw::argument_spec{tw::float32, {4, 5}}, tw::argument_spec{tw::float32, {5}})));
  const tw::load_result loaded = tw::load_or_compile(source, "kernel_0");
  INFO(loaded.message.c_str());
  REQUIRE(loaded.entry != nullptr);
  // The comment says which buffer is which: result 0, then the arguments in the order of their use.
  std::vector<float> x(12, 1), w(20, 2), b(5, 3), out(15, -1);
  void* buffers[4]{};
  for (int i = 0; i < 4; ++i) {
    const auto is = [&](const char* what) { return source.find("//   " + std::to_string(i) + " is " + what) != std::string::npos; };
    buffers[i] = is("result 0") ? out.data() : is("argument 0") ? x.data() : is("argument 1") ? w.data() : b.data();
  }
  const size_t at = source.find("Parallel indices: ");
  loaded.entry(buffers, 0, std::stoll(source.substr(at + 18)));
  for (const float v : out) CHECK(v == 11);
}

TEST_CASE("emitted CUDA is one kernel without includes") {
  const std::string source = tw::emit(tw::lang::cuda, layer, tw::argument_spec{tw::float32, {3, 4}}, tw::argument_spec{tw::float32, {4, 5}}, tw::argument_spec{tw::float32, {5}});
  CHECK(source.find("__global__") != std::string::npos);
  CHECK(source.find("#include") == std::string::npos);
}

TEST_CASE("what emit refuses") {
  const auto said = [](auto f) -> std::string {
    try {
      f();
    } catch (const tw::error& e) {
      return e.what();
    }
    return "nothing";
  };
  const tw::argument_spec square{tw::float32, {4, 4}};
  CHECK(said([&] { (void)tw::emit(tw::lang::cpp, two_kernels, square); }) == "emit: the function takes 2 kernels, not 1; use emit_kernels");
  CHECK(tw::emit_kernels(tw::lang::cpp, "soft", two_kernels, square).size() == 2);
  CHECK(said([&] { (void)tw::emit_kernels(tw::lang::cpp, "x;system(1)", two_kernels, square); }) == "emit: the name must be a C identifier");
  CHECK(said([&] { (void)tw::emit(tw::lang::cpp, layer, square, tw::argument_spec{tw::float32, {5, 4}}, square); }) == "matmul: (4, 4) with (5, 4): inner sizes are 4 and 5");
}
