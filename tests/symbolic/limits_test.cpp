// Where sums, gates and numbers reach what the rules can hold: nothing is lost, nothing explodes.
#include "catch.hpp"
#include "twill/symbolic.hpp"

namespace tw = twill;
using tw::i64;

namespace {

// Fourteen variables and two terms about x that go together: no room for what they become. Equal to the sum without them plus
// `rest` of x?
template <class F>
constexpr bool nothing_lost(F last_terms) {
  tw::graph g;
  const tw::uop x = g.var("x", 0, 9);
  tw::uop sum = last_terms(g, x);
  for (char name = 'a'; name < 'o'; ++name) sum = sum + g.var(tw::text_view(&name, 1), 0, 9);
  const tw::uop simplified = tw::simplify(sum);
  for (i64 v = 0; v < 10; ++v) {
    tw::vector<tw::replacement> point{{x, g.constant(tw::int32, v)}};
    for (char name = 'a'; name < 'o'; ++name) point.push_back({g.var(tw::text_view(&name, 1), 0, 9), g.constant(tw::int32, i64{name - 'a'})});
    const tw::uop expected = tw::simplify(tw::substitute(sum, point)), got = tw::simplify(tw::substitute(simplified, point));
    if (!expected.is_constant() || !(expected == got)) return false;
  }
  return true;
}
constexpr bool full_sums_keep_their_terms() {
  return nothing_lost([](tw::graph&, tw::uop x) { return x / 4 * 4 + x % 4; }) && nothing_lost([](tw::graph&, tw::uop x) { return x + x / 4 * -4; }) &&
         nothing_lost([](tw::graph&, tw::uop x) { return x + x % 4 * -1; }) && nothing_lost([](tw::graph&, tw::uop x) { return (x + 5) / 2 + (x + 6) / 2; });
}
// 0 < a * (2^64 - 6) + b * 4 at a = b = 1: the sum is 2^64 - 2.
constexpr bool large_unsigned_factors_are_not_negative() {
  tw::graph g;
  const tw::uop a = g.var("a", 0, 1, tw::uint64), b = g.var("b", 0, 1, tw::uint64), one = g.constant(tw::uint64, i64{1});
  const tw::uop less = tw::simplify(g.constant(tw::uint64, i64{0}) < a * g.constant(tw::uint64, i64{-6}) + b * g.constant(tw::uint64, i64{4}));
  const tw::replacement point[] = {{a, one}, {b, one}};
  return tw::simplify(tw::substitute(less, {point, 2})).is_constant(1);
}
constexpr bool least_values_are_no_divisors() {
  tw::graph g;
  const tw::uop v = g.var("v", -128, 127, tw::int8);
  return tw::divides(v & g.constant(tw::int8, i64{-128}), -128).owner == nullptr;
}

}  // namespace

TEST_CASE("a sum with as many terms as fit loses none") { CHECK(full_sums_keep_their_terms()); }
TEST_CASE("factors of 2^63 and more are not negative") {
  static_assert(large_unsigned_factors_are_not_negative());
  CHECK(large_unsigned_factors_are_not_negative());
}
TEST_CASE("nothing is a multiple of a number without magnitude") {
  static_assert(least_values_are_no_divisors());
  CHECK(least_values_are_no_divisors());
}

TEST_CASE("a gate that holds itself many times costs what its nodes cost") {
  tw::graph g;
  const tw::uop x = g.var("x", 0, 99), y = g.var("y", 0, 99);
  tw::uop gate = (x < 50) & (y < 7);
  for (int i = 0; i < 64; ++i) gate = gate & gate;
  CHECK(tw::given_valid(gate, x % 50) == x);
  CHECK(tw::simplify_valid(gate) == tw::simplify((x < 50) & (y < 7)));
}

TEST_CASE("long sums that are multiplied at every step take linear time") {
  tw::graph g;
  tw::uop sum = g.var("s", 0, 1);
  tw::vector<tw::uop> roots;
  for (int i = 0; i < 20000; ++i) {
    sum = sum + g.var("w", 0, i + 1);
    roots.push_back(sum * 3);
  }
  tw::match_stats stats;
  tw::graph_rewrite(tw::span<const tw::uop>(roots), tw::symbolic, {.stats = &stats});
  CHECK(stats.visits() < 1'000'000);
}

TEST_CASE("a name may stand for the first two of three sources") {
  using namespace tw::pattern;
  static constexpr auto set = tw::rules(tw::rewrite("where(x, x, y)", where(bools(x), x, y), x | y).as(tw::rule_kind::ring));
  tw::graph g;
  const tw::uop a = g.var("a", 0, 1, tw::bool_), b = g.var("b", 0, 1, tw::bool_);
  CHECK(tw::graph_rewrite(tw::where(a, a, b), set).is(tw::op::OR));
}
