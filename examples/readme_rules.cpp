// The README's rules.
#include <twill/symbolic.hpp>

#include <cstdlib>
#include <iostream>

namespace tw = twill;

namespace {
// README
using namespace tw::pattern;                                  // x, y, z: anything; c0, c1, c2: constants; fold, lo, hi

constexpr auto mine = tw::rules(
    tw::rewrite("double as add", x * 2, x + x),
    tw::rewrite("divide twice", x / c0 / c1, x / fold(c0 * c1), c0 > 0 && c1 > 0),
    tw::rewrite("drop mod in range", x % c0, x, lo(x) >= 0 && hi(x) < c0));

constexpr auto v = tw::var<"v">(0, 9);
static_assert(tw::graph_rewrite(v / 3 / 5, mine) == v / 15);  // in the compiler

void list_and_run() {                                         // and at run time
  for (const auto& rule : tw::list(mine + tw::symbolic)) std::cout << rule.name << ": " << rule.text << '\n';
  tw::graph g;
  std::cout << tw::render(tw::graph_rewrite(g.var("n", 0, 100) * 2, mine)) << '\n';  // (n+n)
}
// end README
}  // namespace

int main() {
  list_and_run();
  return EXIT_SUCCESS;
}
