// Movement operations by brute force: a shape and, for each element in row-major order, the position it reads (-1: padding).
#pragma once

#include "twill/shape.hpp"

namespace reference {

using twill::i64;
using twill::size_t;

// Evaluates a law (a captureless lambda giving bool) in constant evaluation, then again at run time.
template <auto Law>
bool both() {
  static_assert(Law());
  return Law();
}

using point = twill::vector<i64, 8>;

constexpr point unravel(i64 flat, const twill::shape& s) {
  point p(s.rank());
  for (size_t i = s.rank(); i-- > 0;) {
    p[i] = flat % i64(s[i]);
    flat /= i64(s[i]);
  }
  return p;
}
constexpr i64 ravel(const point& p, const twill::shape& s) {
  i64 flat = 0;
  for (size_t i = 0; i < s.rank(); ++i) flat = flat * i64(s[i]) + p[i];
  return flat;
}

struct map {
  twill::shape shape;
  twill::vector<i64> reads;
  friend constexpr bool operator==(const map&, const map&) = default;

  static constexpr map contiguous(const twill::shape& s) {
    map m{s, {}};
    for (i64 i = 0; i < s.elements(); ++i) m.reads.push_back(i);
    return m;
  }
  static constexpr map of(const twill::shapetracker& st) {
    map m{st.shape(), {}};
    const i64 count = m.shape.elements();
    for (i64 i = 0; i < count; ++i) {
      twill::vector<twill::sint, 8> at;
      for (i64 x : unravel(i, m.shape)) at.push_back(x);
      m.reads.push_back(st.locate(at).index);
    }
    return m;
  }
  // Element p of the result is element source(p) of this; where that is outside this, padding.
  template <class F>
  constexpr map moved(const twill::shape& to, F source) const {
    map m{to, {}};
    for (i64 i = 0; i < to.elements(); ++i) {
      const point from = source(unravel(i, to));
      bool inside = true;
      for (size_t k = 0; k < from.size(); ++k) inside = inside && from[k] >= 0 && from[k] < i64(shape[k]);
      m.reads.push_back(inside ? reads[static_cast<size_t>(ravel(from, shape))] : -1);
    }
    return m;
  }
  constexpr map reshape(const twill::shape& to) const { return {to, reads}; }
  constexpr map permute(twill::span<const twill::sint> order) const {
    twill::shape to;
    for (const twill::sint& axis : order) to.push_back(shape[size_t(axis)]);
    return moved(to, [&](const point& p) {
      point from(p.size());
      for (size_t i = 0; i < p.size(); ++i) from[size_t(order[i])] = p[i];
      return from;
    });
  }
  constexpr map expand(const twill::shape& to) const {
    return moved(to, [&](const point& p) {
      point from(shape.rank());
      for (size_t i = 0; i < shape.rank(); ++i) from[i] = shape[i] == 1 ? 0 : p[i + to.rank() - shape.rank()];
      return from;
    });
  }
  constexpr map pad(twill::span<const twill::padding> amounts) const {
    twill::shape to = shape;
    for (size_t i = 0; i < to.rank(); ++i) to[i] = i64(to[i]) + i64(amounts[i].before) + i64(amounts[i].after);
    return moved(to, [&](point p) {
      for (size_t i = 0; i < p.size(); ++i) p[i] -= i64(amounts[i].before);
      return p;
    });
  }
  constexpr map shrink(twill::span<const twill::bounds_of_axis> ranges) const {
    twill::shape to = shape;
    for (size_t i = 0; i < to.rank(); ++i) to[i] = i64(ranges[i].end) - i64(ranges[i].begin);
    return moved(to, [&](point p) {
      for (size_t i = 0; i < p.size(); ++i) p[i] += i64(ranges[i].begin);
      return p;
    });
  }
  constexpr map flip(twill::span<const twill::sint> axes) const {
    return moved(shape, [&](point p) {
      for (const twill::sint& axis : axes) p[size_t(axis)] = i64(shape[size_t(axis)]) - 1 - p[size_t(axis)];
      return p;
    });
  }
  constexpr map windows(const twill::shape& window, i64 step, i64 dilation) const {
    twill::shape to = shape;
    const size_t n = window.rank(), first = shape.rank() - n;
    for (size_t k = 0; k < n; ++k) to[first + k] = (i64(shape[first + k]) - (i64(window[k]) - 1) * dilation - 1) / step + 1;
    for (size_t k = 0; k < n; ++k) to.push_back(window[k]);
    return moved(to, [&](const point& p) {
      point from(shape.rank());
      for (size_t i = 0; i < shape.rank(); ++i) from[i] = i < first ? p[i] : p[i] * step + p[i + n] * dilation;
      return from;
    });
  }
  // This read through: element i of the result is element reads[i] of below.
  constexpr map over(const map& below) const {
    map m = *this;
    for (i64& r : m.reads)
      if (r >= 0) r = below.reads[static_cast<size_t>(r)];
    return m;
  }

  // The single view with this map, by its definition: the unmasked elements form a box, the positions are affine on it.
  constexpr bool single(twill::view& out) const {
    const size_t rank = shape.rank();
    twill::vector<twill::view_axis, 8> axes(rank);
    point first;
    for (size_t i = 0; i < rank; ++i) axes[i] = {i64(shape[i]), 0, INT64_MAX, 0};
    i64 valid = 0;
    for (size_t i = 0; i < reads.size(); ++i) {
      if (reads[i] < 0) continue;
      const point p = unravel(static_cast<i64>(i), shape);
      if (valid++ == 0) first = p;
      for (size_t k = 0; k < rank; ++k) {
        if (p[k] < axes[k].begin) axes[k].begin = p[k];
        if (p[k] + 1 > axes[k].end) axes[k].end = p[k] + 1;
      }
    }
    if (valid == 0) {
      out = twill::view::masked_out(shape);
      return true;
    }
    i64 box = 1;
    for (const twill::view_axis& a : axes) box *= a.end - a.begin;
    if (box != valid) return false;
    i64 offset = reads[static_cast<size_t>(ravel(first, shape))];
    for (size_t k = 0; k < rank; ++k) {
      if (axes[k].end - axes[k].begin < 2) continue;
      point next = first;
      ++next[k];
      axes[k].stride = reads[static_cast<size_t>(ravel(next, shape))] - reads[static_cast<size_t>(ravel(first, shape))];
    }
    for (size_t k = 0; k < rank; ++k) offset -= axes[k].stride * first[k];
    out = twill::view(axes, offset);
    return of(twill::shapetracker(out)) == *this;
  }
};

// A small generator of numbers: the same everywhere.
struct random {
  twill::u64 state = 1;
  constexpr i64 below(i64 n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<i64>(state % static_cast<twill::u64>(n));
  }
  constexpr i64 between(i64 low, i64 high) { return low + below(high - low + 1); }
};

struct pair {
  twill::shapetracker tracker;
  map expected;
};

// All shapes of at most max_rank axes of sizes 0 .. max_size.
inline twill::vector<twill::shape> shapes(size_t max_rank, i64 max_size) {
  twill::vector<twill::shape> all;
  all.push_back({});
  for (size_t from = 0, rank = 1; rank <= max_rank; ++rank) {
    const size_t to = all.size();
    for (; from < to; ++from)
      for (i64 size = 0; size <= max_size; ++size) {
        twill::shape s = all[from];
        s.push_back(size);
        all.push_back(s);
      }
  }
  return all;
}

// Some way to write count elements with at most max_rank axes.
constexpr twill::shape some_shape(random& r, i64 count, size_t max_rank) {
  twill::shape s;
  if (count == 0) {
    const i64 rank = r.between(1, static_cast<i64>(max_rank)), zero = r.below(rank);
    for (i64 i = 0; i < rank; ++i) s.push_back(i == zero ? 0 : r.between(0, 3));
    return s;
  }
  while (count > 1 && s.rank() + 1 < max_rank) {
    if (r.below(4) == 0) {
      s.push_back(1);
      continue;
    }
    i64 factor = r.between(1, count);
    while (count % factor != 0) --factor;
    s.push_back(factor);
    count /= factor;
  }
  if (count > 1 || r.below(3) == 0) s.push_back(count);
  return s;
}

// One random movement of both; keeps the element count below a limit.
constexpr void step(random& r, pair& p, i64 limit) {
  const twill::shape s = p.expected.shape;
  const size_t rank = s.rank();
  switch (r.below(8)) {
    case 0:
    case 1: {
      const twill::shape to = some_shape(r, s.elements(), 5);
      p.tracker = p.tracker.reshape(to);
      p.expected = p.expected.reshape(to);
      break;
    }
    case 2: {
      twill::vector<twill::sint, 8> order;
      for (size_t i = 0; i < rank; ++i) order.insert(static_cast<size_t>(r.below(static_cast<i64>(i) + 1)), i);
      p.tracker = p.tracker.permute(twill::span<const twill::sint>(order));
      p.expected = p.expected.permute(twill::span<const twill::sint>(order));
      break;
    }
    case 3: {
      twill::shape to = s;
      for (size_t i = 0; i < rank; ++i)
        if (s[i] == 1 && r.below(2) == 0) to[i] = r.between(1, 4);
      if (r.below(4) == 0 && rank < 5) to.insert(0, r.between(1, 3));
      if (to.elements() > limit) return;
      p.tracker = p.tracker.expand(to);
      p.expected = p.expected.expand(to);
      break;
    }
    case 4: {
      twill::vector<twill::padding, 8> amounts;
      i64 count = 1;
      for (size_t i = 0; i < rank; ++i) {
        amounts.push_back(r.below(2) == 0 ? twill::padding{0, 0} : twill::padding{r.below(3), r.below(3)});
        count *= i64(s[i]) + i64(amounts[i].before) + i64(amounts[i].after);
      }
      if (count > limit) return;
      p.tracker = p.tracker.pad(twill::span<const twill::padding>(amounts));
      p.expected = p.expected.pad(twill::span<const twill::padding>(amounts));
      break;
    }
    case 5:
    case 6: {
      twill::vector<twill::bounds_of_axis, 8> ranges;
      for (size_t i = 0; i < rank; ++i) {
        i64 begin = 0, end = i64(s[i]);
        if (end > 1 && r.below(2) == 0) {
          begin = r.below(end);
          end = r.between(begin + (r.below(20) == 0 ? 0 : 1), end);
        }
        ranges.push_back({begin, end});
      }
      p.tracker = p.tracker.shrink(twill::span<const twill::bounds_of_axis>(ranges));
      p.expected = p.expected.shrink(twill::span<const twill::bounds_of_axis>(ranges));
      break;
    }
    default: {
      twill::vector<twill::sint, 8> axes;
      for (size_t i = 0; i < rank; ++i)
        if (r.below(2) == 0) axes.push_back(i);
      p.tracker = p.tracker.flip(twill::span<const twill::sint>(axes));
      p.expected = p.expected.flip(twill::span<const twill::sint>(axes));
    }
  }
}

}  // namespace reference
