// A growable array that works in constant evaluation. The first N elements live inside the object, so a value that
// stays within N may be a constexpr variable and allocates nothing at run time.
#pragma once

#include <initializer_list>

#include "twill/base/span.hpp"
#include "twill/base/types.hpp"

namespace twill {

namespace detail {
template <class T, size_t N>
struct inline_storage {
  T items[N]{};
  constexpr T* data() { return items; }
  constexpr const T* data() const { return items; }
};
// A union, destroyed by hand: g++ 12 refuses to destroy an array member of a temporary in constant evaluation.
template <class T, size_t N>
  requires(N > 0 && !std::is_trivially_destructible_v<T>)
struct inline_storage<T, N> {
  union {
    T items[N];
  };
  constexpr inline_storage() : items{} {}
  constexpr ~inline_storage() {
    for (size_t i = N; i-- > 0;) items[i].~T();
  }
  constexpr T* data() { return items; }
  constexpr const T* data() const { return items; }
};
template <class T>
struct inline_storage<T, 0> {
  constexpr T* data() { return nullptr; }
  constexpr const T* data() const { return nullptr; }
};
}  // namespace detail

// T must be default constructible and assignable. Law: v[0 .. size()) are the elements, in the order they were pushed.
template <class T, size_t N = 0>
class vector {
 public:
  using value_type = T;
  constexpr vector() = default;
  // count elements T{}, or copies of a value.
  constexpr explicit vector(size_t count) {
    if (count > N) {
      heap_ = new T[count]{};
      capacity_ = count;
    }
    size_ = count;
  }
  constexpr vector(size_t count, const T& value) { resize(count, value); }
  constexpr vector(std::initializer_list<T> list) {
    reserve(list.size());
    for (const T& item : list) push_back(item);
  }
  template <class U>
  constexpr explicit vector(span<U> items) {
    reserve(items.size());
    for (const T& item : items) push_back(item);
  }
  constexpr vector(const vector& other) { append(other); }
  constexpr vector(vector&& other) noexcept { take(other); }
  constexpr vector& operator=(const vector& other) {
    if (this != &other) {
      size_ = 0;
      append(other);
    }
    return *this;
  }
  constexpr vector& operator=(vector&& other) noexcept {
    if (this != &other) {
      delete[] heap_;
      heap_ = nullptr;
      capacity_ = N;
      size_ = 0;
      take(other);
    }
    return *this;
  }
  constexpr ~vector() { delete[] heap_; }

  constexpr T* data() { return heap_ ? heap_ : storage_.data(); }
  constexpr const T* data() const { return heap_ ? heap_ : storage_.data(); }
  constexpr size_t size() const { return size_; }
  constexpr size_t capacity() const { return capacity_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr T* begin() { return data(); }
  constexpr T* end() { return data() + size_; }
  constexpr const T* begin() const { return data(); }
  constexpr const T* end() const { return data() + size_; }
  constexpr T& operator[](size_t i) { return data()[i]; }
  constexpr const T& operator[](size_t i) const { return data()[i]; }
  constexpr T& front() { return data()[0]; }
  constexpr const T& front() const { return data()[0]; }
  constexpr T& back() { return data()[size_ - 1]; }
  constexpr const T& back() const { return data()[size_ - 1]; }

  constexpr void reserve(size_t count) {
    if (count <= capacity_) return;
    size_t grown = capacity_ * 2 < 8 ? 8 : capacity_ * 2;
    if (grown < count) grown = count;
    // Read before the allocation and the characters that may be stored, which for all the compiler knows change them.
    T* const old = data();
    const size_t kept = size_;
    T* fresh = allocate(grown);
    for (size_t i = 0; i < kept; ++i) fresh[i] = static_cast<T&&>(old[i]);
    delete[] heap_;
    heap_ = fresh;
    capacity_ = grown;
  }
  constexpr T& push_back(T item) {
    if (size_ == capacity_) reserve(size_ + 1);
    T& slot = data()[size_++];
    slot = static_cast<T&&>(item);
    return slot;
  }
  // count more elements, to be assigned by the caller before they are read.
  constexpr T* extend(size_t count) {
    reserve(size_ + count);
    T* const first = data() + size_;
    size_ += count;
    return first;
  }
  constexpr void pop_back() { --size_; }
  constexpr void clear() { size_ = 0; }
  constexpr void resize(size_t count, const T& value = T{}) {
    reserve(count);
    T* to = data();
    for (size_t i = size_; i < count; ++i) to[i] = value;
    size_ = count;
  }
  constexpr void append(span<const T> items) {
    const size_t count = items.size();
    reserve(size_ + count);
    T* to = data() + size_;
    const T* from = items.data();
    for (size_t i = 0; i < count; ++i) to[i] = from[i];
    size_ += count;
  }
  constexpr void insert(size_t at, T item) {
    push_back(T{});
    for (size_t i = size_ - 1; i > at; --i) (*this)[i] = static_cast<T&&>((*this)[i - 1]);
    (*this)[at] = static_cast<T&&>(item);
  }
  constexpr void erase(size_t at) {
    for (size_t i = at; i + 1 < size_; ++i) (*this)[i] = static_cast<T&&>((*this)[i + 1]);
    --size_;
  }

  friend constexpr bool operator==(const vector& a, const vector& b) { return equal(span<const T>(a), span<const T>(b)); }

 private:
  constexpr void take(vector& other) {
    if (other.heap_) {
      heap_ = other.heap_;
      capacity_ = other.capacity_;
      size_ = other.size_;
      other.heap_ = nullptr;
      other.capacity_ = N;
    } else {
      for (size_t i = 0; i < other.size_; ++i) storage_.data()[i] = static_cast<T&&>(other.storage_.data()[i]);
      size_ = other.size_;
    }
    other.size_ = 0;
  }

  // What lies beyond the size is never read.
  static constexpr T* allocate(size_t count) {
    if constexpr (std::is_trivially_default_constructible_v<T>) return new T[count];
    else return new T[count]{};
  }

  T* heap_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = N;
  [[no_unique_address]] detail::inline_storage<T, N> storage_{};
};

}  // namespace twill
