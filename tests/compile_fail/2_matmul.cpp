// expect: matmul | (32, 64) | (32, 10) | 64 and 32
// max-lines: 15
#include <twill/twill.hpp>

namespace tw = twill;
using namespace tw::literals;

int main() {
  tw::array<float, 32, 64> x;
#ifdef TWILL_MISTAKE
  tw::array<float, 32, 10> w;
  auto y = tw::eval(tw::matmul(x, w));
#else
  tw::array<float, 64, 10> w;
  auto y = tw::eval(tw::matmul(x, w));
#endif
}
