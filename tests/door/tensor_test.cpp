// tw::tensor: laziness, realization, caching, errors, threads.
#include <twill/tensor.hpp>

#include <cmath>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"

namespace tw = twill;
using namespace tw::literals;

namespace {

template <class E, class F>
std::string said(F f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  }
  return "nothing";
}
std::vector<float> ramp(size_t n) {
  std::vector<float> v(n);
  for (size_t i = 0; i < n; ++i) v[i] = static_cast<float>(i);
  return v;
}

}  // namespace

TEST_CASE("nothing runs before it is asked for, and then once") {
  const tw::tensor x = tw::tensor::from(ramp(12), {3, 4});
  const tw::tensor y = tw::exp(x * 0.0f) + x;
  CHECK(!y.realized());
  CHECK(tw::schedule(y).size() == 1);
  CHECK(y.to_vector<float>()[11] == 12);
  CHECK(y.realized());
  CHECK(tw::schedule(y).size() == 0);
  const tw::tensor same = y;
  CHECK(same.data<float>() == y.data<float>());
}

TEST_CASE("the same program is compiled once") {
  const auto run = [](float scale) { return (tw::tensor::from(ramp(7), {7}) * tw::tensor::from({scale}, {1}) + 3).to_vector<float>(); };
  run(1);
  const tw::cache_counters before = tw::cache_statistics();
  const std::vector<float> v = run(2);
  const tw::cache_counters after = tw::cache_statistics();
  CHECK(v[6] == 15);
  CHECK(after.compiles == before.compiles);
  CHECK(after.disk_hits == before.disk_hits);
}

TEST_CASE("several tensors are realized together") {
  const tw::tensor x = tw::tensor::from(ramp(20), {4, 5});
  const tw::tensor mean = tw::mean(x, 1), most = tw::max(x, 1);
  CHECK(tw::schedule(mean, most).size() == 1);
  tw::realize(mean, most, mean);
  CHECK((mean.realized() && most.realized()));
  CHECK(mean.to_vector<float>()[3] == 17);
  CHECK(most.to_vector<float>()[0] == 4);
}

TEST_CASE("a loop of small steps keeps nothing alive") {
  tw::tensor x = tw::tensor::full({3}, 0.0f);
  for (int i = 0; i < 1000; ++i) x = (x + 1).realize();
  CHECK(x.to_vector<float>()[2] == 1000);
  tw::tensor deep = tw::tensor::from({1.0f}, {1});
  for (int i = 0; i < 100000; ++i) deep = deep * 1.0f;
  deep = tw::tensor();  // destroyed without recursion
}

TEST_CASE("dtypes, constants, ranks") {
  CHECK(tw::tensor::arange(5).to_vector<int>() == std::vector<int>{0, 1, 2, 3, 4});
  CHECK(tw::tensor::full({2, 2}, true).to_vector<bool>() == std::vector<bool>{true, true, true, true});
  CHECK((tw::tensor::arange(6, tw::uint8) % 4).to_vector<unsigned char>().back() == 1);
  CHECK(tw::sum(tw::tensor::arange(5)).item<int>() == 10);
  CHECK(tw::tensor::from(ramp(0), {0, 3}).to_vector<float>().empty());
  CHECK(tw::sum(tw::tensor::from(ramp(0), {0, 3}), 0).to_vector<float>() == std::vector<float>{0, 0, 0});
  CHECK(std::isnan(tw::mean(tw::tensor::from(ramp(0), {0})).item<float>()));
  const unsigned short half[2]{0x3c00, 0xc000};  // 1, -2
  const tw::tensor h = tw::tensor::from_bytes(half, tw::float16, {2});
  CHECK(tw::cast<float>(h * 2.0 + 1).to_vector<float>() == std::vector<float>{3, -3});
  const std::vector<double> d{1, 2, 3};
  const tw::tensor b = tw::tensor::borrow(d.data(), {3});
  CHECK(tw::sum(b * b).item<double>() == 14);
}

TEST_CASE("what does not fit is refused at once, with its numbers") {
  const tw::tensor x = tw::tensor::from(ramp(12), {3, 4}), y = tw::tensor::from(ramp(12), {4, 3});
  CHECK(said<tw::shape_error>([&] { (void)(x + y); }) == "cannot broadcast (3, 4) with (4, 3): axis 1 is 4 and 3");
  CHECK(said<tw::shape_error>([&] { (void)tw::matmul(x, x); }) == "matmul: (3, 4) with (3, 4): inner sizes are 4 and 3");
  CHECK(said<tw::shape_error>([&] { (void)tw::sum(x, 2); }) == "sum: axis 2 is out of range for rank 2 (shape (3, 4))");
  CHECK(said<tw::shape_error>([&] { (void)x.reshape({5, 5}); }) == "cannot reshape (3, 4) into (5, 5): 12 elements, not 25");
  CHECK(said<tw::shape_error>([&] { (void)tw::tensor::from(ramp(5), {2, 3}); }) == "a tensor of shape (2, 3) needs 6 elements, got 5");
  CHECK(said<tw::shape_error>([&] { (void)tw::tensor::from(ramp(5), {-1, 3}); }) == "tensor: axis 0 of (-1, 3) has size -1");
  CHECK(said<tw::argument_error>([&] { (void)tw::tensor::from<float>(nullptr, 4, {4}); }) == "tensor::from: the elements are null");
  CHECK(said<tw::argument_error>([&] { (void)tw::tensor::borrow<float>(nullptr, {4}); }) == "tensor::borrow: the elements are null");
  CHECK(said<tw::dtype_error>([&] { (void)x.to_vector<int>(); }) == "to_vector: the tensor is float32, not int32; cast it");
  CHECK(said<tw::dtype_error>([&] { (void)(x % 2); }) == "%: needs integers, got float32");
  CHECK(said<tw::shape_error>([&] { (void)x.item<float>(); }) == "item: a tensor of shape (3, 4) has 12 elements, not 1");
}

TEST_CASE("interpreting gives the same answers") {
  const tw::tensor x = tw::tensor::from(ramp(33 * 17), {33, 17});
  const auto f = [](const tw::tensor& t) { return tw::softmax(tw::matmul(t, tw::transpose(t)) * 1e-6f, -1); };
  const std::vector<float> compiled = f(x).to_vector<float>();
  const tw::execution before = tw::set_execution(tw::execution::interpreted);
  const tw::tensor again = f(x);
  const std::vector<float> interpreted = again.to_vector<float>();
  tw::set_execution(before);
  REQUIRE(compiled.size() == interpreted.size());
  for (size_t i = 0; i < compiled.size(); ++i) CHECK(std::abs(compiled[i] - interpreted[i]) <= 4e-7f * compiled[i]);
}

TEST_CASE("a compiler that fails: an error where compiling is demanded") {
  ::setenv("TWILL_CXX", "/bin/false", 1);
  const tw::execution before = tw::set_execution(tw::execution::compiled);
  const tw::tensor x = tw::tensor::from(ramp(5), {5}) * 3 - 0.123f;
  const std::string words = said<tw::compile_error>([&] { x.realize(); });
  CHECK(words.find("/bin/false") != std::string::npos);
  CHECK(!x.realized());
  tw::set_execution(before);
  CHECK(x.to_vector<float>()[1] == 3 - 0.123f);  // automatic: interpreted, with one warning
  ::unsetenv("TWILL_CXX");
}

TEST_CASE("tensors cross threads; one that two threads realize runs once") {
  const tw::tensor x = tw::tensor::from(ramp(1000), {1000});
  const tw::tensor y = tw::sum(x * x);
  float seen[4]{};
  std::vector<std::thread> threads;
  for (float& s : seen) threads.emplace_back([&] { s = (y + 1.0f).item<float>() + y.item<float>(); });
  for (std::thread& t : threads) t.join();
  for (const float s : seen) CHECK(s == seen[0]);
}
