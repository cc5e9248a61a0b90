// expect: rewrite_does_not_end_because_of | one more
// max-lines: 60
#include <twill/symbolic.hpp>

namespace tw = twill;
using namespace tw::pattern;

#ifdef TWILL_MISTAKE
constexpr auto set = tw::rules(tw::rewrite("one more", max(x, c0), max(x, c0 + 1)));
#else
constexpr auto set = tw::rules(tw::rewrite("one more", max(x, c0), max(x, c0 + 1), c0 < 9));
#endif
constexpr auto result = tw::graph_rewrite(max(tw::var<"v">(0, 9), 3), set);

int main() {}
