// expect: cannot assign | (2, 3) | (3, 2)
// max-lines: 15
#include <twill/twill.hpp>

namespace tw = twill;
using namespace tw::literals;

int main() {
  tw::array<float, 2, 3> x;
#ifdef TWILL_MISTAKE
  tw::array<float, 3, 2> y = x * 2.0f;
#else
  tw::array<float, 2, 3> y = x * 2.0f;
#endif
}
