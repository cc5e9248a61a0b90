// A size, stride or axis: an integer now, and by its representation also a node of a graph (symbolic dimensions).
#pragma once

#include <type_traits>

#include "twill/base/types.hpp"

namespace twill {

namespace detail {
template <class T>
concept plain_integer = std::is_integral_v<T> && !std::is_same_v<std::remove_cv_t<T>, bool>;
template <class T>
concept integral_constant_like = std::is_class_v<T> && requires { requires plain_integer<std::remove_cvref_t<decltype(T::value)>>; };
}  // namespace detail

// Eight bytes. Integers are stored as themselves; the 2^32 smallest bit patterns stand for the nodes of a graph, so
// that integer code needs no untagging.
struct sint {
  i64 bits = 0;

  constexpr sint() = default;
  // Any integer type, so that {v.size() / 64, 64} is no narrowing. Values past int64 saturate; checks refuse them later.
  template <detail::plain_integer I>
  constexpr sint(I value) : bits(static_cast<i64>(value)) {
    if constexpr (!std::is_signed_v<I> && sizeof(I) >= sizeof(i64))
      if (bits < 0) bits = INT64_MAX;
  }
  // Integral constants: twill's, std's, Hana's.
  template <detail::integral_constant_like C>
  constexpr sint(const C&) : sint(C::value) {}

  static constexpr sint node(u32 id) {
    sint s;
    s.bits = INT64_MIN + static_cast<i64>(id);
    return s;
  }
  constexpr bool is_node() const { return bits < INT64_MIN + (i64{1} << 32); }
  constexpr u32 node_id() const { return static_cast<u32>(bits - INT64_MIN); }

  template <detail::plain_integer I>
  constexpr explicit operator I() const {
    return static_cast<I>(bits);
  }
  friend constexpr bool operator==(sint a, sint b) { return a.bits == b.bits; }
};

namespace detail {
template <class T>
concept size_like = std::is_convertible_v<const T&, sint>;
}  // namespace detail

}  // namespace twill
