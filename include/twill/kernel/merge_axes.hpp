// Joins neighbouring axes that every access of a kernel steps through as one: fewer loops, longer vectors.
#pragma once

#include "twill/schedule/kernel_tree.hpp"

namespace twill {

namespace detail {

// Axes a and a + 1 of st are one axis: each view has no mask there, and stepping over the inner one's end moves on as the
// outer one does.
constexpr bool joins(const shapetracker& st, size_t a) {
  if (st.view_count() != 1) return false;
  const view& v = st.views()[0];
  const view_axis &outer = v.axis(a), &inner = v.axis(a + 1);
  return !outer.masked() && !inner.masked() && outer.stride == inner.stride * inner.size;
}
constexpr shapetracker joined(const shapetracker& st, size_t a) {
  shape sizes;
  const view& v = st.views()[0];
  for (size_t i = 0; i < v.rank(); ++i) {
    if (i == a + 1) continue;
    sizes.push_back(i == a ? v.axis(a).size * v.axis(a + 1).size : v.axis(i).size);
  }
  return st.reshape(sizes);
}


}  // namespace detail

// Law: the kernel computes the same values into the same places.
constexpr void merge_axes(kernel_tree& k) {
  // A view belongs to one index space: its rank and inner sizes. Outer axes are shared by all views.
  for (size_t a = 0; a + 1 < k.outer.size();) {
    bool all = true;
    for (const shapetracker& st : k.views) all = all && detail::joins(st, a);
    if (!all) {
      ++a;
      continue;
    }
    for (shapetracker& st : k.views) st = detail::joined(st, a);
    k.outer[a] *= k.outer[a + 1];
    k.outer.erase(a + 1);
  }
  // Inner axes: stages with equal inner sizes share views, so they merge together.
  for (size_t s = 0; s < k.stages.size(); ++s) {
    bool done = false;
    for (size_t t = 0; t < s; ++t) done = done || k.stages[t].inner == k.stages[s].inner;
    if (done) continue;
    const vector<i64, 4> original = k.stages[s].inner;
    vector<u8> used(k.views.size(), u8{0});
    const size_t rank = k.outer.size() + original.size();
    for (size_t v = 0; v < k.views.size(); ++v) {
      if (k.views[v].rank() != rank) continue;
      bool same = true;
      const shape sizes = k.views[v].shape();
      for (size_t i = 0; i < original.size(); ++i) same = same && sizes[k.outer.size() + i].bits == original[i];
      used[v] = same;
    }
    vector<i64, 4> merged = original;
    for (size_t a = 0; a + 1 < merged.size();) {
      bool all = true;
      for (size_t v = 0; v < k.views.size(); ++v)
        if (used[v]) all = all && detail::joins(k.views[v], k.outer.size() + a);
      if (!all) {
        ++a;
        continue;
      }
      for (size_t v = 0; v < k.views.size(); ++v)
        if (used[v]) k.views[v] = detail::joined(k.views[v], k.outer.size() + a);
      merged[a] *= merged[a + 1];
      merged.erase(a + 1);
    }
    for (stage& t : k.stages)
      if (t.inner == original) t.inner = merged;
  }
}

}  // namespace twill
