// A strided, masked view as a function of one flat position: the position's digits in a mixed radix, each with a
// stride and a range of validity. affine_on() asks whether that function is affine on a box of a lattice, and valid
// on just a box of it: the question behind reshaping a view and merging two.
#pragma once

#include "twill/base/vector.hpp"

namespace twill::detail {

// Arithmetic modulo 2^64: for sums whose true value is known to fit although a part of them might not.
constexpr i64 wrap_add(i64 a, i64 b) { return static_cast<i64>(static_cast<u64>(a) + static_cast<u64>(b)); }
constexpr i64 wrap_mul(i64 a, i64 b) { return static_cast<i64>(static_cast<u64>(a) * static_cast<u64>(b)); }
// sum += a * b; false (and sum spoiled) on overflow.
constexpr bool add_product(i64& sum, i64 a, i64 b) {
  i64 part = 0;
  return !__builtin_mul_overflow(a, b, &part) && !__builtin_add_overflow(sum, part, &sum);
}
constexpr i64 floor_quotient(i64 a, i64 b) { return a / b - (a % b < 0 ? 1 : 0); }   // b > 0

struct digit {
  i64 size = 1, stride = 0, begin = 0, end = 1;   // valid in [begin, end)
  i64 place = 1;                                   // product of the sizes further in
  constexpr bool whole() const { return begin == 0 && end == size; }
};

// One axis of the lattice: start + t * step for t in [0, count). count >= 2, step != 0. The answer: validity and stride.
struct lattice_axis {
  i64 step = 0, count = 0;
  i64 begin = 0, end = 0, stride = 0;
};

enum class affinity : u8 { no, yes, nothing };   // nothing: no point of the lattice is valid

// Law: at(x).value = base + sum of digit * stride, at(x).valid = every digit in its range, for x in [0, product of sizes).
// Minimal: no two neighbouring digits could be one.
class digit_map {
 public:
  vector<digit, 8> digits;   // innermost first
  i64 base = 0;

  // Adds an axis outside the present ones. In canonical form: a digit with one valid value has stride 0.
  constexpr bool push_outer(i64 size, i64 stride, i64 begin, i64 end) {
    if (size == 1) return true;
    if (digits.empty()) {
      digits.push_back({size, stride, begin, end, 1});
      return true;
    }
    digit& inner = digits.back();
    const bool one = end - begin == 1, inner_one = inner.end - inner.begin == 1;
    const bool joins = one || (inner.begin == 0 && inner.end == inner.size && !inner_one && wrap_mul(inner.stride, inner.size) == stride);
    if (joins) {
      if (one && !add_product(base, -inner.stride, wrap_mul(begin, inner.size))) return false;
      const i64 from = begin * inner.size;
      inner.end = one ? from + inner.end : end * inner.size;
      inner.begin = one ? from + inner.begin : from;
      inner.size *= size;
      return true;
    }
    digits.push_back({size, stride, begin, end, inner.place * inner.size});
    return true;
  }

  struct sample {
    bool valid;
    i64 value;
  };
  constexpr sample at(i64 x) const {
    sample s{true, base};
    const digit* d = digits.data();
    for (size_t k = 0, n = digits.size(); k < n; ++k) {
      const i64 q = k + 1 == n ? x : x % d[k].size;
      x /= d[k].size;
      if (q < d[k].begin || q >= d[k].end) s.valid = false;
      s.value = wrap_add(s.value, wrap_mul(q, d[k].stride));
    }
    return s;
  }

  // yes: on the lattice the map is offset + sum of t * stride, valid just where every t is in [begin, end); the axes hold the answer.
  // Never wrong; no may be given for a lattice of more than 8 axes, and where the search exceeds its budget.
  constexpr affinity affine_on(i64 start, span<lattice_axis> axes, i64& offset) const {
    for (lattice_axis& a : axes) {
      a.begin = 0;
      a.end = a.count;
      a.stride = 0;
    }
    if (digits.empty()) {
      offset = base;
      return affinity::yes;
    }
    i64 low = start, high = start;
    for (const lattice_axis& a : axes)
      if (!add_product(a.step < 0 ? low : high, a.step, a.count - 1)) return affinity::no;
    const digit& outer = digits.back();
    if (low < 0 || high / outer.place >= outer.size) return affinity::no;
    if (axes.empty()) {
      const sample s = at(start);
      offset = s.value;
      return s.valid ? affinity::yes : affinity::nothing;
    }
    if (digits.size() == 1 && outer.whole()) {   // affine from end to end
      offset = base;
      if (!add_product(offset, outer.stride, start)) return affinity::no;
      for (lattice_axis& a : axes)
        if (__builtin_mul_overflow(outer.stride, a.step, &a.stride)) return affinity::no;
      return affinity::yes;
    }
    const affinity quick = by_digits(start, axes, offset);
    if (quick != affinity::no || axes.size() > 8) return quick;
    return by_search(start, axes, offset);
  }

 private:
  static constexpr int budget = 128;

  // Every digit affine, without carries, on the whole lattice: complete when nothing is masked away.
  constexpr affinity by_digits(i64 start, span<lattice_axis> axes, i64& offset) const {
    const size_t count = digits.size(), m = axes.size();
    const digit* d = digits.data();
    lattice_axis* a = axes.data();
    i64 value = base, x = start;
    vector<i64, 8> rest(m);   // what is left of start + step after the digits so far
    i64* r = rest.data();
    for (size_t i = 0; i < m; ++i) r[i] = start + a[i].step;
    for (size_t k = 0; k < count; ++k) {
      const bool last = k + 1 == count;
      const i64 q = last ? x : x % d[k].size;
      if (!last) x /= d[k].size;
      i64 low = q, high = q, slope = 0;
      size_t moving = 0, mover = 0;
      for (size_t i = 0; i < m; ++i) {
        const i64 delta = (last ? r[i] : r[i] % d[k].size) - q;
        if (!last) r[i] /= d[k].size;
        if (delta == 0) continue;
        ++moving;
        mover = i;
        slope = delta;
        if (!add_product(delta < 0 ? low : high, delta, a[i].count - 1)) return affinity::no;
        a[i].stride = wrap_add(a[i].stride, wrap_mul(delta, d[k].stride));
      }
      if (low < 0 || high >= d[k].size) return affinity::no;
      value = wrap_add(value, wrap_mul(q, d[k].stride));
      if (high < d[k].begin || low >= d[k].end) return affinity::nothing;
      if (low >= d[k].begin && high < d[k].end) continue;
      if (moving != 1) return affinity::no;
      // d.begin <= q + slope * t < d.end
      i64 from = 0, to = 0;
      if (slope > 0) {
        from = -floor_quotient(q - d[k].begin, slope);
        to = -floor_quotient(q - d[k].end, slope);
      } else {
        from = floor_quotient(q - d[k].end, -slope) + 1;
        to = floor_quotient(q - d[k].begin, -slope) + 1;
      }
      if (from > a[mover].begin) a[mover].begin = from;
      if (to < a[mover].end) a[mover].end = to;
    }
    for (size_t i = 0; i < m; ++i)
      if (a[i].begin >= a[i].end) return affinity::nothing;
    offset = value;
    return affinity::yes;
  }

  struct box {
    i64 start = 0;
    i64 from[8]{}, count[8]{};
  };
  constexpr i64 position(i64 start, span<lattice_axis> axes, const i64* t) const {
    for (size_t i = 0; i < axes.size(); ++i) start += axes[i].step * t[i];
    return start;
  }

  // No valid point in the box, shown by one digit: modulo the digit's period the box covers positions outside its range.
  constexpr bool surely_invalid(span<lattice_axis> axes, const box& b) const {
    for (size_t k = 0; k < digits.size(); ++k) {
      const digit& d = digits[k];
      if (d.whole()) continue;
      const bool last = k + 1 == digits.size();
      const i64 period = last ? 0 : d.place * d.size;
      i64 low = last ? b.start : b.start % period, high = low;
      for (size_t i = 0; i < axes.size(); ++i) {
        i64 step = last ? axes[i].step : axes[i].step % period;
        if (!last && step > period / 2) step -= period;
        if (!last && step < -(period / 2)) step += period;
        (step < 0 ? low : high) += step * (b.count[i] - 1);
      }
      if (!last && floor_quotient(low, period) != floor_quotient(high, period)) continue;
      if (!last) {
        const i64 cycle = floor_quotient(low, period) * period;
        low -= cycle;
        high -= cycle;
      }
      if (high / d.place < d.begin || low / d.place >= d.end) return true;
    }
    return false;
  }
  // Valid everywhere in the box and affine with the axes' strides, shown by digits without carries.
  constexpr bool surely_affine(span<lattice_axis> axes, const box& b) const {
    for (size_t i = 0; i < axes.size(); ++i)
      if (b.count[i] > 1 && at(b.start + axes[i].step).value != wrap_add(at(b.start).value, axes[i].stride)) return false;
    for (size_t k = 0; k < digits.size(); ++k) {
      const digit& d = digits[k];
      const bool last = k + 1 == digits.size();
      const i64 here = b.start / d.place, q = last ? here : here % d.size;
      i64 low = q, high = q;
      for (size_t i = 0; i < axes.size(); ++i) {
        if (b.count[i] < 2) continue;
        const i64 there = (b.start + axes[i].step) / d.place, delta = (last ? there : there % d.size) - q;
        if (!add_product(delta < 0 ? low : high, delta, b.count[i] - 1)) return false;
      }
      if (low < d.begin || high >= d.end) return false;
    }
    return true;
  }
  // Halves the box along the axis of the largest extent.
  constexpr void split(span<lattice_axis> axes, const box& b, vector<box>& into) const {
    size_t widest = 0;
    i64 extent = -1;
    for (size_t i = 0; i < axes.size(); ++i) {
      const i64 step = axes[i].step < 0 ? -axes[i].step : axes[i].step;
      if (b.count[i] < 2 || step * (b.count[i] - 1) <= extent) continue;
      extent = step * (b.count[i] - 1);
      widest = i;
    }
    box near = b, far = b;
    const i64 half = b.count[widest] / 2;
    near.count[widest] = half;
    far.from[widest] += half;
    far.count[widest] -= half;
    far.start += axes[widest].step * half;
    into.push_back(far);
    into.push_back(near);
  }
  static constexpr bool single(size_t m, const box& b) {
    for (size_t i = 0; i < m; ++i)
      if (b.count[i] != 1) return false;
    return true;
  }

  // Finds one valid point, follows the axes from there as far as they stay valid, and then proves the box and the
  // strides so found right by halving until every part is plain, within a budget.
  constexpr affinity by_search(i64 start, span<lattice_axis> axes, i64& offset) const {
    const size_t m = axes.size();
    int left = budget;
    box all;
    all.start = start;
    for (size_t i = 0; i < m; ++i) all.count[i] = axes[i].count;

    i64 point[8]{};
    bool found = false;
    vector<box> todo;
    todo.push_back(all);
    while (!todo.empty() && !found) {
      const box b = todo.back();
      todo.pop_back();
      if (--left < 0) return affinity::no;
      if (surely_invalid(axes, b)) continue;
      for (int corner = 0; corner < 3 && !found; ++corner) {
        for (size_t i = 0; i < m; ++i) point[i] = b.from[i] + (corner == 0 ? 0 : corner == 1 ? b.count[i] - 1 : b.count[i] / 2);
        found = at(position(start, axes, point)).valid;
      }
      if (!found && !single(m, b)) split(axes, b, todo);
    }
    if (!found) return affinity::nothing;

    // If the valid points form a box, then validity along a line through one of them is an interval.
    const i64 here = position(start, axes, point);
    const i64 value = at(here).value;
    offset = value;
    for (size_t i = 0; i < m; ++i) {
      lattice_axis& a = axes[i];
      i64 valid = point[i], beyond = a.count;
      while (beyond - valid > 1) {
        const i64 middle = valid + (beyond - valid) / 2;
        (at(here + a.step * (middle - point[i])).valid ? valid : beyond) = middle;
      }
      a.end = beyond;
      valid = point[i];
      beyond = -1;
      while (valid - beyond > 1) {
        const i64 middle = valid - (valid - beyond) / 2;
        (at(here + a.step * (middle - point[i])).valid ? valid : beyond) = middle;
      }
      a.begin = valid;
      a.stride = 0;
      if (a.end - a.begin > 1) {
        const bool up = point[i] + 1 < a.end;
        const i64 next = at(up ? here + a.step : here - a.step).value;
        a.stride = up ? wrap_add(next, -value) : wrap_add(value, -next);
      }
      offset = wrap_add(offset, -wrap_mul(a.stride, point[i]));
    }

    box inside = all;
    for (size_t i = 0; i < m; ++i) {
      inside.from[i] = axes[i].begin;
      inside.count[i] = axes[i].end - axes[i].begin;
      inside.start += axes[i].step * axes[i].begin;
    }
    todo.clear();
    todo.push_back(inside);
    while (!todo.empty()) {
      const box b = todo.back();
      todo.pop_back();
      if (--left < 0) return affinity::no;
      for (int corner = 0; corner < 3; ++corner) {
        i64 x = b.start, expected = offset;
        for (size_t i = 0; i < m; ++i) {
          const i64 t = corner == 0 ? 0 : corner == 1 ? b.count[i] - 1 : b.count[i] / 2;
          x += axes[i].step * t;
          expected = wrap_add(expected, wrap_mul(axes[i].stride, b.from[i] + t));
        }
        const sample s = at(x);
        if (!s.valid || s.value != expected) return affinity::no;
      }
      if (!surely_affine(axes, b) && !single(m, b)) split(axes, b, todo);
    }

    // The rest, in disjoint slabs: before and after the range of one axis, within the ranges of the axes before it.
    box rest = all;
    for (size_t i = 0; i < m; ++i) {
      const lattice_axis& a = axes[i];
      if (a.begin > 0) {
        box b = rest;
        b.count[i] = a.begin;
        todo.push_back(b);
      }
      if (a.end < a.count) {
        box b = rest;
        b.from[i] = a.end;
        b.count[i] = a.count - a.end;
        b.start += a.step * a.end;
        todo.push_back(b);
      }
      rest.from[i] = a.begin;
      rest.count[i] = a.end - a.begin;
      rest.start += a.step * a.begin;
    }
    while (!todo.empty()) {
      const box b = todo.back();
      todo.pop_back();
      if (--left < 0) return affinity::no;
      if (surely_invalid(axes, b)) continue;
      i64 far = b.start, middle = b.start;
      for (size_t i = 0; i < m; ++i) {
        far += axes[i].step * (b.count[i] - 1);
        middle += axes[i].step * (b.count[i] / 2);
      }
      if (at(b.start).valid || at(far).valid || at(middle).valid) return affinity::no;
      if (!single(m, b)) split(axes, b, todo);
    }
    i64 sum = 0;   // strides and offset are true values, not ones modulo 2^64
    for (const lattice_axis& a : axes)
      if (!add_product(sum, a.stride, a.begin)) return affinity::no;
    if (__builtin_sub_overflow(at(inside.start).value, sum, &sum) || sum != offset) return affinity::no;
    return affinity::yes;
  }
};

}  // namespace twill::detail
