// What fuses and what is realized.
#include <twill/schedule/freeze.hpp>
#include <twill/schedule/in_place.hpp>
#include <twill/tensor/functions.hpp>

#include "catch.hpp"

namespace tw = twill;
using namespace tw::literals;

namespace {

struct shapes {
  tw::shape a, b, c;
};
// Calls look(recorder, outputs) for f on float32 arguments.
template <class F, class Look>
constexpr auto with(F f, const shapes& s, Look look) {
  tw::recorder r;
  const auto y = f(tw::record_argument(r, 0, tw::float32, s.a), tw::record_argument(r, 1, tw::float32, s.b), tw::record_argument(r, 2, tw::float32, s.c));
  const tw::u32 outputs[]{y.id};
  return look(r, outputs);
}
template <class F>
constexpr size_t kernels(F f, const shapes& s) {
  return with(f, s, [](tw::recorder& r, tw::span<const tw::u32> outputs) { return tw::plan_kernels(r.nodes, r.shapes, outputs).kernels.size(); });
}
template <class F>
constexpr tw::i64 flops(F f, const shapes& s) {
  return with(f, s, [](tw::recorder& r, tw::span<const tw::u32> outputs) {
    const tw::schedule_plan plan = tw::plan_kernels(r.nodes, r.shapes, outputs);
    tw::i64 total = 0;
    for (size_t k = 0; k < plan.kernels.size(); ++k) {
      tw::kernel_tree tree;
      tw::build_kernel(r.nodes, r.shapes, plan, k, tree);
      total += tree.flops;
    }
    return total;
  });
}

constexpr auto dense = [](auto x, auto w, auto b) { return tw::relu(tw::matmul(x, w) + b); };
constexpr auto softmax = [](auto x, auto, auto) { return tw::softmax(x, -1); };
constexpr auto classify = [](auto x, auto w, auto b) { return tw::softmax(tw::matmul(x, w) + b, -1); };

}  // namespace

TEST_CASE("one kernel") {
  static_assert(kernels(dense, {{32, 64}, {64, 10}, {10}}) == 1);
  static_assert(kernels(softmax, {{4, 1000}, {1}, {1}}) == 1);
  CHECK(kernels(dense, {{32, 64}, {64, 10}, {10}}) == 1);
  CHECK(kernels(softmax, {{4, 1000}, {1}, {1}}) == 1);
  CHECK(kernels([](auto x, auto, auto) { return tw::softmax(x, 0); }, {{40, 30}, {1}, {1}}) == 1);
  CHECK(kernels([](auto x, auto y, auto) { return tw::exp(x) * y + tw::transpose(x); }, {{5, 5}, {5}, {1}}) == 1);
  CHECK(kernels([](auto x, auto, auto) { const auto m = tw::mean(x, 1, tw::keepdim); return (x - m) / tw::sqrt(tw::mean((x - m) * (x - m), 1, tw::keepdim) + 1e-5f); },
                {{64, 100}, {1}, {1}}) == 1);
  CHECK(kernels([](auto x, auto, auto) { return tw::argmax(x, -1); }, {{9, 17}, {1}, {1}}) == 1);
  CHECK(kernels([](auto x, auto y, auto) { return tw::reshape(tw::matmul(x, y), tw::shape(-1)) + 1; }, {{2, 3, 4}, {2, 4, 5}, {1}}) == 1);
  CHECK(kernels([](auto x, auto, auto) { return x / tw::sum(x); }, {{10, 10}, {1}, {1}}) == 1);
}

TEST_CASE("what cannot fuse becomes the next kernel") {
  static_assert(kernels(classify, {{32, 64}, {64, 10}, {10}}) == 2);
  CHECK(kernels(classify, {{32, 64}, {64, 10}, {10}}) == 2);
  CHECK(kernels([](auto x, auto y, auto z) { return tw::matmul(tw::relu(tw::matmul(x, y)), z); }, {{8, 9}, {9, 7}, {7, 5}}) == 2);
  // A value for everything, used by many elements, is worth its own kernel.
  CHECK(kernels([](auto x, auto, auto) { return x / tw::sum(x); }, {{1000, 1000}, {1}, {1}}) == 2);
  CHECK(kernels([](auto x, auto, auto) { return tw::contiguous(tw::exp(x)) + 1; }, {{10}, {1}, {1}}) == 2);
}

TEST_CASE("empty outputs need no kernel") {
  CHECK(kernels([](auto x, auto, auto) { return tw::exp(x); }, {{0, 5}, {1}, {1}}) == 0);
  CHECK(kernels([](auto x, auto, auto) { return tw::sum(x, 0); }, {{0, 5}, {1}, {1}}) == 1);  // five zeros
}

TEST_CASE("flops count operations on data") {
  static_assert(flops(dense, {{32, 64}, {64, 10}, {10}}) == 2 * 32 * 64 * 10 + 2 * 32 * 10);
  CHECK(flops([](auto x, auto, auto) { return x * 2 + 1; }, {{7, 9}, {1}, {1}}) == 2 * 63);
  CHECK(flops([](auto x, auto, auto) { return tw::flip(tw::transpose(x), 0); }, {{7, 9}, {1}, {1}}) == 0);
}

TEST_CASE("outputs with the same loops share a kernel") {
  tw::recorder r;
  const tw::tracer x = tw::record_argument(r, 0, tw::float32, tw::shape(16, 32));
  const tw::tracer mean = tw::mean(x, 1), largest = tw::max(x, 1), all = tw::sum(x);
  const tw::u32 outputs[]{mean.id, largest.id, all.id};
  const tw::schedule_plan plan = tw::plan_kernels(r.nodes, r.shapes, outputs);
  CHECK(plan.kernels.size() == 2);  // the rows together, the total apart
  CHECK(plan.temporaries == 0);
}

TEST_CASE("a reduction that several kernels need is computed once") {
  tw::recorder r;
  const tw::tracer x = tw::record_argument(r, 0, tw::float32, tw::shape(16, 32)), w = tw::record_argument(r, 1, tw::float32, tw::shape(32, 8));
  const tw::tracer h = tw::matmul(x, w);
  const tw::tracer first = tw::exp(h), second = tw::sum(h, 0);
  const tw::u32 outputs[]{first.id, second.id};
  const tw::schedule_plan plan = tw::plan_kernels(r.nodes, r.shapes, outputs);
  CHECK(plan.kernels.size() == 3);
  CHECK(plan.temporaries == 1);
}

TEST_CASE("an output may take the memory of an input that is read where it is written") {
  const auto how = [](auto f, tw::shape s) {
    tw::recorder r;
    const tw::tracer x = tw::record_argument(r, 0, tw::float32, s);
    const tw::u32 outputs[]{f(x).id};
    const tw::schedule_plan plan = tw::plan_kernels(r.nodes, r.shapes, outputs);
    tw::kernel_tree tree;
    tw::build_kernel(r.nodes, r.shapes, plan, 0, tree);
    return tw::reads_of(tree, 1, 0);
  };
  CHECK(how([](auto x) { return tw::exp(x) + x; }, {4, 5}) == tw::reads::at_store);
  CHECK(how([](auto x) { return tw::transpose(x) + 1; }, {4, 4}) == tw::reads::elsewhere);
  CHECK(how([](auto x) { return tw::softmax(x, -1); }, {4, 5}) == tw::reads::elsewhere);
  CHECK(how([](auto x) { return x + tw::flip(x, 0); }, {6}) == tw::reads::elsewhere);
}

TEST_CASE("recordings and plans survive being packed") {
  with(classify, {{32, 64}, {64, 10}, {10}}, [](tw::recorder& r, tw::span<const tw::u32> outputs) {
    const tw::vector<tw::i64> words = tw::pack_recording(r, outputs);
    tw::recorder again;
    const tw::vector<tw::u32, 4> outs = tw::unpack_recording(words, again);
    CHECK(tw::pack_recording(again, outs) == words);
    const tw::vector<tw::i64> plan = tw::pack_plan(tw::plan_kernels(again.nodes, again.shapes, outs));
    CHECK(tw::pack_plan(tw::unpack_plan(plan)) == plan);
    return 0;
  });
}
