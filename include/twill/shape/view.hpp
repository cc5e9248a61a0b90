// One strided, masked view of flat memory, in canonical form: views with the same index map are equal.
#pragma once

#include "twill/shape/digits.hpp"
#include "twill/shape/infer.hpp"

namespace twill {

// Index i reads position offset + i * stride along each axis, and is masked (reads as zero) unless begin <= i < end.
struct view_axis {
  i64 size = 1, stride = 0, begin = 0, end = 1;
  constexpr bool masked() const { return begin != 0 || end != size; }
  friend constexpr bool operator==(const view_axis&, const view_axis&) = default;
};

// Canonical: along an axis with at most one unmasked index the stride is 0 and the offset holds that index; a view with
// nothing unmasked has strides 0, offset 0 and ranges [0, 0); one without elements has no mask.
class view {
 public:
  constexpr view() = default;
  // Row-major and contiguous.
  constexpr explicit view(const twill::shape& s) {
    axes_.resize(s.rank());
    view_axis* a = axes_.data();
    i64 step = 1;
    bool zero = false;
    for (size_t i = s.rank(); i-- > 0;) {
      const i64 size = s[i].bits;
      a[i].size = size;
      a[i].end = size;
      if (size == 0) zero = true;
      if (size == 1) continue;
      a[i].stride = step;
      step = detail::wrap_mul(step, size);
    }
    if (zero) canonicalize();
  }
  // mask: one range per axis, or nothing.
  constexpr view(const twill::shape& s, const twill::strides& steps, sint offset = 0, span<const bounds_of_axis> mask = {}) : offset_(offset.bits) {
    axes_.resize(s.rank());
    raise_if(check_shape(s, "view"));
    if (steps.rank() != s.rank()) raise_if(detail::make_problem(problem_code::axis_count, "view", s, {}, 0, static_cast<i64>(steps.rank())));
    if (!mask.empty()) raise_if(infer_shrink(s, mask).problem);
    i64 low = offset_, high = offset_;
    bool fits = true;
    for (size_t i = 0; i < s.rank(); ++i) {
      view_axis& a = axes_[i];
      a = {s[i].bits, steps[i].bits, 0, s[i].bits};
      if (!mask.empty()) a.begin = mask[i].begin.bits, a.end = mask[i].end.bits;
      if (a.size > 1 && a.stride == INT64_MIN) fits = false;
      if (a.size > 0) fits = fits && detail::add_product(a.stride < 0 ? low : high, a.stride, a.size - 1);
    }
    if (!fits) raise_if(detail::make_problem(problem_code::address_overflow, "view", s));
    canonicalize();
  }

  constexpr size_t rank() const { return axes_.size(); }
  constexpr const vector<view_axis, 8>& axes() const { return axes_; }
  constexpr const view_axis& axis(size_t i) const { return axes_[i]; }
  constexpr i64 offset() const { return offset_; }
  constexpr twill::shape shape() const {
    twill::shape s;
    s.resize(rank());
    for (size_t i = 0; i < rank(); ++i) s[i].bits = axes_[i].size;
    return s;
  }
  constexpr twill::strides strides() const {
    twill::strides s;
    s.resize(rank());
    for (size_t i = 0; i < rank(); ++i) s[i].bits = axes_[i].stride;
    return s;
  }
  constexpr i64 elements() const {
    i64 count = 1;
    for (const view_axis& a : axes_) count = detail::wrap_mul(count, a.size);
    return count;
  }
  constexpr bool masked() const {
    for (const view_axis& a : axes_)
      if (a.masked()) return true;
    return rank() == 0 && nothing_;
  }
  // One range per axis when something is masked, else nothing.
  constexpr vector<bounds_of_axis, 8> mask() const {
    vector<bounds_of_axis, 8> ranges;
    if (masked())
      for (const view_axis& a : axes_) ranges.push_back({a.begin, a.end});
    return ranges;
  }
  // No index reads memory: all are masked, or there are none.
  constexpr bool nothing() const { return nothing_; }
  // Index i reads position i, in row-major order of the shape.
  constexpr bool contiguous() const {
    if (nothing_) return !masked();
    if (offset_ != 0) return false;
    i64 step = 1;
    const view_axis* axes = axes_.data();
    for (size_t i = rank(); i-- > 0;) {
      const view_axis& a = axes[i];
      if (a.begin != 0 || a.end != a.size) return false;
      if (a.size == 1) continue;
      if (a.stride != step) return false;
      step = detail::wrap_mul(step, a.size);
    }
    return true;
  }

  // at holds rank() indices within the shape.
  constexpr bool valid(span<const i64> at) const {
    const view_axis* a = axes_.data();
    for (size_t i = 0; i < at.size(); ++i)
      if (at[i] < a[i].begin || at[i] >= a[i].end) return false;
    return !nothing_;
  }
  // Position in memory; meaningful where valid.
  constexpr i64 index(span<const i64> at) const {
    const view_axis* a = axes_.data();
    i64 position = offset_;
    for (size_t i = 0; i < at.size(); ++i) position = detail::wrap_add(position, detail::wrap_mul(at[i], a[i].stride));
    return position;
  }
  template <detail::size_like... I>
    requires(sizeof...(I) > 0)
  constexpr bool valid(const I&... at) const {
    const i64 list[]{sint(at).bits...};
    return valid(span<const i64>(list));
  }
  template <detail::size_like... I>
    requires(sizeof...(I) > 0)
  constexpr i64 index(const I&... at) const {
    const i64 list[]{sint(at).bits...};
    return index(span<const i64>(list));
  }

  // The smallest and the largest position read; {0, -1} when nothing is.
  struct extent {
    i64 low = 0, high = -1;
  };
  constexpr extent reach() const {
    if (nothing_) return {};
    extent e{offset_, offset_};
    for (const view_axis& a : axes_) {
      e.low = detail::wrap_add(e.low, detail::wrap_mul(a.stride, a.stride < 0 ? a.end - 1 : a.begin));
      e.high = detail::wrap_add(e.high, detail::wrap_mul(a.stride, a.stride < 0 ? a.begin : a.end - 1));
    }
    return e;
  }

  // Movement operations, in place. Arguments are those that infer_* accepts, axes counted from the front. false: no
  // single view describes the result (or it would need addresses over 64 bits), and nothing has changed.
  constexpr bool permute(span<const u32> order) {
    vector<view_axis, 8> moved(rank());
    const view_axis* from = axes_.data();
    view_axis* to = moved.data();
    for (size_t i = 0; i < order.size(); ++i) to[i] = from[order[i]];
    axes_ = static_cast<vector<view_axis, 8>&&>(moved);
    return true;
  }
  constexpr bool expand(const twill::shape& to) {
    const size_t fresh = to.rank() - rank();
    for (size_t i = 0; i < fresh; ++i) axes_.insert(0, {1, 0, 0, nothing_ ? 0 : 1});
    view_axis* a = axes_.data();
    bool empty = false;
    for (size_t i = 0; i < to.rank(); ++i) {
      const i64 size = to[i].bits;
      empty = empty || size == 0;
      if (a[i].size == size) continue;
      a[i].size = size;
      if (a[i].end != 0) a[i].end = size;   // an axis of one index has stride 0
    }
    if (empty) canonicalize();
    return true;
  }
  constexpr bool pad(span<const padding> amounts) {
    view_axis* a = axes_.data();
    i64 offset = offset_;
    for (size_t i = 0; i < amounts.size(); ++i)
      if (amounts[i].before.bits != 0 && !detail::add_product(offset, -a[i].stride, amounts[i].before.bits)) return false;
    bool empty = false;
    for (size_t i = 0; i < amounts.size(); ++i) {
      const i64 before = amounts[i].before.bits;
      a[i].size += before + amounts[i].after.bits;
      a[i].begin += before;
      a[i].end += before;
      empty = empty || a[i].begin == a[i].end;
    }
    offset_ = offset;
    if (empty) canonicalize();
    return true;
  }
  constexpr bool shrink(span<const bounds_of_axis> ranges) {
    view_axis* a = axes_.data();
    i64 offset = offset_;
    for (size_t i = 0; i < ranges.size(); ++i)
      if (ranges[i].begin.bits != 0 && !detail::add_product(offset, a[i].stride, ranges[i].begin.bits)) return false;
    for (size_t i = 0; i < ranges.size(); ++i) {
      const i64 from = ranges[i].begin.bits, size = ranges[i].end.bits - from;
      a[i].size = size;
      a[i].begin = a[i].begin > from ? a[i].begin - from : 0;
      a[i].end = a[i].end - from < size ? a[i].end - from : size;
    }
    offset_ = offset;
    canonicalize();
    return true;
  }
  constexpr bool flip(span<const u32> which) {
    i64 offset = offset_;
    for (u32 i : which)
      if (axes_[i].size > 0 && !detail::add_product(offset, axes_[i].stride, axes_[i].size - 1)) return false;
    for (u32 i : which) {
      view_axis& a = axes_[i];
      if (nothing_) continue;
      const i64 begin = a.size - a.end;
      a.end = a.size - a.begin;
      a.begin = begin;
      a.stride = -a.stride;
    }
    offset_ = offset;
    return true;
  }
  // out: the inferred shape, positions over the last axes and then the windows.
  constexpr bool windows(const twill::shape& out, span<const sint> steps, span<const sint> dilations) {
    const size_t n = out.rank() - rank();
    for (size_t k = rank() - n; k < rank(); ++k)
      if (axes_[k].masked() && !nothing_) return false;
    const size_t first = rank() - n;
    for (size_t k = 0; k < n; ++k) {
      const view_axis a = axes_[first + k];
      const i64 size = out[first + k].bits, taps = out[first + n + k].bits;
      axes_[first + k] = {size, detail::wrap_mul(a.stride, steps.empty() ? 1 : steps[k].bits), 0, nothing_ ? 0 : size};
      axes_.push_back({taps, detail::wrap_mul(a.stride, dilations.empty() ? 1 : dilations[k].bits), 0, nothing_ ? 0 : taps});
    }
    canonicalize();
    return true;
  }
  constexpr bool reshape(const twill::shape& to);   // reshape.hpp

  friend constexpr bool operator==(const view& a, const view& b) {
    const size_t rank = a.rank();
    if (a.offset_ != b.offset_ || a.nothing_ != b.nothing_ || rank != b.rank()) return false;
    const view_axis *p = a.axes_.data(), *q = b.axes_.data();
    for (size_t i = 0; i < rank; ++i)
      if (p[i].size != q[i].size || p[i].stride != q[i].stride || p[i].begin != q[i].begin || p[i].end != q[i].end) return false;
    return true;
  }
  // (4, 8):(8, 1)+0, and the ranges of validity in brackets.
  friend constexpr text& operator<<(text& out, const view& v) {
    out << v.shape() << ':' << v.strides() << '+' << v.offset_;
    if (v.masked())
      for (const view_axis& a : v.axes_) out << '[' << a.begin << ", " << a.end << ')';
    return out;
  }

  // Every index masked.
  static constexpr view masked_out(const twill::shape& s) {
    view v;
    v.axes_.resize(s.rank());
    for (size_t i = 0; i < s.rank(); ++i) v.axes_[i] = {s[i].bits, 0, 0, 0};
    v.nothing_ = true;
    v.canonicalize();
    return v;
  }
  // Any axes, brought to canonical form. For the merging code; sizes and ranges must be proper.
  constexpr view(vector<view_axis, 8> axes, i64 offset) : axes_(static_cast<vector<view_axis, 8>&&>(axes)), offset_(offset) { canonicalize(); }

 private:
  constexpr void canonicalize() {
    bool none = rank() == 0 && nothing_, zero = false;
    for (view_axis& a : axes_) {
      if (a.size == 0) zero = true;
      if (a.end <= a.begin) none = true;
      else if (a.end - a.begin == 1 && a.stride != 0) {
        offset_ = detail::wrap_add(offset_, detail::wrap_mul(a.begin, a.stride));
        a.stride = 0;
      }
    }
    nothing_ = none;
    if (!none) return;
    for (view_axis& a : axes_) a = {a.size, 0, 0, zero ? a.size : 0};
    offset_ = 0;
  }

  vector<view_axis, 8> axes_;
  i64 offset_ = 0;
  bool nothing_ = false;   // implied by an empty range, but rank 0 has none
};

}  // namespace twill
