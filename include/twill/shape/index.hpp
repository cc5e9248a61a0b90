// A shapetracker lowered to the IR: where an element lives, and whether it is there, as expressions of its indices.
// Not part of the shape door: it needs the IR.
#pragma once

#include "twill/ir/uop.hpp"
#include "twill/shape/shapetracker.hpp"

namespace twill {

// valid is no node, uop(), where the element is always there.
struct indexed {
  uop index, valid;
};

namespace detail {

class index_builder {
 public:
  constexpr index_builder(graph& g, dtype type) : graph_(&g), type_(type) {}
  uop valid;

  constexpr uop constant(i64 value) const { return graph_->constant(type_, value); }
  constexpr void require(uop condition) { valid = valid ? valid & condition : condition; }
  // begin <= x < end, as far as the bounds of x do not say so already.
  constexpr void require_range(uop x, i64 begin, i64 end) {
    if (x.lo() < begin) require(x >= begin);
    if (x.hi() >= end) require(x < end);
  }
  constexpr void add(uop x, i64 stride) {
    if (stride == 0) return;
    const uop term = stride == 1 ? x : x * stride;
    sum_ = sum_ ? sum_ + term : term;
  }
  // The sum of the terms since the last call, and the offset.
  constexpr uop take(i64 offset) {
    uop out = sum_;
    sum_ = {};
    if (out == uop()) return constant(offset);   // ! of a uop is a node
    return offset == 0 ? out : out + offset;
  }

 private:
  graph* graph_;
  dtype type_;
  uop sum_;
};

// The view's digits, from inside out, of a position below: quotients and remainders only where something reads them.
constexpr uop index_below(index_builder& build, const view& v, uop position) {
  digit_map map;
  map.base = v.offset();
  bool joined = true;
  for (size_t i = v.rank(); i-- > 0 && joined;) joined = map.push_outer(v.axis(i).size, v.axis(i).stride, v.axis(i).begin, v.axis(i).end);
  if (!joined) {   // one digit for each axis
    map = {};
    map.base = v.offset();
    i64 place = 1;
    for (size_t i = v.rank(); i-- > 0; place *= v.axis(i).size) {
      const view_axis& a = v.axis(i);
      map.digits.push_back({a.size, a.stride, a.begin, a.end, place});
    }
  }
  for (size_t k = map.digits.size(); k-- > 0;) {
    const digit& d = map.digits[k];
    const bool outermost = k + 1 == map.digits.size();
    if (outermost && d.begin != 0) build.require(position >= d.begin * d.place);
    if (outermost && d.end != d.size) build.require(position < d.end * d.place);
    if (d.stride == 0 && (outermost || d.whole())) continue;
    uop x = d.place == 1 ? position : position / d.place;
    if (!outermost) {
      x = x % d.size;
      if (d.begin != 0) build.require(x >= d.begin);
      if (d.end != d.size) build.require(x < d.end);
    }
    build.add(x, d.stride);
  }
  return build.take(map.base);
}

}  // namespace detail

// at: one integer uop for each axis of st, in the axes' ranges. Law: for all their values index and valid evaluate to
// st.locate(values), the index being arbitrary where valid is false.
constexpr indexed to_indexed(graph& g, const shapetracker& st, span<const uop> at, dtype type = int64) {
  detail::index_builder build(g, at.empty() ? type : at[0].type());
  if (st.nothing()) return {build.constant(0), g.constant(bool_, 0)};
  const span<const view> views = st.views();
  const view& top = views.back();
  for (size_t i = 0; i < top.rank(); ++i) {
    const view_axis& a = top.axis(i);
    if (a.begin != 0) build.require_range(at[i], a.begin, INT64_MAX);
    if (a.end != a.size) build.require_range(at[i], INT64_MIN, a.end);
    build.add(at[i], a.stride);
  }
  uop position = build.take(top.offset());
  for (size_t k = views.size() - 1; k-- > 0;) position = detail::index_below(build, views[k], position);
  return {position, build.valid};
}

}  // namespace twill
