// expect: compile-time constants: write 1_c
// max-lines: 16
#include <twill/twill.hpp>

using namespace twill::literals;

int main() {
  const twill::array<float, 2, 3> x;
#ifdef TWILL_MISTAKE
  const auto y = twill::eval(twill::sum(x, 1));
#else
  const auto y = twill::eval(twill::sum(x, 1_c));
#endif
  return y.data() == nullptr;
}
