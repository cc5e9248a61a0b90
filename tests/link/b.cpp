#include <twill/twill.hpp>

namespace tw = twill;

bool from_b() {
  constexpr auto i = tw::var<"i">(0, 31);
  return tw::simplify((i * 64) / 64) == i;
}
