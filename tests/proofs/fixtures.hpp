// Rules that the proofs must tell apart: true ones, false ones, and true ones that never end.
#pragma once

#include <cstdio>

#include "proofs/instances.hpp"
#include "proofs/prove.hpp"

namespace proofs {

namespace fixture {
using namespace twill::pattern;
inline constexpr auto truths = twill::rules(
    twill::rewrite("commute", integers(x) + y, y + x),  // true, and endless
    twill::rewrite("(x + c) / c of x >= 0", (integers(x) + c0) / c0, x / c0 + 1, c0 > 0 && lo(x) >= 0),
    twill::rewrite("x * c / c", integers(x) * c0 / c0, x, c0 != 0),
    twill::rewrite("x / c * c + x % c", (x / c0) * c0 + x % c0, x).as(twill::rule_kind::ring),
    twill::rewrite("x - y of one node", integers(x) + x * -1, 0),
    twill::rewrite("-x of floats", floats(x) * -1 * -1, x),
    // What the exporter takes guards' floor_rest and floor_quotient for.
    twill::rewrite("floor rest", (integers(x) % y + y) % y, twill::pattern::node(op::FLOORMOD, x, y), lo(y) > 0 || hi(y) < 0),
    twill::rewrite("grow", integers(x) & y, x & (x & y)),
    twill::rewrite("there", integers(x) < c0, !(fold(c0 - 1) < x)),  // each undoes the other
    twill::rewrite("and back", !(c0 < integers(x)), x < fold(c0 + 1)));
inline constexpr auto lies = twill::rules(
    twill::rewrite("x / c * c", (integers(x) / c0) * c0, x, c0 > 0),
    twill::rewrite("(x + 6) % 2", (integers(x) + c0) % c1, x % c1, c1 > 0 && c0 % c1 == 0),  // false where x < 0 < x + 6
    twill::rewrite("x * 2 / 2 when it wraps", integers(x) * c0 / c0, x, c0 != 0).as(twill::rule_kind::ring),
    twill::rewrite("x + c < y + c when it wraps", integers(x) + c0 < y + c0, x < y).as(twill::rule_kind::ring),
    twill::rewrite("x * 0 of floats", x * 0, 0),
    twill::rewrite("x + 0 of floats", x + 0, x),
    twill::rewrite("x != x of floats", x != x, false),
    twill::rewrite("x / x", integers(x) / x, 1),
    twill::rewrite("(x + c) / c", (integers(x) + c0) / c0, x / c0 + 1, c0 > 0),
    twill::rewrite("x / -1 without wrapping", signed_integers(x) / -1 < y, x < y * -1),
    twill::rewrite("a folded sum that wraps", integers(x) + c0 < c1, x < c1 + c0 * -1));
}  // namespace fixture

// Prints what was not told apart; 0 if all was.
inline int check_fixtures(const solver& s) {
  int failed = 0;
  for (const outcome& o : prover(fixture::truths.view(), s).prove())
    if (o.state != verdict::proved && !(o.rule == "floor rest" && o.state == verdict::checked)) {
      std::printf("true, but not proved: %s: %s\n", o.rule.c_str(), o.counterexample.c_str());
      ++failed;
    }
  for (const outcome& o : prover(fixture::lies.view(), s).prove(0, 1, true)) {
    if (o.state != verdict::refuted) {
      std::printf("false, but not refuted: %s\n", o.rule.c_str());
      ++failed;
    } else {
      std::printf("refuted: %s: %s\n", o.rule.c_str(), o.counterexample.c_str());
    }
  }
  // The same by instances: only lies change a value, only what is endless does not decrease the order.
  for (const bool truth : {true, false}) {
    const rule_view set = truth ? fixture::truths.view() : fixture::lies.view();
    for (size_t i = 0; i < set.count; ++i) {
      const rule& r = set.rules[i];
      const std::string name = r.name;
      if (name == "floor rest") continue;  // a law, no rule
      const bool endless = name == "commute" || name == "grow" || name == "there";
      instance_check instances(set, r, 1);
      instances.judge_unsorted = endless;
      const findings f = instances.run(600, 200);
      if (f.wrong.empty() != truth) {
        std::printf("%s by instances: %s %s\n", truth ? "not true" : "not false", r.name, f.wrong.c_str());
        ++failed;
      }
      if (truth && (f.not_decreased > 0) != endless) {
        std::printf("%s: %s %s\n", endless ? "endless, but decreases the order" : "does not decrease the order", r.name, f.does_not_decrease.c_str());
        ++failed;
      }
      if (endless) std::printf("does not decrease the order: %s: %s\n", r.name, f.does_not_decrease.c_str());
    }
  }
  return failed == 0 ? 0 : 1;
}

}  // namespace proofs
