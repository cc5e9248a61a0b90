// Traces, statistics and reasons to stop, in the compiler and at run time.
#include "catch.hpp"

#include <twill/symbolic/trace.hpp>

namespace tw = twill;

namespace {

using namespace tw::pattern;
constexpr auto strength = tw::rules(
    tw::rewrite("double as add", x * 2, x + x),
    tw::rewrite("divide twice", x / c0 / c1, x / fold(c0 * c1), c0 > 0 && c1 > 0),
    tw::rewrite("remainder in range", x % c0, x, lo(x) >= 0 && hi(x) < c0));
constexpr auto circle = tw::rules(tw::rewrite("ping", x / 2, x % 2), tw::rewrite("pong", x % 2, x / 2));
constexpr auto growing = tw::rules(tw::rewrite("one more", max(x, c0), max(x, c0 + 1)));

constexpr auto v = tw::var<"v">(0, 9);

constexpr auto steps = tw::trace((v * 2 + v / 3 / 5) % 100, strength);
static_assert(steps ==
              "double as add: (v*2) -> (v+v)\n"
              "divide twice: ((v//3)//5) -> (v//15)\n"
              "remainder in range: (((v+v)+(v//15))%100) -> ((v+v)+(v//15))\n"
              "finished: ((v+v)+(v//15))\n");
static_assert(tw::trace(v + 1, strength) == "nothing to do: (v+1)\n");
static_assert(tw::trace(v / 2, circle).contains("ping: (v//2) -> (v%2)\npong: (v%2) -> (v//2)\nrules go round in a circle by \"pong\", \"ping\": (v//2)"));
static_assert(tw::trace(tw::max(v, 3), growing, {.limit = 2}) ==
              "one more: max(v, 3) -> max(v, 4)\n"
              "one more: max(v, 4) -> max(v, 5)\n"
              "one more: max(v, 5) -> max(v, 6)\n"
              "rules do not end by \"one more\": max(v, 3)\n");

constexpr auto i = tw::var<"i">(0, 31);
constexpr auto j = tw::var<"j">(0, 63);
constexpr auto whole = tw::trace((i * 64 + j) / 64);
static_assert(whole.contains("sum / c: ") && whole.contains("-> i\nfinished: i\n"));
static_assert(tw::trace(tw::simplify(i * 64 + j)).contains("nothing to do: "));

constexpr bool statistics() {
  tw::graph g;
  const tw::uop a = g.var("a", 0, 100);
  tw::match_stats stats;
  const tw::rewrite_options options{.stats = &stats};
  if (!(tw::graph_rewrite(a * 2, strength, options) == a + a)) return false;
  if (stats.applied("double as add") != 1 || stats.applied() != 1 || stats.tried() < 1 || stats.visits() < 3) return false;
  if (stats.stopped() != tw::stop_reason::finished || !stats.stopped_by().empty()) return false;
  tw::graph_rewrite(a + a, strength, options);
  return stats.stopped() == tw::stop_reason::nothing_to_do && stats.applied() == 1;
}
static_assert(statistics());

constexpr bool stops_at_limits() {
  tw::graph g;
  const tw::uop a = g.var("a", 0, 100);
  tw::match_stats stats;
  tw::rewrite_options options{.stats = &stats, .stop_at_limit = true};
  const tw::uop half = a / 2, most = tw::max(a, 3);
  if (!(tw::graph_rewrite(half, circle, options) == half) || stats.stopped() != tw::stop_reason::circle) return false;
  if (stats.stopped_by().size() != 2 || !(tw::text_view(stats.stopped_by()[0]) == "pong")) return false;
  options.limit = 5;
  if (!(tw::graph_rewrite(most, growing, options) == most) || stats.stopped() != tw::stop_reason::limit_reached) return false;
  return stats.stopped_by().size() == 1 && tw::text_view(stats.stopped_by()[0]) == "one more";
}
static_assert(stops_at_limits());

}  // namespace

TEST_CASE("a trace names its steps") {
  tw::graph g;
  const tw::uop a = g.var("a", 0, 9);
  CHECK(tw::trace(a * 2, strength) == "double as add: (a*2) -> (a+a)\nfinished: (a+a)\n");
  CHECK(tw::trace(a + a, strength) == "nothing to do: (a+a)\n");
  CHECK(tw::trace((a * 3 + 6) / 3).contains("sum / c: "));
  CHECK(tw::trace(a / 2, circle).contains("rules go round in a circle by \"pong\", \"ping\""));
  CHECK(tw::trace((v * 2 + v / 3 / 5) % 100, strength) == tw::text_view(steps));
}

TEST_CASE("statistics say why a rewrite ended") {
  CHECK(statistics());
  CHECK(stops_at_limits());
  tw::graph g;
  const tw::uop a = g.var("a", 0, 9);
  tw::match_stats stats;
  CHECK_THROWS_AS(tw::graph_rewrite(a / 2, circle, {.stats = &stats}), tw::rewrite_error);
  CHECK(stats.stopped() == tw::stop_reason::circle);
  CHECK(tw::to_text(stats).contains("rules go round in a circle: \"pong\", \"ping\"\n"));
  try {
    tw::graph_rewrite(tw::max(a, 3), growing, {.limit = 10});
    CHECK(false);
  } catch (const tw::rewrite_error& e) {
    CHECK(tw::text(e.what()).contains("rules do not end: \"one more\""));
  }
}

TEST_CASE("a trace that does not fit says so") { CHECK_THROWS_AS(tw::trace<32>((v * 2 + v / 3 / 5) % 100, strength), tw::rewrite_error); }
