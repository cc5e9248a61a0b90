// What each operation makes of its operands' shapes, and the sentence it refuses them with.
#include "catch.hpp"
#include "reference.hpp"

namespace tw = twill;
using reference::both;
using tw::message;
using tw::shape;

TEST_CASE("shapes are lists of sizes") {
  CHECK(both<[] {
    tw::text t;
    t << shape() << shape(5) << shape(32, 64) << tw::strides(1, 8);
    const unsigned long n = 128;
    return t == "()(5)(32, 64)(1, 8)" && shape{n / 64, 64} == shape(2, 64) && shape(2, 3).elements() == 6 && shape().elements() == 1 &&
           shape(1L << 40, 0, 1L << 40).elements() == 0 && !(shape(2, 1) == shape(2)) && shape(4)[0] == 4 && static_cast<int>(shape(4)[0]) == 4;
  }>());
  CHECK(both<[] { return tw::sint::node(7).is_node() && tw::sint::node(7).node_id() == 7 && !tw::sint(-5).is_node() && sizeof(tw::sint) == 8; }>());
  CHECK_THROWS_WITH(shape(1L << 40, 1L << 40).elements(), "shape: (1099511627776, 1099511627776) has more than 9223372036854775807 elements");
  CHECK_THROWS_WITH(shape(3, -1).elements(), "shape: axis 1 of (3, -1) has size -1");
}

TEST_CASE("broadcasting is NumPy's") {
  CHECK(both<[] {
    using tw::infer_broadcast;
    return infer_broadcast({3, 1}, {4}).shape == shape(3, 4) && infer_broadcast({}, {2, 3}).shape == shape(2, 3) &&
           infer_broadcast({0}, {1}).shape == shape(0) && infer_broadcast({2, 1}, {1, 0}).shape == shape(2, 0) &&
           infer_broadcast({5, 1, 1}, {4, 1}, {3}).shape == shape(5, 4, 3);
  }>());
  CHECK(both<[] { return message(tw::infer_broadcast({32, 64}, {64, 10}).problem) == "cannot broadcast (32, 64) with (64, 10): axis 1 is 64 and 10"; }>());
  CHECK(both<[] { return message(tw::infer_broadcast({3, 4}, {4, 3}).problem) == "cannot broadcast (3, 4) with (4, 3): axis 1 is 4 and 3"; }>());
  CHECK(both<[] { return message(tw::infer_broadcast({0}, {2}).problem) == "cannot broadcast (0) with (2): axis 0 is 0 and 2"; }>());
  CHECK(both<[] { return message(tw::infer_broadcast({2, 3, 4}, {2, 4}).problem) == "cannot broadcast (2, 3, 4) with (2, 4): axis 1 is 3 and 2"; }>());
  CHECK(both<[] { return message(tw::infer_broadcast({1, 3}, {2, 1}, {5, 3}).problem) == "cannot broadcast (2, 1) with (5, 3): axis 0 is 2 and 5"; }>());
  CHECK(both<[] {
    return message(tw::infer_broadcast({1L << 40, 1}, {1L << 40}).problem) ==
           "broadcast: (1099511627776, 1099511627776) has more than 9223372036854775807 elements";
  }>());
}

TEST_CASE("matmul is NumPy's") {
  CHECK(both<[] {
    using tw::infer_matmul;
    return infer_matmul({32, 64}, {64, 10}).shape == shape(32, 10) && infer_matmul({64}, {64, 10}).shape == shape(10) &&
           infer_matmul({32, 64}, {64}).shape == shape(32) && infer_matmul({64}, {64}).shape == shape() &&
           infer_matmul({5, 1, 2, 3}, {7, 3, 4}).shape == shape(5, 7, 2, 4) && infer_matmul({7, 2, 3}, {3}).shape == shape(7, 2) &&
           infer_matmul({2, 0}, {0, 3}).shape == shape(2, 3);
  }>());
  CHECK(both<[] { return message(tw::infer_matmul({32, 64}, {32, 10}).problem) == "matmul: (32, 64) with (32, 10): inner sizes are 64 and 32"; }>());
  CHECK(both<[] { return message(tw::infer_matmul({2, 3, 4}, {5, 4, 6}).problem) == "matmul: (2, 3, 4) with (5, 4, 6): batch axis 0 is 2 and 5"; }>());
  CHECK(both<[] { return message(tw::infer_matmul({}, {3}).problem) == "matmul: () with (3): both need at least one axis"; }>());
}

TEST_CASE("reshape keeps the number of elements") {
  CHECK(both<[] {
    using tw::infer_reshape;
    return infer_reshape({4, 6}, {-1, 8}).shape == shape(3, 8) && infer_reshape({}, {-1}).shape == shape(1) && infer_reshape({0, 3}, {5, 0}).ok();
  }>());
  CHECK(both<[] { return message(tw::infer_reshape({4, 6}, {5, 5}).problem) == "cannot reshape (4, 6) into (5, 5): 24 elements, not 25"; }>());
  CHECK(both<[] { return message(tw::infer_reshape({4, 6}, {-1, 5}).problem) == "cannot reshape (4, 6) into (-1, 5): 24 elements are no multiple of 5"; }>());
  CHECK(both<[] { return message(tw::infer_reshape({4, 6}, {-1, -1}).problem) == "cannot reshape (4, 6) into (-1, -1): only one size may be -1"; }>());
  CHECK(both<[] {
    return message(tw::infer_reshape({0, 6}, {-1, 6}).problem) == "cannot reshape (0, 6) into (-1, 6): with 0 elements the size of axis 0 is not determined";
  }>());
  CHECK(both<[] { return message(tw::infer_reshape({4}, {-1, 0}).problem) == "cannot reshape (4) into (-1, 0): 4 elements, not 0"; }>());
  CHECK(both<[] { return message(tw::infer_reshape({4}, {-2, 2}).problem) == "reshape: axis 0 of (-2, 2) has size -2"; }>());
}

TEST_CASE("axes are checked") {
  CHECK(both<[] {
    return tw::infer_permute({2, 3, 4}, {2, 0, -2}).shape == shape(4, 2, 3) && tw::infer_transpose({2, 3, 4}).shape == shape(2, 4, 3) &&
           tw::infer_reduce("sum", {4, 6}, {-1}).shape == shape(4) && tw::infer_reduce("sum", {4, 6}, {0}, true).shape == shape(1, 6) &&
           tw::infer_reduce_all("sum", {4, 6}).shape == shape() && tw::infer_reduce_all("sum", {4, 6}, true).shape == shape(1, 1) &&
           tw::infer_squeeze({1, 3, 1}, {0, -1}).shape == shape(3) && tw::infer_unsqueeze({3}, -1).shape == shape(3, 1) &&
           tw::infer_reduce("sum", {0, 3}, {0}).shape == shape(3);
  }>());
  CHECK(both<[] { return message(tw::infer_reduce("sum", {4, 6}, {2}).problem) == "sum: axis 2 is out of range for rank 2 (shape (4, 6))"; }>());
  CHECK(both<[] { return message(tw::infer_reduce("mean", {4, 6}, {-3}).problem) == "mean: axis -3 is out of range for rank 2 (shape (4, 6))"; }>());
  CHECK(both<[] { return message(tw::infer_reduce("sum", {4, 6}, {1, -1}).problem) == "sum: axis -1 is given twice (shape (4, 6))"; }>());
  CHECK(both<[] {
    return message(tw::infer_reduce("max", {4, 0}, {1}, false, true).problem) == "max: axis 1 of (4, 0) is empty, and there is no value for that";
  }>());
  CHECK(both<[] { return message(tw::infer_permute({4, 6}, {0}).problem) == "permute: 1 given for rank 2 (shape (4, 6))"; }>());
  CHECK(both<[] { return message(tw::infer_permute({4, 6}, {0, 0}).problem) == "permute: axis 0 is given twice (shape (4, 6))"; }>());
  CHECK(both<[] { return message(tw::infer_transpose({4, 6}, 0, 2).problem) == "transpose: axis 2 is out of range for rank 2 (shape (4, 6))"; }>());
  CHECK(both<[] { return message(tw::infer_flip({4, 6}, {5}).problem) == "flip: axis 5 is out of range for rank 2 (shape (4, 6))"; }>());
  CHECK(both<[] { return message(tw::infer_squeeze({4, 1}, {0}).problem) == "squeeze: axis 0 of (4, 1) is 4, not 1"; }>());
  CHECK(both<[] { return message(tw::infer_unsqueeze({4}, 2).problem) == "unsqueeze: axis 2 is out of range for rank 1 (shape (4))"; }>());
}

TEST_CASE("the other movements are checked") {
  CHECK(both<[] {
    return tw::infer_expand({3, 1}, {2, 3, 4}).shape == shape(2, 3, 4) && tw::infer_expand({3, 1}, {-1, 0}).shape == shape(3, 0) &&
           tw::infer_pad({4}, {{2, 3}}).shape == shape(9) && tw::infer_shrink({8}, {{2, 6}}).shape == shape(4) &&
           tw::infer_windows({4, 4}, {2, 2}).shape == shape(3, 3, 2, 2) && tw::infer_windows({2, 9}, {3}, {2}, {2}).shape == shape(2, 3, 3);
  }>());
  CHECK(both<[] { return message(tw::infer_expand({3, 8}, {4, 8}).problem) == "cannot expand (3, 8) to (4, 8): axis 0 is 3, not 1 or 4"; }>());
  CHECK(both<[] { return message(tw::infer_expand({3, 8}, {8}).problem) == "cannot expand (3, 8) to (8): rank 2 is more than 1"; }>());
  CHECK(both<[] { return message(tw::infer_expand({8}, {-1, 8}).problem) == "expand: axis 0 of (-1, 8) has size -1"; }>());
  CHECK(both<[] { return message(tw::infer_pad({4, 2}, {{1, 1}}).problem) == "pad: 1 given for rank 2 (shape (4, 2))"; }>());
  CHECK(both<[] { return message(tw::infer_pad({4}, {{-1, 0}}).problem) == "pad: axis 0 cannot grow by -1 and 0 (shape (4))"; }>());
  CHECK(both<[] { return message(tw::infer_shrink({8}, {{2, 9}}).problem) == "shrink: [2, 9) is no range of axis 0 (shape (8))"; }>());
  CHECK(both<[] { return message(tw::infer_windows({4}, {5}).problem) == "windows: a window of 5 does not fit axis 0 of size 4 (shape (4))"; }>());
  CHECK(both<[] { return message(tw::infer_windows({4}, {2}, {0}).problem) == "windows: sizes, steps and dilations must be positive, axis 0 has 0 (shape (4))"; }>());
}

TEST_CASE("assignment, concatenation and arguments are checked") {
  CHECK(both<[] { return tw::infer_assign({2, 3}, {2, 3}).ok() && message(tw::infer_assign({2, 3}, {3, 2}).problem) == "cannot assign (2, 3) to (3, 2)"; }>());
  CHECK(both<[] {
    const shape parts[]{{2, 3}, {4, 3}}, bad[]{{2, 3}, {2, 4}};
    return tw::infer_concatenate(parts).shape == shape(6, 3) &&
           message(tw::infer_concatenate(bad).problem) == "concatenate: (2, 3) with (2, 4): axis 1 is 3 and 4";
  }>());
  CHECK(both<[] { return !tw::check_argument(0, 3, 3) && message(tw::check_argument(0, 2048, 3)) == "argument 0 of the kernel needs 2048 elements, got 3"; }>());
}

// A problem is plain data: it can be a template argument, where compile-time doors need its figures.
template <tw::problem P>
constexpr tw::i64 first_figure = P.figures[0];
static_assert(first_figure<tw::infer_broadcast({32, 64}, {64, 10}).problem> == 64);
