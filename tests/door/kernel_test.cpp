// tw::kernel: what it says of itself, what it computes, and what it refuses before anything is written.
#include <twill/kernel.hpp>

#include <array>
#include <cmath>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "catch.hpp"

namespace tw = twill;
using namespace tw::literals;

namespace {

inline constexpr auto layer = [](auto x, auto w, auto b) { return tw::relu(tw::matmul(x, w) + b); };
struct dense : tw::kernel<layer, tw::f32<3, 4>, tw::f32<4, 5>, tw::f32<5>> {};

inline constexpr auto twice_and_sum = [](auto x) { return tw::outputs(x * 2, tw::sum(x, -1_c)); };
struct two_results : tw::kernel<twice_and_sum, tw::f32<4, 9>> {};

inline constexpr auto statistics = [](auto x) { return std::tuple(tw::mean(x, 0_c), tw::max(x, 0_c)); };
struct tuple_results : tw::kernel<statistics, tw::f64<6, 5>> {};

inline constexpr auto shifted = [](auto x) { return x + tw::flip(x, 0_c); };
struct reads_elsewhere : tw::kernel<shifted, tw::f32<8>> {};
inline constexpr auto increment = [](auto x) { return x + 1; };
struct in_place : tw::kernel<increment, tw::f32<8>> {};
struct integers : tw::kernel<increment, tw::spec<int, 3>> {};

inline constexpr auto chained = [](auto x, auto w) { return tw::softmax(tw::matmul(tw::relu(tw::matmul(x, w)), w), -1_c); };
struct chain : tw::kernel<chained, tw::f32<40, 64>, tw::f32<64, 64>> {};

inline constexpr auto identity = [](auto x) { return x; };
struct copy : tw::kernel<identity, tw::f32<7>> {};
inline constexpr auto total = [](auto x) { return tw::sum(x); };
struct empty_sum : tw::kernel<total, tw::f32<0, 3>> {};
struct empty_result : tw::kernel<increment, tw::f32<0>> {};
struct scalar : tw::kernel<increment, tw::f32<>> {};
inline constexpr auto quotient = [](auto x, auto y) { return tw::outputs(x / y, x % y); };
struct divide : tw::kernel<quotient, tw::spec<int, 6>, tw::spec<int, 6>> {};

template <class E, class F>
std::string said(F f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  }
  return "nothing";
}

}  // namespace

TEST_CASE("a kernel knows its shape, its launches and its work") {
  static_assert(dense::result_shape == tw::shape(3, 5) && dense::launches == 1 && dense::flops == 2 * 3 * 4 * 5 + 2 * 15);
  static_assert(two_results::result_count == 2 && two_results::result_shape_of<1> == tw::shape(4));
  static_assert(tuple_results::result_count == 2 && tuple_results::launches == 1);
  static_assert(chain::launches == 3 && chain::workspace_bytes >= 2 * 40 * 64 * 4);
  static_assert(empty_result::launches == 0 && scalar::result_shape == tw::shape());
  CHECK(dense::result_shape == tw::shape(3, 5));
  CHECK(dense::program_text().contains("MULACC"));
}

TEST_CASE("a kernel computes") {
  std::vector<float> x(12), w(20), b(5), out(15);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) - 5;
  for (size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(i % 7) - 3;
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i);
  dense::run(out, x, w, b);
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < 5; ++j) {
      float sum = b[j];
      for (size_t k = 0; k < 4; ++k) sum += x[i * 4 + k] * w[k * 5 + j];
      CHECK(out[i * 5 + j] == std::max(sum, 0.0f));
    }
}

TEST_CASE("several results come first") {
  std::array<float, 36> x{}, twice{};
  float sums[4]{};
  for (size_t i = 0; i < 36; ++i) x[i] = static_cast<float>(i);
  two_results::run(twice, sums, std::span<const float>(x));
  CHECK(twice[35] == 70);
  CHECK(sums[0] == 36);
  CHECK(sums[3] == 279);
  std::vector<double> y(30), mean(5), most(5);
  for (size_t i = 0; i < 30; ++i) y[i] = static_cast<double>(i);
  tuple_results::run(mean, most, y.data());
  CHECK(mean[1] == 13.5);
  CHECK(most[4] == 29);
}

TEST_CASE("kernels follow one another through a workspace") {
  std::vector<float> x(40 * 64), w(64 * 64), out(40 * 64);
  for (size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<float>(i));
  for (size_t i = 0; i < w.size(); ++i) w[i] = 0.1f * std::cos(static_cast<float>(i));
  chain::run(out, x, w);
  alignas(64) static char memory[chain::workspace_bytes];
  std::vector<float> again(40 * 64);
  chain::run(tw::workspace(memory, sizeof(memory)), again, x, w);
  CHECK(again == out);
  CHECK(said<tw::argument_error>([&] { chain::run(tw::workspace(memory, 64), again, x, w); }).find("the workspace has 64 bytes at an address that is a multiple of 64") == 0);
  for (size_t i = 0; i < 40; ++i) {
    double h[64], y[64], most = -1e30, sum = 0;
    for (size_t j = 0; j < 64; ++j) {
      h[j] = 0;
      for (size_t k = 0; k < 64; ++k) h[j] += double(x[i * 64 + k]) * double(w[k * 64 + j]);
      h[j] = std::max(h[j], 0.0);
    }
    for (size_t j = 0; j < 64; ++j) {
      y[j] = 0;
      for (size_t k = 0; k < 64; ++k) y[j] += h[k] * double(w[k * 64 + j]);
      most = std::max(most, y[j]);
    }
    for (double v : y) sum += std::exp(v - most);
    for (size_t j = 0; j < 64; ++j) CHECK(double(out[i * 64 + j]) == Approx(std::exp(y[j] - most) / sum).margin(1e-6));
  }
}

TEST_CASE("small and empty shapes") {
  std::vector<float> none, one{41}, seven{1, 2, 3, 4, 5, 6, 7}, out(7);
  float sum = -1;
  empty_sum::run(&sum, none);
  CHECK(sum == 0);
  empty_result::run(none, none);
  empty_result::run(nullptr, nullptr);  // nothing is there to point at
  scalar::run(one, one);
  CHECK(one[0] == 42);
  copy::run(out, seven);
  CHECK(out == seven);
}

TEST_CASE("integer division by zero and overflow are defined") {
  const int least = std::numeric_limits<int>::min();
  const int x[6]{7, -7, least, 5, -5, 0}, y[6]{2, 2, -1, 0, 0, 0};
  int q[6]{}, r[6]{};
  divide::run(q, r, x, y);
  const int quotients[6]{3, -3, least, 0, 0, 0}, remainders[6]{1, -1, 0, 5, -5, 0};
  for (int i = 0; i < 6; ++i) {
    CHECK(q[i] == quotients[i]);
    CHECK(r[i] == remainders[i]);
  }
}

TEST_CASE("bad arguments are refused before anything is written") {
  std::vector<float> x(12, 1), w(20, 1), b(5, 1), out(15, -7), small(3);
  CHECK(said<tw::shape_error>([&] { dense::run(out, small, w, b); }) == "argument 0 of the kernel needs 12 elements, got 3");
  CHECK(said<tw::shape_error>([&] { dense::run(out, x, w, small); }) == "argument 2 of the kernel needs 5 elements, got 3");
  CHECK(said<tw::shape_error>([&] { dense::run(small, x, w, b); }) == "argument 0 of the kernel's results needs 15 elements, got 3");
  CHECK(said<tw::argument_error>([&] { dense::run(out, x, nullptr, b); }) == "argument 1 of the kernel is null, but it needs 20 elements");
  float* null = nullptr;
  CHECK(said<tw::argument_error>([&] { dense::run(null, x, w, b); }) == "argument 0 of the kernel's results is null, but it needs 15 elements");
  for (const float v : out) CHECK(v == -7);
}

TEST_CASE("an output may only equal an input that is read where it is written") {
  std::vector<float> v{1, 2, 3, 4, 5, 6, 7, 8, 9};
  in_place::run(v.data(), v.data());
  CHECK(v == std::vector<float>{2, 3, 4, 5, 6, 7, 8, 9, 9});
  const std::vector<float> before = v;
  const std::string words = "output 0 overlaps argument 0: an output may only equal an input that is read at the very index that is written";
  CHECK(said<tw::alias_error>([&] { in_place::run(v.data() + 1, v.data()); }) == words);
  CHECK(said<tw::alias_error>([&] { reads_elsewhere::run(v.data(), v.data()); }) == words);
  std::vector<float> x(36, 1), sums(4);
  CHECK(said<tw::alias_error>([&] { two_results::run(x.data(), x.data() + 4, sums.data()); }).find("output 1 overlaps output 0") == 0);
  CHECK(v == before);
}
