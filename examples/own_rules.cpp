// A rule set of one's own, made of the library's rules and two that know something the library can't: here, that a table
// has rows of 96 elements stored 128 apart. The same values work in the compiler, at run time, and as a list.
#include <twill/symbolic.hpp>

#include <cstdlib>
#include <iostream>

namespace tw = twill;

namespace {

using namespace tw::pattern;  // inside a namespace of one's own: a global x would be ambiguous

// Averages are floats; the library leaves x * c / c alone there, since it is not exact. We decide that it is good enough.
constexpr auto careless = tw::rules(
    tw::rewrite("multiply and divide", node(tw::op::FDIV, floats(x * c0), c0), x),
    tw::rewrite("shift for powers of two", x * 8, node(tw::op::SHL, x, 3), lo(x) >= 0));

// A procedural right side: a captureless lambda, called with what was matched. It may decline by returning nothing.
constexpr auto halve = tw::rules(tw::rewrite("halve even constants", x / c0, x / fold(c0 / 2) / 2, c0 > 2 && c0 % 2 == 0));

constexpr auto i = tw::var<"i">(0, 31);
static_assert(tw::graph_rewrite(i / 12, halve) == i / 3 / 2 / 2);
static_assert(tw::simplify(i / 3 / 2 / 2) == i / 12);  // the library's rule goes the other way, so the two never stand in one set

bool check(bool ok, const char* what) {
  if (!ok) std::cerr << "failed: " << what << '\n';
  return ok;
}

}  // namespace

int main() {
  tw::graph g;
  tw::match_stats stats;
  const tw::uop n = g.var("n", 0, 1000);
  const tw::uop shifted = tw::graph_rewrite(n * 8 + 0, careless + tw::symbolic, {.stats = &stats});
  std::cout << tw::render(shifted) << '\n';
  bool ok = check(shifted.code() == tw::op::SHL, "n * 8 is a shift");
  ok = check(stats.applied("shift for powers of two") == 1, "the rule was counted") && ok;

  // A set that undoes itself does not hang: the engine stops and names the rules.
  constexpr auto endless = tw::rules(tw::rewrite("there", x + y, x * y), tw::rewrite("back", x * y, x + y));
  try {
    (void)tw::graph_rewrite(n + g.var("m", 0, 9), endless);
    ok = check(false, "an endless set is stopped");
  } catch (const tw::rewrite_error& e) {
    std::cout << e.what() << '\n';
  }

  for (const auto& rule : tw::list(careless + halve)) std::cout << rule.name << ": " << rule.text << '\n';
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
