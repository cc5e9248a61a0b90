// The laws of movement operations against brute force: over all small shapes, and over long random chains.
#include "catch.hpp"
#include "reference.hpp"

namespace tw = twill;
using reference::map;
using reference::pair;
using tw::i64;
using tw::sint;
using tw::span;

namespace {

// Calls f with every list of count numbers in [low, high].
template <class F>
void for_all_lists(size_t count, i64 low, i64 high, F f) {
  tw::vector<i64, 8> list(count, low);
  for (;;) {
    f(list);
    size_t i = 0;
    while (i < count && list[i] == high) list[i++] = low;
    if (i == count) return;
    ++list[i];
  }
}

// Starting points of every shape: plain, reversed and shifted, padded, transposed, with a part cut out.
tw::vector<pair> starts(const tw::shape& s) {
  tw::vector<pair> all;
  all.push_back({tw::shapetracker(s), map::contiguous(s)});
  if (s.rank() == 0) return all;
  tw::vector<sint, 8> axes;
  tw::vector<tw::padding, 8> amounts;
  tw::vector<tw::bounds_of_axis, 8> ranges;
  tw::shape wider = s;
  for (size_t i = 0; i < s.rank(); ++i) {
    axes.insert(0, i);
    amounts.push_back({i == 0 ? 1 : 0, i == 0 ? 0 : 1});
    ranges.push_back({1, i64(s[i]) + 1});
    wider[i] = i64(s[i]) + 2;
  }
  const span<const sint> order(axes);
  all.push_back({tw::shapetracker(s).flip(order), map::contiguous(s).flip(order)});
  all.push_back({tw::shapetracker(s).permute(order), map::contiguous(s).permute(order)});
  const span<const tw::bounds_of_axis> cut(ranges);
  all.push_back({tw::shapetracker(wider).shrink(cut), map::contiguous(wider).shrink(cut)});
  if (s.elements() > 0) {   // s itself, padding taking the place of its first or last rows
    tw::shape smaller = s;
    bool room = true;
    for (size_t i = 0; i < s.rank(); ++i) {
      room = room && i64(s[i]) > 1;
      smaller[i] = i64(s[i]) - 1;
    }
    const span<const tw::padding> margin(amounts);
    if (room) all.push_back({tw::shapetracker(smaller).pad(margin), map::contiguous(smaller).pad(margin)});
  }
  return all;
}

template <class F>
void for_all_starts(F f) {
  for (const tw::shape& s : reference::shapes(3, 3))
    for (const pair& p : starts(s)) f(p);
}

}  // namespace

TEST_CASE("reshape keeps the elements in their order") {
  const auto targets = reference::shapes(3, 4);
  for_all_starts([&](const pair& p) {
    for (const tw::shape& to : targets)
      if (to.elements() == p.expected.shape.elements()) REQUIRE(map::of(p.tracker.reshape(to)) == p.expected.reshape(to));
  });
}

TEST_CASE("permute exchanges axes, and its inverse undoes it") {
  for_all_starts([](const pair& p) {
    const size_t rank = p.tracker.rank();
    for_all_lists(rank, 0, static_cast<i64>(rank) - 1, [&](const tw::vector<i64, 8>& list) {
      tw::vector<sint, 8> order, inverse(rank);
      for (i64 axis : list) order.push_back(axis);
      if (!tw::infer_permute(p.expected.shape, order).ok()) return;
      for (size_t i = 0; i < rank; ++i) inverse[size_t(order[i])] = i;
      const auto moved = p.tracker.permute(span<const sint>(order));
      REQUIRE(map::of(moved) == p.expected.permute(order));
      REQUIRE(moved.permute(span<const sint>(inverse)) == p.tracker);
    });
  });
}

TEST_CASE("expand repeats axes of size 1 and new outer ones") {
  for_all_starts([](const pair& p) {
    const tw::shape s = p.expected.shape;
    for_all_lists(s.rank() + 1, 0, 3, [&](const tw::vector<i64, 8>& list) {
      tw::shape to;
      for (i64 size : list) to.push_back(size);
      if (tw::infer_expand(s, to).ok()) REQUIRE(map::of(p.tracker.expand(to)) == p.expected.expand(to));
    });
    REQUIRE(p.tracker.expand(s) == p.tracker);
  });
}

TEST_CASE("pad surrounds with padding, and shrink undoes it") {
  for_all_starts([](const pair& p) {
    const tw::shape s = p.expected.shape;
    const size_t rank = s.rank();
    for_all_lists(2 * rank, 0, rank == 3 ? 1 : 2, [&](const tw::vector<i64, 8>& list) {
      tw::vector<tw::padding, 8> amounts;
      tw::vector<tw::bounds_of_axis, 8> inside;
      for (size_t i = 0; i < rank; ++i) {
        amounts.push_back({list[2 * i], list[2 * i + 1]});
        inside.push_back({list[2 * i], list[2 * i] + i64(s[i])});
      }
      const auto padded = p.tracker.pad(span<const tw::padding>(amounts));
      REQUIRE(map::of(padded) == p.expected.pad(amounts));
      REQUIRE(padded.shrink(span<const tw::bounds_of_axis>(inside)) == p.tracker);
    });
  });
}

TEST_CASE("shrink cuts out a box") {
  for_all_starts([](const pair& p) {
    const tw::shape s = p.expected.shape;
    for_all_lists(2 * s.rank(), 0, 3, [&](const tw::vector<i64, 8>& list) {
      tw::vector<tw::bounds_of_axis, 8> ranges;
      for (size_t i = 0; i < s.rank(); ++i) ranges.push_back({list[2 * i], list[2 * i + 1]});
      if (tw::infer_shrink(s, ranges).ok()) REQUIRE(map::of(p.tracker.shrink(span<const tw::bounds_of_axis>(ranges))) == p.expected.shrink(ranges));
    });
  });
}

TEST_CASE("flip reverses axes, and undoes itself") {
  for_all_starts([](const pair& p) {
    for (unsigned set = 0; set < 1u << p.tracker.rank(); ++set) {
      tw::vector<sint, 8> axes;
      for (size_t i = 0; i < p.tracker.rank(); ++i)
        if (set >> i & 1) axes.push_back(i);
      const auto flipped = p.tracker.flip(span<const sint>(axes));
      REQUIRE(map::of(flipped) == p.expected.flip(axes));
      REQUIRE(flipped.flip(span<const sint>(axes)) == p.tracker);
    }
  });
}

TEST_CASE("windows slide over the last axes") {
  for (const tw::shape& s : reference::shapes(2, 5)) {
    if (s.rank() == 0) continue;
    for (const pair& p : starts(s))
      for (i64 taps = 1; taps <= 3; ++taps)
        for (i64 step = 1; step <= 2; ++step)
          for (i64 dilation = 1; dilation <= 2; ++dilation)
            for (size_t n = 1; n <= s.rank(); ++n) {
              tw::shape window;
              tw::vector<sint, 8> steps, dilations;
              for (size_t k = 0; k < n; ++k) window.push_back(taps), steps.push_back(step), dilations.push_back(dilation);
              if (tw::infer_windows(p.expected.shape, window, steps, dilations).ok())
                REQUIRE(map::of(p.tracker.windows(window, steps, dilations)) == p.expected.windows(window, step, dilation));
            }
  }
}

// One view left where one exists, and then exactly the canonical one: so equal maps are equal trackers.
TEST_CASE("random chains read what brute force reads, through one view wherever there is one") {
  int singles = 0, stacks = 0, missed = 0;
  for (tw::u64 seed = 1; seed <= 6000; ++seed) {
    reference::random r{seed * 0x9e3779b97f4a7c15u};
    for (int i = 0; i < 4; ++i) r.below(2);
    const tw::shape base = reference::some_shape(r, r.between(1, 24), 4);
    pair p{tw::shapetracker(base), map::contiguous(base)};
    for (int i = 0; i < 12; ++i) {
      reference::step(r, p, 200);
      INFO("seed " << seed << ", step " << i << ": " << p.tracker);
      REQUIRE(map::of(p.tracker) == p.expected);
      i64 needed = 0;
      for (i64 position : p.expected.reads) needed = position + 1 > needed ? position + 1 : needed;
      REQUIRE(p.tracker.real_size() >= needed);
      tw::view only;
      if (!p.expected.single(only)) {
        ++stacks;
        REQUIRE(p.tracker.view_count() > 1);
        continue;
      }
      ++singles;
      if (p.tracker.view_count() > 1) {
        ++missed;
        continue;
      }
      REQUIRE(p.tracker.views()[0] == only);
      REQUIRE(p.tracker.real_size() == needed);
    }
  }
  INFO(singles << " single views, of them missed " << missed << ", and " << stacks << " stacks");
  CHECK(missed == 0);
  CHECK(singles > 10000);
  CHECK(stacks > 10000);
}

TEST_CASE("merge finds the one view iff there is one") {
  int merged = 0, refused = 0;
  for (tw::u64 seed = 1; seed <= 60000; ++seed) {
    reference::random r{seed * 0x9e3779b97f4a7c15u};
    for (int i = 0; i < 4; ++i) r.below(2);
    // Any lower view of 1 to 3 axes; any upper one whose unmasked positions are elements of it.
    const auto some_view = [&](i64 elements) {
      for (;;) {
        tw::shape s;
        tw::strides steps;
        tw::vector<tw::bounds_of_axis, 8> mask;
        for (i64 rank = r.between(1, 3); rank > 0; --rank) {
          const i64 size = r.between(1, 6), begin = r.below(3) != 0 ? 0 : r.below(size), end = r.below(3) != 0 ? size : r.between(begin, size);
          s.push_back(size);
          steps.push_back(elements < 0 ? r.between(0, 12) : r.between(-7, 7));
          mask.push_back({begin, end});
        }
        if (s.elements() > 100) continue;
        if (elements < 0) return tw::view(s, steps, 100, mask);
        const tw::view v(s, steps, r.below(elements), mask);
        const auto reach = v.reach();
        if (reach.low >= 0 && reach.high < elements) return v;
      }
    };
    const tw::view lower = some_view(-1), upper = some_view(lower.elements());
    const map expected = map::of(tw::shapetracker(upper)).over(map::of(tw::shapetracker(lower)));
    tw::view only, result = upper;
    const bool exists = expected.single(only), found = tw::merge(lower, result);
    tw::text where;
    where << "seed " << seed << ": " << upper << " over " << lower;
    INFO(where.c_str());
    REQUIRE(found == exists);
    if (found) REQUIRE(result == only);
    else REQUIRE(result == upper);
    ++(found ? merged : refused);
  }
  CHECK(merged > 10000);
  CHECK(refused > 1000);
}

TEST_CASE("composition is the composition of the maps") {
  for (tw::u64 seed = 1; seed <= 1500; ++seed) {
    reference::random r{seed * 0x9e3779b97f4a7c15u};
    for (int i = 0; i < 4; ++i) r.below(2);
    const tw::shape base = reference::some_shape(r, r.between(1, 24), 4);
    pair inner{tw::shapetracker(base), map::contiguous(base)};
    for (int i = 0; i < 4; ++i) reference::step(r, inner, 100);
    const tw::shape between = reference::some_shape(r, inner.expected.shape.elements(), 4);
    pair outer{tw::shapetracker(between), map::contiguous(between)};
    for (int i = 0; i < 4; ++i) reference::step(r, outer, 100);
    REQUIRE(map::of(tw::compose(inner.tracker, outer.tracker)) == outer.expected.over(inner.expected));
  }
}

// A few of the random chains in constant evaluation too: the same code finds no undefined behaviour there.
TEST_CASE("random chains in constant evaluation") {
  CHECK(reference::both<[] {
    for (tw::u64 seed = 1; seed <= 6; ++seed) {
      reference::random r{seed * 0x9e3779b97f4a7c15u};
      pair p{tw::shapetracker(2, 3), map::contiguous({2, 3})};
      for (int i = 0; i < 5; ++i) reference::step(r, p, 24);
      if (!(map::of(p.tracker) == p.expected)) return false;
    }
    return true;
  }>());
}
