// The README's arrays.
#include <twill/array.hpp>

#include <cmath>
#include <cstdlib>

namespace tw = twill;
using namespace tw::literals;

int main() {
  // README
  const tw::array<float, 2, 3> a{1, 2, 3, 4, 5, 6};
  const tw::array<float, 3> b{10, 20, 30};

  const tw::array<float, 2, 3> c = a * 2.0f + b;              // broadcasts as NumPy does; one loop, no temporaries
  const tw::array<float, 2, 2> m = tw::matmul(a, tw::transpose(a));
  const tw::array<float, 2, 3> p = tw::softmax(a, -1_c);      // -1_c: the last axis, as a compile-time integer
  const auto best = tw::eval(tw::argmax(c - b, 1_c));         // tw::array<int, 2>
  // tw::eval(a + m) does not compile: cannot broadcast (2, 3) with (2, 2): axis 1 is 3 and 2
  // end README
  const bool ok = c(1, 2) == 42 && m(0, 1) == 32 && std::abs(p(0, 2) - 0.66524096f) < 1e-6f && best(0) == 2 && best(1) == 2;
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
