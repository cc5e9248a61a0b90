// A pointer and a length: std::span without its include cost.
#pragma once

#include <initializer_list>
#include <type_traits>

#include "twill/base/types.hpp"

namespace twill {

template <class T>
class span {
 public:
  constexpr span() = default;
  constexpr span(T* data, size_t size) : data_(data), size_(size) {}
  template <size_t N>
  constexpr span(T (&array)[N]) : data_(array), size_(N) {}
  constexpr span(std::initializer_list<std::remove_cv_t<T>> list)
    requires std::is_const_v<T>
      : span(list.begin(), list.size()) {}
  // Any contiguous container; lives no longer than the container does.
  template <class C>
    requires(!std::is_same_v<C, span> && requires(C& c) {
      { c.data() + c.size() };
      static_cast<T*>(c.data());
    })
  constexpr span(C& c) : data_(c.data()), size_(c.size()) {}
  template <class C>
    requires(std::is_const_v<T> && requires(const C& c) {
      { c.data() + c.size() };
      static_cast<T*>(c.data());
    })
  constexpr span(const C& c) : data_(c.data()), size_(c.size()) {}

  constexpr T* data() const { return data_; }
  constexpr size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr T* begin() const { return data_; }
  constexpr T* end() const { return data_ + size_; }
  constexpr T& operator[](size_t i) const { return data_[i]; }
  constexpr T& front() const { return data_[0]; }
  constexpr T& back() const { return data_[size_ - 1]; }
  constexpr span subspan(size_t from, size_t count) const { return {data_ + from, count}; }

 private:
  T* data_ = nullptr;
  size_t size_ = 0;
};

template <class T, class U>
constexpr bool equal(span<T> a, span<U> b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!(a[i] == b[i])) return false;
  return true;
}

}  // namespace twill
