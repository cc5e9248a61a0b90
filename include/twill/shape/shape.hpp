// Shapes and strides: short lists of sizes, without allocation up to rank 8.
#pragma once

#include "twill/base/error.hpp"
#include "twill/base/text.hpp"
#include "twill/base/vector.hpp"
#include "twill/shape/sint.hpp"

namespace twill {

namespace detail {

// What shape and strides have in common. Self keeps the two apart: a shape never equals strides.
template <class Self>
class sint_list {
 public:
  constexpr sint_list() = default;
  constexpr sint_list(std::initializer_list<sint> items) { assign(items.begin(), items.size()); }
  constexpr explicit sint_list(span<const sint> items) { assign(items.data(), items.size()); }
  constexpr explicit sint_list(span<const i64> items) { assign(items.data(), items.size()); }

  constexpr size_t rank() const { return items_.size(); }
  constexpr size_t size() const { return items_.size(); }
  constexpr bool empty() const { return items_.empty(); }
  constexpr sint operator[](size_t axis) const { return items_[axis]; }
  constexpr sint& operator[](size_t axis) { return items_[axis]; }
  constexpr const sint* data() const { return items_.data(); }
  constexpr sint* data() { return items_.data(); }
  constexpr const sint* begin() const { return items_.begin(); }
  constexpr const sint* end() const { return items_.end(); }
  constexpr void push_back(sint item) { items_.push_back(item); }
  constexpr void resize(size_t rank, sint item = {}) { items_.resize(rank, item); }
  constexpr void insert(size_t axis, sint item) { items_.insert(axis, item); }
  constexpr void erase(size_t axis) { items_.erase(axis); }

  friend constexpr bool operator==(const Self& a, const Self& b) {
    const size_t rank = a.items_.size();
    if (rank != b.items_.size()) return false;
    const sint *p = a.items_.data(), *q = b.items_.data();
    for (size_t i = 0; i < rank; ++i)
      if (p[i].bits != q[i].bits) return false;
    return true;
  }
  // (32, 64); a list of one is (5).
  friend constexpr text& operator<<(text& out, const Self& list) {
    out << '(';
    for (size_t i = 0; i < list.rank(); ++i) {
      if (i > 0) out << ", ";
      out << list[i].bits;
    }
    return out << ')';
  }
  template <class Stream>
    requires requires(Stream& s, const char* p) { s.write(p, 1); s.flush(); }
  friend Stream& operator<<(Stream& stream, const Self& list) {
    text out;
    out << list;
    stream << out;
    return stream;
  }

 protected:
  template <class T>
  constexpr void assign(const T* from, size_t count) {
    items_.resize(count);
    sint* to = items_.data();
    for (size_t i = 0; i < count; ++i) to[i] = sint(from[i]);
  }
  vector<sint, 8> items_;
};

}  // namespace detail

// The sizes of the axes, outermost first. Holds any list; what an operation accepts is decided by infer_*.
class shape : public detail::sint_list<shape> {
 public:
  using detail::sint_list<shape>::sint_list;
  constexpr shape() = default;
  template <detail::size_like... I>
    requires(sizeof...(I) > 0)
  constexpr explicit shape(const I&... sizes) {
    const sint list[]{sint(sizes)...};
    assign(list, sizeof...(I));
  }
  // Product of the sizes (1 for rank 0). Raises shape_error when it does not fit int64 or a size is negative.
  constexpr i64 elements() const;
};

// Distance in elements between neighbours along each axis, outermost first.
class strides : public detail::sint_list<strides> {
 public:
  using detail::sint_list<strides>::sint_list;
  constexpr strides() = default;
  template <detail::size_like... I>
    requires(sizeof...(I) > 0)
  constexpr explicit strides(const I&... steps) {
    const sint list[]{sint(steps)...};
    assign(list, sizeof...(I));
  }
};

// A pair of numbers for one axis: the half-open range [begin, end) of shrink and masks.
struct bounds_of_axis {
  sint begin, end;
  friend constexpr bool operator==(bounds_of_axis, bounds_of_axis) = default;
};
// What pad adds to one axis.
struct padding {
  sint before, after;
  friend constexpr bool operator==(padding, padding) = default;
};

namespace detail {

struct product {
  i64 value;
  bool fits;      // no negative factor, and the product is in int64
};
constexpr product product_of(const sint* sizes, size_t rank) {
  i64 value = 1;
  bool fits = true, zero = false;
  for (size_t i = 0; i < rank; ++i) {
    const i64 size = sizes[i].bits;
    if (size < 0) return {0, false};
    if (size == 0) zero = true;
    else if (fits && __builtin_mul_overflow(value, size, &value)) fits = false;
  }
  if (zero) return {0, true};
  return {fits ? value : 0, fits};
}

}  // namespace detail

}  // namespace twill
