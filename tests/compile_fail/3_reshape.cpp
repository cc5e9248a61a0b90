// expect: cannot reshape | (4, 6) | (5, 5) | 24 | 25
// max-lines: 15
#include <twill/twill.hpp>

namespace tw = twill;
using namespace tw::literals;

int main() {
  tw::array<float, 4, 6> x;
#ifdef TWILL_MISTAKE
  auto y = tw::eval(tw::reshape<5, 5>(x));
#else
  auto y = tw::eval(tw::reshape<3, 8>(x));
#endif
}
