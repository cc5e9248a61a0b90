// expect: axis 2 | rank 2
// max-lines: 15
#include <twill/twill.hpp>

namespace tw = twill;
using namespace tw::literals;

int main() {
  tw::array<float, 4, 6> x;
#ifdef TWILL_MISTAKE
  auto y = tw::eval(tw::sum(x, 2_c));
#else
  auto y = tw::eval(tw::sum(x, 1_c));
#endif
}
