// expect: name_in_the_guard_is_not_bound_on_the_left
// max-lines: 40
#include <twill/symbolic.hpp>

namespace tw = twill;
using namespace tw::pattern;

#ifdef TWILL_MISTAKE
constexpr auto set = tw::rules(tw::rewrite("add", x + 1, x + 2, lo(y) > 0));
#else
constexpr auto set = tw::rules(tw::rewrite("add", x + 1, x + 2, lo(x) > 0));
#endif

int main() {}
