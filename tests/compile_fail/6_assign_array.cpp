// expect: cannot assign | (3) | (2, 3)
// max-lines: 15
#include <twill/twill.hpp>

int main() {
  const twill::array<float, 3> row{1, 2, 3};
#ifdef TWILL_MISTAKE
  const twill::array<float, 2, 3> y = row;
#else
  const twill::array<float, 3> y = row;
#endif
  return y.data() == nullptr;
}
