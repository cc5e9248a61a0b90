#include <twill/twill.hpp>

namespace tw = twill;

constexpr auto i = tw::var<"i">(0, 31);
static_assert(tw::simplify((i * 64) / 64) == i);

int main() {
  const tw::array<float, 2, 3> a{1, 2, 3, 4, 5, 6};
  const tw::array<float, 2, 3> b = a + a;
  return b(1, 2) == 12 ? 0 : 1;
}
