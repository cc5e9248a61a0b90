// Trackers as users see them.
#include "catch.hpp"
#include "reference.hpp"

namespace tw = twill;
using reference::both;
using tw::shapetracker;

TEST_CASE("movements give one view where one will do") {
  CHECK(both<[] {
    const shapetracker st{4, 8};
    const auto t = st.permute(1, 0);
    return st.contiguous() && t.strides() == tw::strides(1, 8) && !t.contiguous() && t.index(3, 1) == 11 && t == st.transpose() &&
           t.reshape(32).view_count() == 2 && t.reshape(32).reshape(8, 4) == t && t.reshape(-1, 2, 2).strides() == tw::strides(1, 16, 8) &&
           st.permute(-1, -2) == t && st.reshape({2, 2, 8}).shape() == tw::shape(2, 2, 8) && st.flip(-1).flip(1) == st;
  }>());
  CHECK(both<[] {
    const shapetracker st(1, 8);
    return st.expand(4, 8).strides() == tw::strides(0, 1) && st.expand(2, 4, 8).strides() == tw::strides(0, 0, 1) && st.expand(4, -1).shape() == tw::shape(4, 8);
  }>());
}

TEST_CASE("equal maps are equal views, whatever made them") {
  CHECK(both<[] {   // an axis of size 1 has no stride of its own
    const tw::view a(tw::shape(1, 2, 2), tw::strides(0, 30, 2), 7), b(tw::shape(2, 1, 2), tw::strides(30, 0, 2), 7);
    const tw::view c(tw::shape(1, 2, 2), tw::strides(99, 30, 2), 7), normal(tw::shape(2, 2), tw::strides(30, 2), 7);
    const shapetracker x(a), y(b);
    return a == c && x.reshape(2, 2) == y.reshape(2, 2) && x.reshape(2, 2) == shapetracker(normal) && normal.index(0, 0) == 7 && normal.index(0, 1) == 9 &&
           normal.index(1, 0) == 37 && normal.index(1, 1) == 39;
  }>());
  CHECK(both<[] {   // all trackers without elements, and all that read nothing but padding
    const auto none = shapetracker(0, 4), zeros = shapetracker{4}.pad({{2, 2}}).shrink({{0, 2}});
    return none == shapetracker(4, 0).permute(1, 0) && none.contiguous() && none.real_size() == 0 && zeros == shapetracker{9}.pad({{2, 0}}).shrink({{0, 2}}) &&
           zeros.nothing() && zeros.real_size() == 0 && !zeros.contiguous() && !zeros.valid(0) && !zeros.shrink({{0, 1}}).reshape(tw::shape()).valid() &&
           none.pad({{1, 1}, {0, 0}}).nothing() && none.pad({{1, 1}, {0, 0}}).shape() == tw::shape(2, 4);
  }>());
}

TEST_CASE("padding is masked, and gone when cut off") {
  CHECK(both<[] {
    const auto padded = shapetracker{4}.pad({{2, 2}});
    return padded.valid(2) && !padded.valid(1) && padded.index(2) == 0 && padded.index(1) == -1 && padded.shrink({{2, 6}}) == shapetracker{4} &&
           padded.shrink({{2, 6}}).contiguous();
  }>());
  CHECK(both<[] {   // [10, 20, 30, 40] padded by one and folded in two rows: the mask is no box
    const auto st = shapetracker{4}.pad({{1, 1}}).reshape(2, 3);
    return st.view_count() == 2 && !st.valid(0, 0) && st.index(0, 1) == 0 && st.index(0, 2) == 1 && st.index(1, 0) == 2 && st.index(1, 1) == 3 && !st.valid(1, 2);
  }>());
  CHECK(both<[] {   // [1, 2, 3] reversed, then padded
    const auto st = shapetracker{3}.flip(0).pad({{1, 2}});
    return st.view_count() == 1 && reference::map::of(st).reads == tw::vector<tw::i64>{-1, 2, 1, 0, -1, -1};
  }>());
}

TEST_CASE("windows are one view") {
  CHECK(both<[] {
    const auto st = shapetracker(4, 4).windows({2, 2});
    tw::i64 sum = 0;
    for (tw::i64 i = 0; i < 81; ++i) {
      const auto p = reference::unravel(i % 36, st.shape());
      if (i < 36) sum += st.index(p[0], p[1], p[2], p[3]);
    }
    return st.shape() == tw::shape(3, 3, 2, 2) && st.strides() == tw::strides(4, 1, 4, 1) && sum == 270 && st.real_size() == 16;
  }>());
  CHECK(both<[] {   // the pooling that reshapes and pads make of it merges to the same
    const auto st = shapetracker(4, 4).reshape(1, 4, 1, 4).expand(3, 4, 3, 4).reshape(12, 12).pad({{0, 3}, {0, 3}}).reshape(3, 5, 3, 5);
    return st.shrink({{0, 3}, {0, 2}, {0, 3}, {0, 2}}).permute(1, 3, 0, 2) == shapetracker(4, 4).windows({3, 3});
  }>());
}

TEST_CASE("composition refuses to be one layout where it is none") {
  CHECK(both<[] {
    const auto layout = [](tw::i64 stride0, tw::i64 stride1, tw::i64 stride2) {   // column-major (4, 6, 8), leftmost fastest
      return shapetracker(tw::view(tw::shape(8, 6, 4), tw::strides(stride2, stride1, stride0)));
    };
    const shapetracker every_third(tw::view(tw::shape(6), tw::strides(3)));
    const auto composed = tw::compose(layout(2, 3, 5), every_third);
    return composed.view_count() == 2 && reference::map::of(composed).reads == tw::vector<tw::i64>{0, 6, 7, 8, 9, 15};
  }>());
  CHECK(both<[] {
    const auto st = shapetracker(10, 10).transpose();
    return tw::compose(st, st) == shapetracker(10, 10) && st.under(st).contiguous();
  }>());
}

TEST_CASE("trackers of up to two views are constants, higher ranks work") {
  static constexpr auto two = shapetracker(4, 8).permute(1, 0).reshape(32);
  static_assert(two.view_count() == 2);
  const shapetracker big{1, 2, 1, 2, 1, 2, 1, 2, 1, 2};
  CHECK(big.permute(9, 8, 7, 6, 5, 4, 3, 2, 1, 0).permute(9, 8, 7, 6, 5, 4, 3, 2, 1, 0) == big);
  CHECK(big.flip(1, 3).reshape(32).reshape(big.shape()).flip(1, 3).reshape(32).view_count() >= 1);
  CHECK(reference::map::of(big.flip(1, 9).reshape(8, 4)) == reference::map::contiguous(big.shape()).flip({1, 9}).reshape({8, 4}));
}

TEST_CASE("sizes near the limits neither overflow nor are refused") {
  const tw::i64 big = tw::i64{1} << 31;
  CHECK(both<[] {   // padding whose unread addresses lie beyond 64 bits
    const tw::i64 far = tw::i64{1} << 40;
    const auto st = shapetracker(2, far).shrink({{0, 2}, {0, 1}}).pad({{far, far}, {0, 0}});
    return st.shape() == tw::shape(2 * far + 2, 1) && st.index(far + 1, 0) == far && !st.valid(far - 1, 0) && st.locate({far, 0}).valid;
  }>());
  CHECK(shapetracker(big, big).transpose().index(big - 1, big - 1) == big * big - 1);
  CHECK_THROWS_WITH(shapetracker(big, big).expand(4, big, big), "expand: (4, 2147483648, 2147483648) has more than 9223372036854775807 elements");
  CHECK_THROWS_WITH(shapetracker(big, big, 4), "shape: (2147483648, 2147483648, 4) has more than 9223372036854775807 elements");
}

TEST_CASE("a movement that fails says so and changes nothing") {
  const long n = 6;
  const shapetracker st{n, n};
  CHECK_THROWS_WITH(st.reshape(n, n + 1), "cannot reshape (6, 6) into (6, 7): 36 elements, not 42");
  CHECK_THROWS_AS(st.reshape(n, n + 1), tw::shape_error);
  CHECK_THROWS_WITH(st.permute(0, 0), "permute: axis 0 is given twice (shape (6, 6))");
  CHECK_THROWS_WITH(st.permute(0), "permute: 1 given for rank 2 (shape (6, 6))");
  CHECK_THROWS_WITH(st.expand(7, 6), "cannot expand (6, 6) to (7, 6): axis 0 is 6, not 1 or 7");
  CHECK_THROWS_WITH(st.pad({{1, 1}}), "pad: 1 given for rank 2 (shape (6, 6))");
  CHECK_THROWS_WITH(st.shrink({{0, 6}, {3, 2}}), "shrink: [3, 2) is no range of axis 1 (shape (6, 6))");
  CHECK_THROWS_WITH(st.flip(2), "flip: axis 2 is out of range for rank 2 (shape (6, 6))");
  CHECK_THROWS_WITH(st.windows({7}), "windows: a window of 7 does not fit axis 1 of size 6 (shape (6, 6))");
  CHECK_THROWS_WITH(st.index(6, 0), "index: 6 is out of range for axis 0 (shape (6, 6))");
  CHECK_THROWS_WITH(st.index(0), "index: 1 given for rank 2 (shape (6, 6))");
  CHECK_THROWS_WITH(st.permute(1, 0).reshape(36).strides(), "strides: (36) is made of 2 views, which no strides describe");
  CHECK(st == shapetracker(6, 6));
}

template <auto F>
concept is_constant = requires { typename std::bool_constant<(F(), true)>; };
static_assert(is_constant<[] { return shapetracker(6, 6).reshape(36).view_count(); }>);

TEST_CASE("views print themselves") {
  CHECK(both<[] {
    tw::text t;
    t << shapetracker(4, 8).pad({{1, 0}, {0, 0}}).permute(1, 0);
    return t == "(8, 5):(1, 8)+-8[0, 8)[1, 5)";
  }>());
}
