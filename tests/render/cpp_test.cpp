// Emitted C++, compiled and run, against the interpreter.
#include "twill/render/cpp.hpp"

#include "catch.hpp"
#include "lower/random_programs.hpp"
#include "lower/sample_runs.hpp"
#include "render/compiled.hpp"

using namespace samples;

namespace {

std::vector<sample> all_samples() {
  std::vector<sample> all{vector_add(),   vector_add(2, 0),
                          softmax_rows(), softmax_rows(2, 1, 3),
                          matmul_relu(),  matmul_relu(7, 12, 4, 4, 3, 4),
                          padded(),       padded(4),
                          gather(),       gather(8),
                          bitcasts(),     bitcasts(1),
                          zero_trips(),   scalar_tile()};
  for (int k = static_cast<int>(scalar_kind::bool_); k <= static_cast<int>(scalar_kind::float64); ++k) {
    const scalar_kind kind = static_cast<scalar_kind>(k);
    all.push_back(reductions(kind));
    for (const int lanes : {1, 8}) {
      all.push_back(casts(kind, lanes));
      all.push_back(is_float(kind) ? float_ops(kind, lanes) : integer_ops(kind, lanes));
    }
  }
  all.push_back(float_ops(scalar_kind::float32, 16));
  all.push_back(float_ops(scalar_kind::float64, 2));
  return all;
}

// All programs as one translation unit: each in a namespace of its own.
text translation_unit(const std::vector<sample>& all) {
  text out;
  for (size_t i = 0; i < all.size(); ++i) {
    out << "namespace n" << i << " {\n" << render_cpp(view_of(all[i].code), detail::say("kernel_", i)) << "}\n";
  }
  return out;
}

// Equal words, but that zeros of either sign are equal.
size_t differences(const vector<vector<i64>>& a, const vector<vector<i64>>& b, const program& p) {
  size_t count = 0;
  for (size_t n = 0; n < a.size(); ++n)
    for (size_t e = 0; e < a[n].size(); ++e) {
      const bool equal = a[n][e] == b[n][e] || (is_float(p.buffers[n].kind) && double_of(a[n][e]) == double_of(b[n][e]));
      if (!equal) ++count;
    }
  return count;
}

void compare(const std::vector<sample>& all, std::vector<std::string> compiler) {
  if (!have_command(compiler[0].c_str())) {
    WARN("no " << compiler[0]);
    return;
  }
  for (const char* flag : cpp_flags) compiler.push_back(flag);
  const compiled_code code(translation_unit(all), compiler);
  REQUIRE(code.ok());
  for (size_t i = 0; i < all.size(); ++i) {
    CAPTURE(i, all[i].name, name(all[i].code.buffers[0].kind));
    const kernel_function kernel = code.function("kernel_" + std::to_string(i));
    REQUIRE(kernel != nullptr);
    const auto expected = run_on_memory(all[i]);
    raw_buffers whole(all[i]), pieces(all[i]);
    kernel(whole.arguments(), 0, all[i].code.parallel_count);
    CHECK(differences(whole.words(), expected, all[i].code) == 0);
    for (i64 p = 0; p < all[i].code.parallel_count; ++p) kernel(pieces.arguments(), p, p + 1);
    CHECK(differences(pieces.words(), expected, all[i].code) == 0);
  }
}

std::vector<sample> random_samples(u64 seed, size_t count) {
  std::vector<sample> all;
  for (u64 i = 0; i < count; ++i)
    for (const int lanes : {1, 4, 8}) all.push_back(random_alu(seed + i, lanes));
  return all;
}

}  // namespace

// Bit for bit also for elementary functions and sums: every operation rounds the same, in the same order.
TEST_CASE("emitted C++: g++") { compare(all_samples(), {"g++", "-O2", "-march=native"}); }
TEST_CASE("emitted C++: clang") { compare(all_samples(), {"clang++-19", "-O2", "-march=native"}); }
TEST_CASE("emitted C++: without vector extensions of the CPU") { compare(all_samples(), {"g++", "-O1"}); }
TEST_CASE("emitted C++: random programs") {
  const u64 seed = 20250101;
  INFO("seed " << seed);
  compare(random_samples(seed, 12), {"g++", "-O2", "-march=native"});
  compare(random_samples(seed + 1000, 12), {"clang++-19", "-O2", "-march=native"});
}
TEST_CASE("emitted C++: no undefined behaviour") {
  std::vector<sample> all = all_samples();
  for (sample& s : random_samples(77, 6)) all.push_back(s);
  compare(all, {"g++", "-O1", "-march=native", "-fsanitize=undefined", "-fno-sanitize-recover=undefined"});
}

TEST_CASE("emitted C++: names, determinism, aliasing") {
  const sample s = softmax_rows();
  CHECK(render_cpp(view_of(s.code), "f") == render_cpp(view_of(s.code), "f"));
  CHECK_FALSE(render_cpp(view_of(s.code), "f").contains("#include"));
  CHECK(render_cpp(view_of(s.code), "f").contains("__restrict__"));
  CHECK_FALSE(render_cpp(view_of(s.code), "f", true).contains("__restrict__"));
  for (const char* bad : {"", "1f", "f(", "a b", "f;"}) CHECK_THROWS_AS(render_cpp(view_of(s.code), bad), argument_error);
  CHECK(detail::float_literal(scalar_kind::float32, -0.1f, false) == "(-0x1.99999ap-4f)");
  CHECK(detail::float_literal(scalar_kind::float64, 0x1p-1074, false) == "0x0.0000000000001p-1022");
  CHECK(detail::integer_literal(scalar_kind::int64, min_value(scalar_kind::int64)) == "(-9223372036854775807LL - 1)");
}
