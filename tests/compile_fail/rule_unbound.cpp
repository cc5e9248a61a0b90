// expect: name_on_the_right_is_not_bound_on_the_left
// max-lines: 40
#include <twill/symbolic.hpp>

namespace tw = twill;
using namespace tw::pattern;

#ifdef TWILL_MISTAKE
constexpr auto set = tw::rules(tw::rewrite("add", x + 1, y + 1));
#else
constexpr auto set = tw::rules(tw::rewrite("add", x + 1, x + 2));
#endif

int main() {}
