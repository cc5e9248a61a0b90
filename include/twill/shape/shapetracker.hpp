// A shape and how its elements are found in flat memory: a stack of views, nearly always one. Movement operations move
// no data; each gives a new tracker with as few views as merging reaches.
#pragma once

#include "twill/shape/merge.hpp"

namespace twill {

class shapetracker {
  // Applies a movement to the top view, or else to a contiguous one put on top of it.
  template <class F>
  constexpr shapetracker moved(F move) const {
    shapetracker out = *this;
    if (!move(out.top())) {
      out.views_.push_back(view(shape()));
      move(out.top());
    }
    out.settle();
    return out;
  }

 public:
  // Where an element lives. valid is false for padding, which reads as zero; index is then -1.
  struct location {
    i64 index = -1;
    bool valid = false;
    friend constexpr bool operator==(location, location) = default;
  };

  // One element, rank 0.
  constexpr shapetracker() { views_.push_back(view()); }
  // A contiguous buffer of that shape.
  constexpr explicit shapetracker(const twill::shape& s) {
    raise_if(check_shape(s));
    views_.push_back(view(s));
  }
  constexpr shapetracker(std::initializer_list<sint> sizes) : shapetracker(twill::shape(sizes)) {}
  template <detail::size_like... I>
    requires(sizeof...(I) > 0)
  constexpr explicit shapetracker(const I&... sizes) : shapetracker(twill::shape(sizes...)) {}
  constexpr explicit shapetracker(const view& v) { views_.push_back(v); }
  // Nearest to memory first; each view reads positions of the one before it. Merges what merges.
  constexpr explicit shapetracker(span<const view> stack) {
    for (const view& v : stack) {
      views_.push_back(v);
      settle();
    }
    if (views_.empty()) views_.push_back(view());
  }

  constexpr span<const view> views() const { return {views_.data(), views_.size()}; }
  constexpr size_t view_count() const { return views_.size(); }
  constexpr size_t rank() const { return top().rank(); }
  constexpr twill::shape shape() const { return top().shape(); }
  constexpr i64 elements() const { return top().elements(); }
  // Raises shape_error when more than one view is left: no strides describe that.
  constexpr twill::strides strides() const {
    if (views_.size() != 1)
      raise_if(detail::make_problem(problem_code::not_strided, "strides", shape(), {}, 0, static_cast<i64>(views_.size())));
    return top().strides();
  }
  // Element i, in row-major order, is position i of memory.
  constexpr bool contiguous() const { return views_.size() == 1 && top().contiguous(); }
  constexpr bool masked() const {
    for (const view& v : views_)
      if (v.masked()) return true;
    return false;
  }
  // Every element is padding (or there is none): memory is never read.
  constexpr bool nothing() const { return top().nothing(); }
  // Elements that the buffer must hold: one more than the largest position that may be read.
  constexpr i64 real_size() const { return nothing() ? 0 : views_[0].reach().high + 1; }

  // The element at these indices, one for each axis, within the shape; raises shape_error otherwise.
  constexpr location locate(span<const sint> at) const {
    if (at.size() != rank()) raise_if(detail::make_problem(problem_code::axis_count, "index", shape(), {}, 0, static_cast<i64>(at.size())));
    vector<i64, 8> point(at.size());
    for (size_t i = 0; i < at.size(); ++i) {
      point[i] = at[i].bits;
      if (point[i] < 0 || point[i] >= top().axis(i).size)
        raise_if(detail::make_problem(problem_code::index_range, "index", shape(), {}, static_cast<i64>(i), point[i]));
    }
    for (size_t k = views_.size(); k-- > 0;) {
      const view& v = views_[k];
      if (!v.valid(span<const i64>(point))) return {};
      i64 position = v.index(span<const i64>(point));
      if (k == 0) return {position, true};
      const view& below = views_[k - 1];
      point.resize(below.rank());
      for (size_t i = below.rank(); i-- > 0;) {
        const i64 size = below.axis(i).size;
        point[i] = size == 0 ? 0 : position % size;
        if (size != 0) position /= size;
      }
    }
    return {};
  }
  // Position in memory, -1 for padding.
  template <detail::size_like... I>
  constexpr i64 index(const I&... at) const {
    return locate(span<const sint>({sint(at)...})).index;
  }
  template <detail::size_like... I>
  constexpr bool valid(const I&... at) const {
    return locate(span<const sint>({sint(at)...})).valid;
  }

  // Movement operations. A failing one raises shape_error: does not compile in constant evaluation, throws at run time.
  // Axis i of the result is axis order[i] of this.
  constexpr shapetracker permute(span<const sint> order) const {
    const inferred_axes axes = infer_axes_of_permute(order);
    shapetracker out = *this;
    out.top().permute(span<const u32>(axes.axes));
    out.settle();
    return out;
  }
  template <detail::size_like... I>
  constexpr shapetracker permute(const I&... order) const {
    return permute(span<const sint>({sint(order)...}));
  }
  constexpr shapetracker transpose(sint a = -2, sint b = -1) const {
    raise_if(infer_transpose(shape(), a, b).problem);
    vector<sint, 8> order;
    for (size_t i = 0; i < rank(); ++i) order.push_back(i);
    const size_t x = static_cast<size_t>(a.bits < 0 ? a.bits + static_cast<i64>(rank()) : a.bits);
    const size_t y = static_cast<size_t>(b.bits < 0 ? b.bits + static_cast<i64>(rank()) : b.bits);
    order[x] = y;
    order[y] = x;
    return permute(span<const sint>(order));
  }
  // The same elements in row-major order; one size may be -1.
  constexpr shapetracker reshape(const twill::shape& to) const {
    const inferred r = infer_reshape(shape(), to);
    raise_if(r.problem);
    shapetracker out = *this;
    const bool direct = out.top().reshape(r.shape);
    if (!direct) out.views_.push_back(view(r.shape));
    out.settle(direct ? 1 : 2);
    return out;
  }
  template <detail::size_like... I>
  constexpr shapetracker reshape(const I&... sizes) const {
    return reshape(shape_of(sizes...));
  }
  // Axes of size 1, and new outer ones, repeat; -1 keeps a size.
  constexpr shapetracker expand(const twill::shape& to) const {
    const inferred r = infer_expand(shape(), to);
    raise_if(r.problem);
    shapetracker out = *this;
    out.top().expand(r.shape);
    out.settle();
    return out;
  }
  template <detail::size_like... I>
  constexpr shapetracker expand(const I&... sizes) const {
    return expand(shape_of(sizes...));
  }
  // Zeros before and after, one pair for each axis.
  constexpr shapetracker pad(span<const padding> amounts) const {
    raise_if(infer_pad(shape(), amounts).problem);
    return moved([&](view& v) { return v.pad(amounts); });
  }
  constexpr shapetracker pad(std::initializer_list<padding> amounts) const { return pad(span<const padding>(amounts)); }
  // One range [begin, end) for each axis.
  constexpr shapetracker shrink(span<const bounds_of_axis> ranges) const {
    raise_if(infer_shrink(shape(), ranges).problem);
    return moved([&](view& v) { return v.shrink(ranges); });
  }
  constexpr shapetracker shrink(std::initializer_list<bounds_of_axis> ranges) const { return shrink(span<const bounds_of_axis>(ranges)); }
  // Reverses these axes.
  constexpr shapetracker flip(span<const sint> axes) const {
    const inferred_axes which = infer_axes(shape(), axes, "flip");
    raise_if(which.problem);
    return moved([&](view& v) { return v.flip(span<const u32>(which.axes)); });
  }
  template <detail::size_like... I>
  constexpr shapetracker flip(const I&... axes) const {
    return flip(span<const sint>({sint(axes)...}));
  }
  // Windows over the last axes: (..., positions..., window...).
  constexpr shapetracker windows(const twill::shape& window, span<const sint> steps = {}, span<const sint> dilations = {}) const {
    const inferred r = infer_windows(shape(), window, steps, dilations);
    raise_if(r.problem);
    return moved([&](view& v) { return v.windows(r.shape, steps, dilations); });
  }

  // outer read through this: outer's memory are this tracker's elements, in row-major order.
  constexpr shapetracker under(const shapetracker& outer) const {
    shapetracker out = *this;
    for (const view& v : outer.views_) {
      out.views_.push_back(v);
      out.settle();
    }
    return out;
  }

  // Equal normal forms. For trackers of one view that is equality of the index maps.
  friend constexpr bool operator==(const shapetracker& a, const shapetracker& b) {
    if (a.views_.size() != b.views_.size()) return false;
    for (size_t i = 0; i < a.views_.size(); ++i)
      if (!(a.views_[i] == b.views_[i])) return false;
    return true;
  }
  friend constexpr text& operator<<(text& out, const shapetracker& st) {
    for (size_t i = 0; i < st.views_.size(); ++i) {
      if (i > 0) out << " -> ";
      out << st.views_[i];
    }
    return out;
  }
  template <class Stream>
    requires requires(Stream& s, const char* p) { s.write(p, 1); s.flush(); }
  friend Stream& operator<<(Stream& stream, const shapetracker& st) {
    text out;
    out << st;
    stream << out;
    return stream;
  }

 private:
  template <class... I>
  static constexpr twill::shape shape_of(const I&... sizes) {
    return twill::shape({sint(sizes)...});
  }
  constexpr const view& top() const { return views_.back(); }
  constexpr view& top() { return views_.back(); }
  constexpr inferred_axes infer_axes_of_permute(span<const sint> order) const {
    inferred_axes axes = infer_axes(shape(), order, "permute");
    if (!axes.problem && order.size() != rank()) axes.problem = infer_permute(shape(), order).problem;
    raise_if(axes.problem);
    return axes;
  }
  // Merges the top view with count, count + 1, ... of those below it, as long as that works. Those below have been tried
  // among themselves before.
  constexpr void settle(size_t count = 1) {
    while (count < views_.size()) {
      const size_t keep = views_.size() - 1 - count;
      if (!merge(span<const view>(views_.data() + keep, count), views_.back())) {
        ++count;
        continue;
      }
      views_[keep] = static_cast<view&&>(views_.back());
      for (; count > 0; --count) views_.pop_back();
      count = 1;
    }
  }

  vector<view, 2> views_;
};

// outer read through inner.
constexpr shapetracker compose(const shapetracker& inner, const shapetracker& outer) { return inner.under(outer); }

}  // namespace twill
