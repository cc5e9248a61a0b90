// expect: cannot broadcast | (32, 64) | (64, 10) | axis 1 | 64 and 10
// max-lines: 15
#include <twill/twill.hpp>

namespace tw = twill;
using namespace tw::literals;

int main() {
  tw::array<float, 32, 64> x;
#ifdef TWILL_MISTAKE
  tw::array<float, 64, 10> w;
  auto y = tw::eval(x + w);
#else
  tw::array<float, 32, 64> w;
  auto y = tw::eval(x + w);
#endif
}
