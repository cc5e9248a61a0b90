// Axis merging and the default opts.
#include <twill/kernel/heuristic.hpp>
#include <twill/kernel/merge_axes.hpp>
#include <twill/schedule/schedule.hpp>
#include <twill/tensor/functions.hpp>
#include <twill/tensor/tracer.hpp>

#include "catch.hpp"

namespace tw = twill;

namespace {

// Calls look(tree) for the only kernel of f on float32 arguments, axes merged.
template <class F, class Look>
constexpr auto tree_of(F f, const tw::shape& a, const tw::shape& b, Look look) {
  tw::recorder r;
  const tw::u32 outputs[]{f(tw::record_argument(r, 0, tw::float32, a), tw::record_argument(r, 1, tw::float32, b)).id};
  const tw::schedule_plan plan = tw::plan_kernels(r.nodes, r.shapes, outputs);
  tw::kernel_tree tree;
  tw::build_kernel(r.nodes, r.shapes, plan, 0, tree);
  tw::merge_axes(tree);
  return look(tree);
}
constexpr auto outer_axes = [](const tw::kernel_tree& t) { return t.outer; };
using axes = tw::vector<tw::i64, 8>;

}  // namespace

TEST_CASE("axes that every access steps through as one are merged") {
  static_assert(tree_of([](auto a, auto) { return tw::exp(a); }, {4, 5, 6}, {1}, outer_axes) == axes{120});
  CHECK(tree_of([](auto a, auto) { return tw::exp(a); }, {4, 5, 6}, {1}, outer_axes) == axes{120});
  CHECK(tree_of([](auto a, auto b) { return a + b; }, {4, 5, 6}, {6}, outer_axes) == axes{20, 6});
  CHECK(tree_of([](auto a, auto b) { return a + b; }, {4, 5, 6}, {4, 1, 1}, outer_axes) == axes{4, 30});
  CHECK(tree_of([](auto a, auto) { return tw::transpose(a) + 1; }, {4, 5}, {1}, outer_axes) == axes{5, 4});
  CHECK(tree_of([](auto a, auto) { return tw::pad(a, {{0, 0}, {1, 1}}); }, {4, 5}, {1}, outer_axes) == axes{4, 7});
  CHECK(tree_of([](auto a, auto) { return tw::sum(a, 1, 2); }, {4, 5, 6}, {1}, [](const tw::kernel_tree& t) { return t.stages[0].inner; }) == tw::vector<tw::i64, 4>{30});
}

TEST_CASE("lanes run along the axis that is contiguous in memory") {
  const tw::machine m = tw::cpu_machine(32);
  tree_of([](auto a, auto b) { return tw::matmul(a, b); }, {64, 64}, {64, 64}, [&](const tw::kernel_tree& t) {
    const tw::kernel_opts o = tw::choose_opts(t, m);
    CHECK(o.outer[1].lanes == 8);
    CHECK(o.outer[0].upcast * o.outer[1].upcast >= 8);  // enough independent sums to hide the latency
    CHECK(o.outer[0].upcast * o.outer[1].upcast + o.outer[1].upcast < m.vector_registers);
    return 0;
  });
  tree_of([](auto a, auto) { return tw::sum(a, 1); }, {64, 100}, {1}, [&](const tw::kernel_tree& t) {
    CHECK(tw::choose_opts(t, m).inner[0].lanes == 8);
    return 0;
  });
  tree_of([](auto a, auto) { return tw::sum(a, 0); }, {64, 100}, {1}, [&](const tw::kernel_tree& t) {
    CHECK(tw::choose_opts(t, m).outer[0].lanes == 8);
    return 0;
  });
  tree_of([](auto a, auto b) { return tw::matmul(a, tw::transpose(b)); }, {64, 64}, {64, 64}, [&](const tw::kernel_tree& t) {
    CHECK(tw::choose_opts(t, m).inner[0].lanes == 8);
    return 0;
  });
  tree_of([](auto a, auto) { return tw::exp(a); }, {100}, {1}, [&](const tw::kernel_tree& t) {
    CHECK(tw::choose_opts(t, tw::machine{0, 16, false}).outer[0] == tw::axis_opt{});  // no vectors
    CHECK(tw::choose_opts(t, tw::cuda_machine).flat);
    return 0;
  });
}

TEST_CASE("a register tile fits the registers for every size") {
  for (tw::i64 m = 1; m <= 40; ++m)
    for (tw::i64 n = 1; n <= 12; ++n)
      for (const int registers : {16, 32}) {
        const tw::detail::tile t = tw::detail::best_tile(m, n, registers);
        CHECK(t.rows >= 1);
        CHECK(t.columns >= 1);
        CHECK(t.rows * t.columns + t.columns + 1 <= registers);
        CHECK(t.rows <= m);
        CHECK(t.columns <= n);
      }
}
