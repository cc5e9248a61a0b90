// Is a stack of views affine on a box of a lattice, and valid on just a box of it? The question behind reshaping a view
// and merging several.
#pragma once

#include "twill/shape/digits.hpp"

namespace twill::detail {

// Finds one valid point, follows the axes from there as far as they stay valid, and then proves the box and the strides
// so found right, by halving until every part is plain. Works on up to 8 axes, within a budget of parts.
class affine_search {
 public:
  // maps[0] takes the position of a lattice point; the value of each is the position for the next.
  constexpr affine_search(span<const digit_map> maps, i64 start, span<lattice_axis> axes) : maps_(maps), axes_(axes) {
    all_.start = start;
    for (size_t i = 0; i < axes.size(); ++i) all_.count[i] = axes[i].count;
  }

  constexpr affinity run(i64& offset) {
    i64 point[8]{};
    const affinity found = find_valid(point);
    if (found != affinity::yes) return found;
    offset = follow_axes(point);
    box inside = all_;
    for (size_t i = 0; i < axes_.size(); ++i) {
      inside.from[i] = axes_[i].begin;
      inside.count[i] = axes_[i].end - axes_[i].begin;
      inside.start += axes_[i].step * axes_[i].begin;
    }
    if (!prove_inside(inside, offset) || !prove_outside()) return affinity::no;
    // What was computed modulo 2^64 must be the true values.
    i64 first = offset;
    for (const lattice_axis& a : axes_)
      if (!add_product(first, a.stride, a.begin)) return affinity::no;
    return affinity::yes;
  }

 private:
  struct box {
    i64 start = 0;                   // position of its first point
    i64 from[8]{}, count[8]{};
  };

  constexpr digit_map::sample at(i64 x) const {
    digit_map::sample s{true, x};
    for (size_t k = 0; k < maps_.size() && s.valid; ++k) s = maps_[k].at(s.value);
    return s;
  }
  constexpr i64 position(const i64* t) const {
    i64 x = all_.start;
    for (size_t i = 0; i < axes_.size(); ++i) x += axes_[i].step * t[i];
    return x;
  }
  constexpr bool is_point(const box& b) const {
    for (size_t i = 0; i < axes_.size(); ++i)
      if (b.count[i] != 1) return false;
    return true;
  }

  // No valid point among start + t * steps, shown by one digit: modulo its period all positions lie outside its range.
  constexpr bool masked_by_a_digit(const digit_map& map, i64 start, const i64* steps, const box& b) const {
    for (size_t k = 0; k < map.digits.size(); ++k) {
      const digit& d = map.digits[k];
      if (d.whole()) continue;
      const bool last = k + 1 == map.digits.size();
      const i64 period = last ? 0 : d.place * d.size;
      i64 low = last ? start : start - floor_by_positive(start, period) * period, high = low;
      bool fits = true;
      for (size_t i = 0; i < axes_.size(); ++i) {
        i64 step = last ? steps[i] : steps[i] % period;
        if (!last && step > period / 2) step -= period;
        if (!last && step < -(period / 2)) step += period;
        fits = fits && add_product(step < 0 ? low : high, step, b.count[i] - 1);
      }
      if (!fits) continue;
      if (!last) {
        const i64 cycle = floor_by_positive(low, period);
        if (cycle != floor_by_positive(high, period)) continue;
        low -= cycle * period;
        high -= cycle * period;
      }
      if (high / d.place < d.begin || low / d.place >= d.end) return true;
    }
    return false;
  }
  // Digits without carries on the whole box: start and steps become those of the values. valid: and all in their ranges.
  // Where it is not so, the axis that moves the offending digit furthest is to blame.
  constexpr bool descend(const digit_map& map, i64& start, i64* steps, const box& b, bool& valid) {
    i64 value = map.base, slopes[8]{};
    for (size_t k = 0; k < map.digits.size(); ++k) {
      const digit& d = map.digits[k];
      const bool last = k + 1 == map.digits.size();
      const i64 here = start / d.place, q = last ? here : here % d.size;
      i64 low = q, high = q, furthest = 0;
      size_t mover = 8;
      for (size_t i = 0; i < axes_.size(); ++i) {
        if (b.count[i] < 2) continue;
        const i64 there = (start + steps[i]) / d.place, delta = (last ? there : there % d.size) - q;
        i64 way = 0;
        if (__builtin_mul_overflow(delta < 0 ? -delta : delta, b.count[i] - 1, &way)) way = INT64_MAX;
        if (way > furthest) furthest = way, mover = i;
        if (!add_product(delta < 0 ? low : high, delta, b.count[i] - 1)) {
          blame_ = mover;
          return false;
        }
        slopes[i] = wrap_add(slopes[i], wrap_mul(delta, d.stride));
      }
      if (low < d.begin || high >= d.end) {
        blame_ = mover;
        valid = false;
        if (low < 0 || high >= d.size) return false;
      }
      value = wrap_add(value, wrap_mul(q, d.stride));
    }
    start = value;
    for (size_t i = 0; i < axes_.size(); ++i) steps[i] = slopes[i];
    return true;
  }
  constexpr bool surely_invalid(const box& b) {
    i64 start = b.start, steps[8]{};
    for (size_t i = 0; i < axes_.size(); ++i) steps[i] = axes_[i].step;
    for (size_t k = 0; k < maps_.size(); ++k) {
      if (masked_by_a_digit(maps_[k], start, steps, b)) return true;
      bool valid = true;
      if (!descend(maps_[k], start, steps, b, valid) || !valid) return false;
    }
    return false;
  }
  constexpr bool surely_affine(const box& b) {
    i64 start = b.start, steps[8]{};
    for (size_t i = 0; i < axes_.size(); ++i) steps[i] = axes_[i].step;
    bool valid = true;
    for (size_t k = 0; k < maps_.size(); ++k)
      if (!descend(maps_[k], start, steps, b, valid) || !valid) return false;
    for (size_t i = 0; i < axes_.size(); ++i)
      if (b.count[i] > 1 && steps[i] != axes_[i].stride) return false;
    return true;
  }

  // Puts the halves of b, along the axis to blame or else the one of the largest extent, on the list.
  constexpr void split(const box& b) {
    size_t widest = blame_;
    i64 extent = -1;
    blame_ = 8;
    for (size_t i = 0; i < axes_.size() && (widest == 8 || extent >= 0); ++i) {
      const i64 step = axes_[i].step < 0 ? -axes_[i].step : axes_[i].step;
      if (b.count[i] < 2 || step * (b.count[i] - 1) <= extent) continue;
      extent = step * (b.count[i] - 1);
      widest = i;
    }
    box near = b, far = b;
    const i64 half = b.count[widest] / 2;
    near.count[widest] = half;
    far.from[widest] += half;
    far.count[widest] -= half;
    far.start += axes_[widest].step * half;
    todo_.push_back(far);
    todo_.push_back(near);
  }
  constexpr bool next(box& b) {
    if (todo_.empty() || --left_ < 0) return false;
    b = todo_.back();
    todo_.pop_back();
    return true;
  }
  // Corner, opposite corner or middle of b.
  static constexpr i64 probe(int which, i64 count) { return which == 0 ? 0 : which == 1 ? count - 1 : count / 2; }

  constexpr affinity find_valid(i64* point) {
    const size_t m = axes_.size();
    todo_.push_back(all_);
    for (box b; next(b);) {
      if (surely_invalid(b)) continue;
      for (int which = 0; which < 3; ++which) {
        for (size_t i = 0; i < m; ++i) point[i] = b.from[i] + probe(which, b.count[i]);
        if (at(position(point)).valid) {
          todo_.clear();
          return affinity::yes;
        }
      }
      if (!is_point(b)) split(b);
    }
    return todo_.empty() ? affinity::nothing : affinity::no;
  }

  // If the valid points form a box, then validity along a line through one of them is an interval: found by bisection.
  constexpr i64 follow_axes(const i64* point) {
    const i64 here = position(point), value = at(here).value;
    i64 offset = value;
    for (size_t i = 0; i < axes_.size(); ++i) {
      lattice_axis& a = axes_[i];
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
      if (point[i] + 1 < a.end) a.stride = wrap_add(at(here + a.step).value, wrap_mul(value, -1));
      else if (point[i] > a.begin) a.stride = wrap_add(value, wrap_mul(at(here - a.step).value, -1));
      offset = wrap_add(offset, wrap_mul(wrap_mul(a.stride, point[i]), -1));
    }
    return offset;
  }

  constexpr bool prove_inside(const box& inside, i64 offset) {
    todo_.push_back(inside);
    for (box b; next(b);) {
      for (int which = 0; which < 3; ++which) {
        i64 x = b.start, expected = offset;
        for (size_t i = 0; i < axes_.size(); ++i) {
          const i64 t = probe(which, b.count[i]);
          x += axes_[i].step * t;
          expected = wrap_add(expected, wrap_mul(axes_[i].stride, b.from[i] + t));
        }
        const digit_map::sample s = at(x);
        if (!s.valid || s.value != expected) return false;
      }
      if (!surely_affine(b) && !is_point(b)) split(b);
    }
    return todo_.empty();
  }

  // Outside, in disjoint slabs: before and after the range of one axis, within the ranges of the axes before it.
  constexpr bool prove_outside() {
    box rest = all_;
    for (size_t i = 0; i < axes_.size(); ++i) {
      const lattice_axis& a = axes_[i];
      box slab = rest;
      slab.count[i] = a.begin;
      if (a.begin > 0) todo_.push_back(slab);
      slab.from[i] = a.end;
      slab.count[i] = a.count - a.end;
      slab.start += a.step * a.end;
      if (a.end < a.count) todo_.push_back(slab);
      rest.from[i] = a.begin;
      rest.count[i] = a.end - a.begin;
      rest.start += a.step * a.begin;
    }
    for (box b; next(b);) {
      if (surely_invalid(b)) continue;
      for (int which = 0; which < 3; ++which) {
        i64 x = b.start;
        for (size_t i = 0; i < axes_.size(); ++i) x += axes_[i].step * probe(which, b.count[i]);
        if (at(x).valid) return false;
      }
      if (!is_point(b)) split(b);
    }
    return todo_.empty();
  }

  span<const digit_map> maps_;
  span<lattice_axis> axes_;
  box all_;
  vector<box> todo_;
  size_t blame_ = 8;
  int left_ = 128;
};

// yes: on the lattice the stack is offset + sum of t * stride, valid just where every t is in [begin, end), and the
// axes hold the answer. nothing: no t is valid. Never wrong; no also for more than 8 axes, over 64 bits, or past the budget.
// Every position that a valid digit gives, start included, must be in the range of the map it is for.
constexpr affinity affine_on(span<const digit_map> maps, i64 start, span<lattice_axis> axes, i64& offset) {
  const digit_map& map = maps[0];
  i64 low = start, high = start;
  for (const lattice_axis& a : axes)
    if (!add_product(a.step < 0 ? low : high, a.step, a.count - 1)) return affinity::no;
  if (maps.size() == 1) {
    const affinity quick = map.affine_by_digits(start, axes, offset);
    if (quick != affinity::no) return quick;
    // Affine from end to end: then there were no carries.
    if (map.digits.size() < 2 && (map.digits.empty() || map.digits[0].whole())) return affinity::no;
  }
  if (axes.size() > 8) return affinity::no;
  return affine_search(maps, start, axes).run(offset);
}

}  // namespace twill::detail
