// Fused elementwise work: relu(a * b + c) - exp(-d * d) of 2^10 floats, one thread.
#include "harness.hpp"
#include "peers.hpp"
#include "twill_contenders.hpp"
#include "vector_math.hpp"

namespace {

constexpr size_t count = 1024;

constexpr auto chain = [](auto a, auto b, auto c, auto d) { return twill::relu(a * b + c) - twill::exp(-d * d); };
using row = twill::f32<count>;
struct chain_kernel : twill::kernel<chain, row, row, row, row> {};

#if !defined(BENCH_NO_HAND_LOOPS)
void hand_chain(const float* a, const float* b, const float* c, const float* d, float* out) {
  using namespace bench;
  const vec zero = splat(0);
  for (size_t i = 0; i < count; i += lanes) {
    const vec x = load(d + i);
    const vec left = max(zero, fma(load(a + i), load(b + i), load(c + i)));
    store(out + i, sub(left, bench::exp(negative_fma(x, x, zero))));
  }
}
#endif

void plain_chain(const float* __restrict__ a, const float* __restrict__ b, const float* __restrict__ c, const float* __restrict__ d,
                 float* __restrict__ out) {
  for (size_t i = 0; i < count; ++i) out[i] = std::max(0.0f, a[i] * b[i] + c[i]) - std::exp(-d[i] * d[i]);
}

}  // namespace

int main(int argc, char** argv) {
  const bench::options o = bench::parse(argc, argv);
  const bench::floats a(count, 1, -1, 1), b(count, 2, -1, 1), c(count, 3, -1, 1), d(count, 4, -2, 2), out(count);
  std::vector<double> reference;
  for (size_t i = 0; i < count; ++i) {
    const double x = a[i], y = b[i], z = c[i], w = d[i];
    reference.push_back(std::max(0.0, x * y + z) - std::exp(-w * w));
  }
  bench::contest contest(o, {"relu(a*b + c) - exp(-d*d), 1024 floats", 0, out, reference, 5e-6, {"hand-written", "Eigen"}});
#if !defined(BENCH_NO_HAND_LOOPS)
  contest.add("hand-written", [&] { hand_chain(a.data(), b.data(), c.data(), d.data(), out.data()); });
#endif
#if defined(BENCH_EIGEN)
  contest.add("Eigen", [&] {
    using array = bench::eigen_array<1, count>;
    const auto at = [](const bench::floats& x) { return bench::eigen_view<array>(x.data()); };
    at(out) = (at(a) * at(b) + at(c)).max(0.0f) - (-at(d) * at(d)).exp();
  });
#endif
  contest.add("plain loop", [&] { plain_chain(a.data(), b.data(), c.data(), d.data(), out.data()); });
  const twill::shape shape{static_cast<twill::i64>(count)};
  bench::add_twill<chain_kernel, chain>(contest, out, bench::argument{a, shape}, bench::argument{b, shape}, bench::argument{c, shape},
                                        bench::argument{d, shape});
  contest.target(bench::twill_static, "hand-written", 0.9);
  contest.target(bench::twill_static, "Eigen", 1);
  bench::publish(o, "fused", contest.run());
}
