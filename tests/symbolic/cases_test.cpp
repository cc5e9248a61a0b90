// Inputs that people and the fuzzer tripped over, each with its right value, and their neighbours.
#include "catch.hpp"

#include <twill/symbolic.hpp>

namespace tw = twill;

TEST_CASE("an unsigned 64-bit divisor of 2^63 or more is not negative") {
  tw::graph g;
  const tw::uop x = g.var("x", 0, 100, tw::uint64);
  const tw::uop e = (x * 2) % -2;  // 2^64 - 2
  CHECK(tw::evaluate(tw::simplify(e), {{"x", 7}}) == 14);
  CHECK(tw::simplify(x % -2) == x);
}

TEST_CASE("an unrolled sum of unsigned 64-bit numbers beyond 2^63 is no sum of negative ones") {
  tw::graph g;
  const tw::uop x = g.var("x", 0, 2, tw::uint64), below = x - 4;
  CHECK(tw::evaluate(tw::simplify(below / 2 + (below + 1) / 2), {{"x", 0}}) == -4);
}
