// A strided, masked view as a function of one flat position: the position's digits in a mixed radix, each with a
// stride and a range of validity.
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
constexpr i64 floor_by_positive(i64 a, i64 b) { return a / b - (a % b < 0 ? 1 : 0); }   // b > 0

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

  // On the lattice the map is offset + sum of t * stride, valid just where every t is in [begin, end): yes, and the
  // axes hold the answer; nothing, if no t is valid. no: not, or not without carries between digits. Never no for a
  // map that is valid everywhere on the lattice and affine there in every digit.
  constexpr affinity affine_by_digits(i64 start, span<lattice_axis> axes, i64& offset) const {
    const size_t count = digits.size(), m = axes.size();
    const digit* d = digits.data();
    lattice_axis* a = axes.data();
    for (size_t i = 0; i < m; ++i) {
      a[i].begin = 0;
      a[i].end = a[i].count;
      a[i].stride = 0;
    }
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
        from = -floor_by_positive(q - d[k].begin, slope);
        to = -floor_by_positive(q - d[k].end, slope);
      } else {
        from = floor_by_positive(q - d[k].end, -slope) + 1;
        to = floor_by_positive(q - d[k].begin, -slope) + 1;
      }
      if (from > a[mover].begin) a[mover].begin = from;
      if (to < a[mover].end) a[mover].end = to;
    }
    for (size_t i = 0; i < m; ++i)
      if (a[i].begin >= a[i].end) return affinity::nothing;
    offset = value;
    return affinity::yes;
  }
};

}  // namespace twill::detail
