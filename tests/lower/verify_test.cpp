// Programs, tensor graphs and kernels that break the rules of their stage are found.
#include <twill/lower/lower.hpp>
#include <twill/schedule/schedule.hpp>
#include <twill/schedule/verify.hpp>
#include <twill/tensor/functions.hpp>
#include <twill/tensor/tracer.hpp>

#include "catch.hpp"

namespace tw = twill;

namespace {

constexpr void softmax_program(tw::program& p) {
  tw::recorder r;
  const tw::u32 outputs[]{tw::softmax(tw::record_argument(r, 0, tw::float32, tw::shape(5, 100)), -1).id};
  const tw::schedule_plan plan = tw::plan_kernels(r.nodes, r.shapes, outputs);
  tw::kernel_tree tree;
  tw::build_kernel(r.nodes, r.shapes, plan, 0, tree);
  tw::lower(tree, tw::cpu_machine(32), p);
}
// What verify says after `damage` has changed the program.
template <class Damage>
constexpr tw::text after(Damage damage) {
  tw::program p;
  softmax_program(p);
  damage(p);
  return tw::verify(tw::view_of(p));
}
constexpr size_t find(const tw::program& p, tw::op code) {
  for (size_t i = 0; i < p.instructions.size(); ++i)
    if (p.instructions[i].code == code) return i;
  return 0;
}

}  // namespace

TEST_CASE("a lowered program is right, and small") {
  static_assert(after([](tw::program&) {}).empty());
  CHECK(after([](tw::program&) {}).empty());
  tw::program p;
  softmax_program(p);
  CHECK(p.instructions.size() <= 150);
}

TEST_CASE("a damaged program is not") {
  CHECK(after([](tw::program& p) { p.instructions[find(p, tw::op::EXP)].source[0] = 60000; }).contains("uses a value before it is there"));
  CHECK(after([](tw::program& p) { p.instructions[find(p, tw::op::EXP)].kind = tw::scalar_kind::float64; }).contains("differs from its source in dtype"));
  CHECK(after([](tw::program& p) { p.instructions[find(p, tw::op::EXP)].axes = 0; }).contains("does not vary exactly as its sources do"));
  CHECK(after([](tw::program& p) { p.instructions[find(p, tw::op::LOAD)].access = 999; }).contains("has no access"));
  CHECK(after([](tw::program& p) { p.accesses[p.instructions[find(p, tw::op::LOAD)].access].buffer = 9; }).contains("names an unknown buffer"));
  CHECK(after([](tw::program& p) { p.instructions.pop_back(); }).contains("is not closed"));
  CHECK(after([](tw::program& p) { p.parallel_count = 1; }).contains("runs past the parallel indices"));
  CHECK(after([](tw::program& p) { p.instructions[find(p, tw::op::REDUCE_AXIS)].argument[1] = 0; }).contains("does not remove the axes it says"));
  CHECK(after([](tw::program& p) { p.instructions[find(p, tw::op::ASSIGN)].source[0] = 0; }).contains("assigns to no accumulator"));
  CHECK(after([](tw::program& p) { p.axes[0].active = 0; }).contains("a tile axis without elements"));
  // A value of a closed loop.
  CHECK(after([](tw::program& p) {
          const size_t load = find(p, tw::op::LOAD);
          p.instructions[find(p, tw::op::REDUCE_AXIS)].source[0] = static_cast<tw::u16>(load);
        }).contains("uses a value out of its scope"));
}

TEST_CASE("graphs are verified by patterns") {
  const auto said = [](tw::dtype left, tw::op code) -> tw::text {
    tw::graph g;
    const tw::i64 a[]{0, 4}, b[]{1, 4};
    const tw::uop x = g.make(tw::op::BUFFER, left, {}, tw::span<const tw::i64>(a)), y = g.make(tw::op::BUFFER, tw::float32, {}, tw::span<const tw::i64>(b));
    const tw::uop z = g.make(code, tw::float32, {x, y});
    try {
      tw::verify_tensors(g, {&z.id, 1});
    } catch (const tw::graph_error& e) {
      return e.what();
    }
    return "";
  };
  CHECK(said(tw::float32, tw::op::ADD).empty());
  CHECK(said(tw::int32, tw::op::ADD).contains("tensor graph: ADD of dtype float32 with sources of int32 float32"));
  CHECK(said(tw::float32, tw::op::RESHAPE).contains("RESHAPE"));
}
