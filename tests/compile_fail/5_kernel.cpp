// expect: cannot broadcast | (3, 4) | (4, 3)
// max-lines: 15
#include <twill/twill.hpp>

namespace tw = twill;
using namespace tw::literals;

int main() {
  constexpr auto f = [](auto a, auto b) { return a + b; };
#ifdef TWILL_MISTAKE
  tw::kernel<f, tw::f32<3, 4>, tw::f32<4, 3>>::run(nullptr, nullptr, nullptr);
#else
  tw::kernel<f, tw::f32<3, 4>, tw::f32<3, 4>>::run(nullptr, nullptr, nullptr);
#endif
}
