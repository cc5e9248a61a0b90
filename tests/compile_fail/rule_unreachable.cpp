// expect: rule_is_unreachable_behind_an_unguarded_one
// max-lines: 40
#include <twill/symbolic.hpp>

namespace tw = twill;
using namespace tw::pattern;

#ifdef TWILL_MISTAKE
constexpr auto set = tw::rules(tw::rewrite("first", x + 1, x), tw::rewrite("second", x + 1, x + 2, lo(x) > 0));
#else
constexpr auto set = tw::rules(tw::rewrite("first", x + 1, x, lo(x) > 0), tw::rewrite("second", x + 1, x + 2));
#endif

int main() {}
