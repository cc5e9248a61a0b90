// Reshaping one view: the finest groups of axes whose sizes have the same product are independent of each other.
#pragma once

#include "twill/shape/affine.hpp"
#include "twill/shape/view.hpp"

namespace twill {

namespace detail {

// Splits one digit over the axes to[0 .. count), outermost first; false when its valid range is no box of them.
constexpr bool split_digit(const digit& d, view_axis* to, size_t count) {
  i64 step = d.stride, first = d.begin, last = d.end - 1;
  for (size_t i = count; i-- > 0;) {
    view_axis& a = to[i];
    if (a.size == 1) continue;
    a.stride = step;
    step = wrap_mul(step, a.size);
    a.begin = first % a.size;
    a.end = last % a.size + 1;
    first /= a.size;
    last /= a.size;
    if (first != last && (a.begin != 0 || a.end != a.size)) return false;   // an axis further out varies, so this one must be whole
  }
  return true;
}

}  // namespace detail

// Law: on true, index map of the result at t = index map of this at the same row-major position.
constexpr bool view::reshape(const twill::shape& to) {
  if (nothing()) {
    *this = masked_out(to);
    return true;
  }
  const size_t old_rank = rank(), new_rank = to.rank();
  vector<view_axis, 8> result(new_rank);
  view_axis* r = result.data();
  for (size_t i = 0; i < new_rank; ++i) r[i].size = to[i].bits;
  i64 offset = offset_;
  const view_axis* a = axes_.data();
  size_t i = old_rank, j = new_rank;
  for (;;) {
    while (i > 0 && a[i - 1].size == 1) --i;
    while (j > 0 && r[j - 1].size == 1) --j;   // as they are: size 1, stride 0
    if (i == 0 || j == 0) break;
    const size_t last = j;
    detail::digit_map map;
    i64 old_size = a[i - 1].size, new_size = r[j - 1].size;
    --i;
    --j;
    if (old_size == new_size) {
      r[j] = a[i];
      continue;
    }
    if (!map.push_outer(a[i].size, a[i].stride, a[i].begin, a[i].end)) return false;
    while (old_size != new_size) {
      if (old_size < new_size) {
        --i;
        old_size *= a[i].size;
        if (!map.push_outer(a[i].size, a[i].stride, a[i].begin, a[i].end)) return false;
      } else {
        --j;
        new_size *= r[j].size;
      }
    }
    if (map.digits.size() == 1) {
      if (!detail::split_digit(map.digits[0], r + j, last - j)) return false;
      if (__builtin_add_overflow(offset, map.base, &offset)) return false;
      continue;
    }
    // Without a mask several digits never become axes that break elsewhere.
    bool whole = true;
    for (const detail::digit& d : map.digits) whole = whole && d.whole();
    if (whole) return false;
    vector<detail::lattice_axis, 8> lattice;
    i64 place = 1;
    for (size_t k = last; k-- > j;) {
      if (r[k].size == 1) continue;
      lattice.push_back({place, r[k].size, 0, 0, 0});
      place *= r[k].size;
    }
    i64 base = 0;
    if (detail::affine_on({&map, 1}, 0, span<detail::lattice_axis>(lattice), base) != detail::affinity::yes) return false;
    if (__builtin_add_overflow(offset, base, &offset)) return false;
    size_t n = 0;
    for (size_t k = last; k-- > j;) {
      if (r[k].size == 1) continue;
      const detail::lattice_axis& l = lattice[n++];
      r[k] = {r[k].size, l.stride, l.begin, l.end};
    }
  }
  *this = view(static_cast<vector<view_axis, 8>&&>(result), offset);
  return true;
}

}  // namespace twill
