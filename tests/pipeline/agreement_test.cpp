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

// Programs that random ones rarely are.
namespace {

template <class F>
void agree(const shape& dims, const F& f) {
  random_program p;
  argument x{float32, dims, {}};
  for (i64 i = 0; i < dims.elements(); ++i) x.words.push_back(word_of(static_cast<double>(i % 7) / 4));
  p.arguments.push_back(x);
  detail::add_output(p.outputs, p.nodes, f(record_argument(p.nodes, 0, float32, dims)));
  INFO(source_of(p.nodes, p.outputs));
  CHECK(interpreted_problem(p.nodes, p.outputs, p.arguments, 0) == "");
}

}  // namespace

TEST_CASE("reductions of what is the same all over a tile") {
  for (const i64 n : {4, 6, 8, 11, 23}) {
    // Padding of nothing; and of an axis that was expanded, whose inside and outside are segments of their own. The
    // quotients make the lanes run along the reduced axis.
    agree(shape(0, 3), [&](tracer x) {
      const tracer e = exp2(pad(x, {{2, 3}, {0, n}}));
      return e / sum(e, 1, keepdim);
    });
    agree(shape(3, 1), [&](tracer x) {
      const tracer e = exp(pad(expand(x, shape(3, n)), {{0, 0}, {0, 5}}));
      return e / sum(e, 1, keepdim);
    });
    agree(shape(1), [&](tracer x) { return sum(exp(pad(expand(x, shape(n)), {{3, 9}}))); });
    agree(shape(1), [&](tracer x) { return prod(exp2(pad(expand(x + 1.0f, shape(n)), {{0, 8}}))); });
  }
}
