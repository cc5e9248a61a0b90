// Small square matrix products: c = a * b of floats, row-major, one thread.
#include "harness.hpp"
#include "peers.hpp"
#include "twill_contenders.hpp"

namespace {

constexpr auto product = [](auto a, auto b) { return twill::matmul(a, b); };
template <int N> struct product_kernel : twill::kernel<product, twill::f32<N, N>, twill::f32<N, N>> {};

template <int N>
void plain_product(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c) {
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) c[i * N + j] = 0;
    for (int k = 0; k < N; ++k)
      for (int j = 0; j < N; ++j) c[i * N + j] += a[i * N + k] * b[k * N + j];
  }
}

std::vector<double> reference_of(const bench::floats& a, const bench::floats& b, size_t n) {
  std::vector<double> c(n * n);
  for (size_t i = 0; i < n; ++i)
    for (size_t k = 0; k < n; ++k)
      for (size_t j = 0; j < n; ++j) c[i * n + j] += static_cast<double>(a[i * n + k]) * static_cast<double>(b[k * n + j]);
  return c;
}

template <int N>
std::string measure(const bench::options& o) {
  const size_t n = N;
  const bench::floats a(n * n, 1, -1, 1), b(n * n, 2, -1, 1), c(n * n);
  const std::string size = std::to_string(N);
  bench::contest contest(o, {"matmul " + size + " × " + size + " × " + size, 2.0 * N * N * N, c, reference_of(a, b, n), 1e-5, {"libxsmm", "Eigen"}});
  if (!contest.selected()) return "";
#if defined(BENCH_LIBXSMM)
  if (const bench::xsmm_product multiply(N); multiply)
    contest.add("libxsmm", [&, multiply] { multiply(a.data(), b.data(), c.data()); });
#endif
#if defined(BENCH_EIGEN)
  contest.add("Eigen", [&] {
    using matrix = bench::eigen_matrix<N, N>;
    bench::eigen_view<matrix>(c.data()).noalias() = bench::eigen_view<matrix>(a.data()) * bench::eigen_view<matrix>(b.data());
  });
#endif
  contest.add("plain loop", [&] { plain_product<N>(a.data(), b.data(), c.data()); });
  bench::add_twill<product_kernel<N>, product>(contest, c, bench::argument{a, {N, N}}, bench::argument{b, {N, N}});
  if (N == 64) contest.target(bench::twill_static, "libxsmm", 0.8);
  return contest.run();
}

}  // namespace

int main(int argc, char** argv) {
  const bench::options o = bench::parse(argc, argv);
  bench::publish(o, "matmul", measure<64>(o) + measure<32>(o) + measure<16>(o) + measure<8>(o));
}
