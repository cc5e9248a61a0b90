// Several views as one: each reads positions of the one below it.
#pragma once

#include "twill/shape/reshape.hpp"

namespace twill {

namespace detail {

constexpr bool to_digits(const view& v, digit_map& map) {
  map.base = v.offset();
  const view_axis* a = v.axes().data();
  for (size_t i = v.rank(); i-- > 0;)
    if (!map.push_outer(a[i].size, a[i].stride, a[i].begin, a[i].end)) return false;
  return true;
}
constexpr bool reads_within(const view& upper, const view& lower) {
  const view::extent reach = upper.reach();
  return reach.low >= 0 && reach.high < lower.elements();
}

}  // namespace detail

// true: upper has become the one view that reads what upper read through the stack below it; its shape is kept. false:
// there is none (or none was found), and upper is unchanged. below is ordered from memory upwards. Never wrong: where a
// view reads beyond the elements of the one under it the answer is false.
constexpr bool merge(span<const view> below, view& upper) {
  if (below.empty() || upper.nothing()) return true;
  for (size_t k = 0; k < below.size(); ++k) {
    if (below[k].nothing()) {
      upper = view::masked_out(upper.shape());
      return true;
    }
    if (!detail::reads_within(k + 1 == below.size() ? upper : below[k + 1], below[k])) return false;
  }
  if (below.size() == 1) {
    const view& lower = below[0];
    if (lower.contiguous()) return true;
    if (upper.elements() == lower.elements() && upper.contiguous()) {
      view moved = lower;
      if (!moved.reshape(upper.shape())) return false;
      upper = static_cast<view&&>(moved);
      return true;
    }
  }
  vector<detail::digit_map, 1> maps(below.size());   // from the top down
  for (size_t k = 0; k < below.size(); ++k)
    if (!detail::to_digits(below[below.size() - 1 - k], maps[k])) return false;
  vector<view_axis, 8> axes = upper.axes();
  vector<detail::lattice_axis, 8> lattice;
  i64 start = upper.offset();
  for (const view_axis& axis : axes) {
    if (axis.stride == 0) continue;
    start = detail::wrap_add(start, detail::wrap_mul(axis.stride, axis.begin));
    lattice.push_back({axis.stride, axis.end - axis.begin, 0, 0, 0});
  }
  i64 offset = 0;
  const detail::affinity answer = detail::affine_on(span<const detail::digit_map>(maps), start, span<detail::lattice_axis>(lattice), offset);
  if (answer == detail::affinity::no) return false;
  if (answer == detail::affinity::nothing) {
    upper = view::masked_out(upper.shape());
    return true;
  }
  size_t n = 0;
  for (view_axis& axis : axes) {
    if (axis.stride == 0) continue;
    const detail::lattice_axis& l = lattice[n++];
    if (!detail::add_product(offset, -l.stride, axis.begin)) return false;
    axis = {axis.size, l.stride, axis.begin + l.begin, axis.begin + l.end};
  }
  upper = view(static_cast<vector<view_axis, 8>&&>(axes), offset);
  return true;
}
constexpr bool merge(const view& lower, view& upper) { return merge(span<const view>(&lower, 1), upper); }

}  // namespace twill
