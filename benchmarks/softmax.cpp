// Softmax of the rows of 64 × 128 floats, one thread.
#include "harness.hpp"
#include "peers.hpp"
#include "twill_contenders.hpp"
#include "vector_math.hpp"

namespace {

constexpr size_t rows = 64, columns = 128;

constexpr auto normalize = [](auto x) { return twill::softmax(x); };
struct softmax_kernel : twill::kernel<normalize, twill::f32<rows, columns>> {};

#if !defined(BENCH_NO_HAND_LOOPS)
void hand_row(const float* x, float* y) {
  using namespace bench;
  vec m0 = splat(-INFINITY), m1 = m0, s0 = splat(0), s1 = s0;
  for (size_t j = 0; j < columns; j += 2 * lanes) {
    m0 = max(m0, load(x + j));
    m1 = max(m1, load(x + j + lanes));
  }
  const vec most = splat(max_of(max(m0, m1)));
  for (size_t j = 0; j < columns; j += 2 * lanes) {
    const vec a = bench::exp(sub(load(x + j), most)), b = bench::exp(sub(load(x + j + lanes), most));
    s0 = add(s0, a);
    s1 = add(s1, b);
    store(y + j, a);
    store(y + j + lanes, b);
  }
  const vec factor = splat(1 / sum_of(add(s0, s1)));
  for (size_t j = 0; j < columns; j += lanes) store(y + j, mul(load(y + j), factor));
}
#endif

void plain_row(const float* __restrict__ x, float* __restrict__ y) {
  float most = -INFINITY, sum = 0;
  for (size_t j = 0; j < columns; ++j) most = std::max(most, x[j]);
  for (size_t j = 0; j < columns; ++j) sum += y[j] = std::exp(x[j] - most);
  for (size_t j = 0; j < columns; ++j) y[j] /= sum;
}

std::vector<double> reference_of(const bench::floats& x) {
  std::vector<double> y(rows * columns);
  for (size_t i = 0; i < rows * columns; i += columns) {
    double most = -INFINITY, sum = 0;
    for (size_t j = i; j < i + columns; ++j) most = std::max(most, static_cast<double>(x[j]));
    for (size_t j = i; j < i + columns; ++j) sum += y[j] = std::exp(static_cast<double>(x[j]) - most);
    for (size_t j = i; j < i + columns; ++j) y[j] /= sum;
  }
  return y;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::options o = bench::parse(argc, argv);
  const bench::floats x(rows * columns, 1, -3, 3), y(rows * columns);
  bench::contest contest(o, {"softmax of rows, 64 × 128", 0, y, reference_of(x), 1e-6, {"hand-written", "Eigen"}});
#if !defined(BENCH_NO_HAND_LOOPS)
  contest.add("hand-written", [&] {
    for (size_t i = 0; i < rows; ++i) hand_row(x.data() + i * columns, y.data() + i * columns);
  });
#endif
#if defined(BENCH_EIGEN)
  contest.add("Eigen", [&] {
    using array = bench::eigen_array<rows, columns>;
    const auto in = bench::eigen_view<array>(x.data());
    auto out = bench::eigen_view<array>(y.data());
    for (Eigen::Index i = 0; i < out.rows(); ++i) {
      out.row(i) = (in.row(i) - in.row(i).maxCoeff()).exp();
      out.row(i) *= 1 / out.row(i).sum();
    }
  });
#endif
  contest.add("plain loop", [&] {
    for (size_t i = 0; i < rows; ++i) plain_row(x.data() + i * columns, y.data() + i * columns);
  });
  bench::add_twill<softmax_kernel, normalize>(contest, y, bench::argument{x, {static_cast<twill::i64>(rows), static_cast<twill::i64>(columns)}});
  contest.target(bench::twill_static, "hand-written", 0.9);
  contest.target(bench::twill_static, "Eigen", 1);
  bench::publish(o, "softmax", contest.run());
}
