// expect: rewrite_does_not_end_because_of | ping | pong
// max-lines: 60
#include <twill/symbolic.hpp>

namespace tw = twill;
using namespace tw::pattern;

#ifdef TWILL_MISTAKE
constexpr auto set = tw::rules(tw::rewrite("ping", x / 2, x % 2), tw::rewrite("pong", x % 2, x / 2));
#else
constexpr auto set = tw::rules(tw::rewrite("ping", x / 2, x % 2), tw::rewrite("pong", x % 2, x * 2));
#endif
constexpr auto result = tw::graph_rewrite(tw::var<"v">(0, 9) / 2, set);

int main() {}
