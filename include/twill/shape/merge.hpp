// Two views as one: upper reads positions of lower.
#pragma once

#include "twill/shape/reshape.hpp"

namespace twill {

// true: upper has become the one view that reads what upper read through lower; its shape is kept. false: there is none
// (or none was found), and upper is unchanged. Never wrong: a position of lower beyond its elements makes it false.
constexpr bool merge(const view& lower, view& upper) {
  if (upper.nothing()) return true;
  if (lower.nothing()) {
    upper = view::masked_out(upper.shape());
    return true;
  }
  const view::extent reach = upper.reach();
  const i64 elements = lower.elements();
  if (reach.low < 0 || reach.high >= elements) return false;
  if (lower.contiguous()) return true;
  if (upper.contiguous() && upper.elements() == elements) {
    view moved = lower;
    if (!moved.reshape(upper.shape())) return false;
    upper = static_cast<view&&>(moved);
    return true;
  }
  detail::digit_map map;
  map.base = lower.offset();
  const view_axis* a = lower.axes().data();
  for (size_t i = lower.rank(); i-- > 0;)
    if (!map.push_outer(a[i].size, a[i].stride, a[i].begin, a[i].end)) return false;
  vector<view_axis, 8> axes = upper.axes();
  vector<detail::lattice_axis, 8> lattice;
  i64 start = upper.offset();
  for (const view_axis& axis : axes) {
    if (axis.stride == 0) continue;
    start = detail::wrap_add(start, detail::wrap_mul(axis.stride, axis.begin));
    lattice.push_back({axis.stride, axis.end - axis.begin, 0, 0, 0});
  }
  i64 offset = 0;
  switch (map.affine_on(start, span<detail::lattice_axis>(lattice), offset)) {
    case detail::affinity::no: return false;
    case detail::affinity::nothing: upper = view::masked_out(upper.shape()); return true;
    case detail::affinity::yes: break;
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

}  // namespace twill
