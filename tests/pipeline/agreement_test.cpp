// Random programs: the interpreter, for every vector width and for one thread per index, holds to a naive reference.
// TWILL_TEST_PROGRAMS=20000 makes a long run, TWILL_TEST_SEED=7 runs one program, with all that it prints.
#include <cstdio>

#include "catch.hpp"
#include "pipeline/runs.hpp"

using namespace pipeline;

TEST_CASE("random programs: the interpreter agrees with the reference") {
  const u64 only = setting("TWILL_TEST_SEED", ~u64{0});
  const u64 count = setting("TWILL_TEST_PROGRAMS", every_function);
  int failures = 0;
  u64 elements = 0, unknown = 0;
  for (u64 seed = only != ~u64{0} ? only : 0; seed < (only != ~u64{0} ? only + 1 : count); ++seed) {
    const auto p = generate(seed);
    INFO("seed " << seed << "\n" << source_of(p->nodes, p->outputs));
    REQUIRE(message(p->nodes.shape_problem) == "");
    REQUIRE_FALSE(static_cast<bool>(p->nodes.type_problem));
    const text wrong = interpreted_problem(p->nodes, p->outputs, p->arguments, seed);
    for (const tensor_value& v : expect(p->nodes, p->outputs, p->arguments).outputs)
      for (const cell& c : v.cells) ++elements, unknown += c.unknown;
    if (wrong.empty()) continue;
    FAIL_CHECK(interpreted_report(*p, wrong).c_str());
    if (++failures == static_cast<int>(setting("TWILL_TEST_FAILURES", 5))) break;
  }
  CAPTURE(elements, unknown);
  CHECK((failures > 0 || only != ~u64{0} || unknown * 10 < elements));
  if (std::getenv("TWILL_TEST_PROGRAMS") != nullptr) std::printf("%llu elements, %llu of them unknown\n", static_cast<unsigned long long>(elements), static_cast<unsigned long long>(unknown));
}
