// The libraries that the benchmarks compare with, where CMake found them.
#pragma once

#if defined(BENCH_EIGEN)
#define EIGEN_DONT_PARALLELIZE
#include <Eigen/Core>
#endif
#if defined(BENCH_LIBXSMM)
#include <libxsmm.h>
#endif

#include <cstddef>

namespace bench {

#if defined(BENCH_EIGEN)
template <int Rows, int Columns> using eigen_matrix = Eigen::Matrix<float, Rows, Columns, Eigen::RowMajor>;
template <int Rows, int Columns> using eigen_array = Eigen::Array<float, Rows, Columns, Eigen::RowMajor>;
template <class Dense> Eigen::Map<Dense, Eigen::Aligned64> eigen_view(float* at) { return Eigen::Map<Dense, Eigen::Aligned64>(at); }
#endif

#if defined(BENCH_LIBXSMM)
// A just-in-time compiled c = a * b of row-major n by n matrices: in libxsmm's column-major order, transposed(c) =
// transposed(b) * transposed(a).
struct xsmm_product {
  explicit xsmm_product(int n) {
    const float one = 1, zero = 0;
    run_ = libxsmm_smmdispatch(n, n, n, nullptr, nullptr, nullptr, &one, &zero, nullptr, nullptr);
  }
  explicit operator bool() const { return run_ != nullptr; }
  void operator()(const float* a, const float* b, float* c) const { run_(b, a, c); }

 private:
  libxsmm_smmfunction run_ = nullptr;
};
#endif

}  // namespace bench
