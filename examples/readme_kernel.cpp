// The README's kernel.
// README
#include <twill/kernel.hpp>
#include <vector>

namespace tw = twill;

inline constexpr auto layer = [](auto x, auto w, auto b) { return tw::relu(tw::matmul(x, w) + b); };
struct dense : tw::kernel<layer, tw::f32<32, 64>, tw::f32<64, 10>, tw::f32<10>> {};

static_assert(dense::result_shape == tw::shape(32, 10));
static_assert(dense::launches == 1);                          // product, bias and relu are one loop nest

void infer(std::vector<float>& y, const std::vector<float>& x, const std::vector<float>& w, const std::vector<float>& b) {
  dense::run(y, x, w, b);                                     // vectors, spans, arrays, pointers; allocates nothing
}
// end README

int main() {
  const std::vector<float> x(32 * 64, 0.5f), w(64 * 10, 0.25f), b(10, -1.0f);
  std::vector<float> y(32 * 10);
  infer(y, x, w, b);
  for (const float v : y)
    if (v != 7.0f) return 1;
  return 0;
}
