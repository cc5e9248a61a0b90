// Values of the inline executor: a scalar, or one compiler vector for all elements of a lane axis. Everything is passed by
// reference and inlined: a vector wider than the target's registers has no ABI to warn of.
#pragma once

#include <type_traits>
#include <utility>

#include "twill/base/config.hpp"
#include "twill/ir/constant.hpp"

namespace twill {
inline namespace TWILL_ABI {
namespace lanes {

// The scalar a kind has in registers and, for float16, bfloat16 and bool, the other one it has in memory.
template <scalar_kind K> struct scalar_of;
template <> struct scalar_of<scalar_kind::bool_> { using type = bool; using memory = u8; };
template <> struct scalar_of<scalar_kind::int8> { using type = i8; using memory = i8; };
template <> struct scalar_of<scalar_kind::uint8> { using type = u8; using memory = u8; };
template <> struct scalar_of<scalar_kind::int16> { using type = i16; using memory = i16; };
template <> struct scalar_of<scalar_kind::uint16> { using type = u16; using memory = u16; };
template <> struct scalar_of<scalar_kind::int32> { using type = i32; using memory = i32; };
template <> struct scalar_of<scalar_kind::uint32> { using type = u32; using memory = u32; };
template <> struct scalar_of<scalar_kind::int64> { using type = i64; using memory = i64; };
template <> struct scalar_of<scalar_kind::uint64> { using type = u64; using memory = u64; };
template <> struct scalar_of<scalar_kind::float16> { using type = float; using memory = u16; };
template <> struct scalar_of<scalar_kind::bfloat16> { using type = float; using memory = u16; };
template <> struct scalar_of<scalar_kind::float32> { using type = float; using memory = float; };
template <> struct scalar_of<scalar_kind::float64> { using type = double; using memory = double; };

template <int Bytes> struct integer_of;
template <> struct integer_of<1> { using type = i8; using unsigned_type = u8; };
template <> struct integer_of<2> { using type = i16; using unsigned_type = u16; };
template <> struct integer_of<4> { using type = i32; using unsigned_type = u32; };
template <> struct integer_of<8> { using type = i64; using unsigned_type = u64; };

// N elements of T in one register; N is a power of two.
template <class T, int N>
struct vector_of {
  static_assert((N & (N - 1)) == 0, "a lane axis has a power of two of elements");
  typedef T type __attribute__((vector_size(static_cast<int>(sizeof(T)) * N)));
};
template <class T>
struct vector_of<T, 1> { using type = T; };

// What a kind is in registers. A vector of bools is a mask of integers 0 and -1, of the width of what was compared.
template <scalar_kind K, int N, int MaskBytes>
struct value_of { using type = typename vector_of<typename scalar_of<K>::type, N>::type; };
template <int N, int MaskBytes>
struct value_of<scalar_kind::bool_, N, MaskBytes> { using type = typename vector_of<typename integer_of<MaskBytes>::type, N>::type; };
template <int MaskBytes>
struct value_of<scalar_kind::bool_, 1, MaskBytes> { using type = bool; };

template <class V>
struct number {
  using element = V;
  static constexpr int count = 1;
};
template <class V>
  requires requires(const V& v) { v[0]; }
struct number<V> {
  using element = std::remove_cv_t<std::remove_reference_t<decltype(std::declval<const V&>()[0])>>;
  static constexpr int count = static_cast<int>(sizeof(V) / sizeof(element));
};
template <class V> using element_of = typename number<V>::element;
template <class V, class T> using same_count = typename vector_of<T, number<V>::count>::type;
template <class V> using signed_like = same_count<V, typename integer_of<sizeof(element_of<V>)>::type>;
template <class V> using unsigned_like = same_count<V, typename integer_of<sizeof(element_of<V>)>::unsigned_type>;
// Integers in which arithmetic of V wraps: unsigned, and at least int where C++ would promote to it.
template <class V>
using wrapping_type = std::conditional_t<number<V>::count == 1 && sizeof(V) < 4, u32, unsigned_like<V>>;
template <class V> inline constexpr bool is_scalar = number<V>::count == 1;
template <class V> inline constexpr bool floating = std::is_floating_point_v<element_of<V>>;

// All elements the same.
template <class V, class T>
TWILL_ALWAYS_INLINE void splat(V& r, T value) {
  if constexpr (is_scalar<V>) r = value;
  else if constexpr (floating<V>) r = value - V{};  // keeps -0
  else r = value + V{};
}
template <class To, class From>
TWILL_ALWAYS_INLINE void bit_copy(To& to, const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  to = __builtin_bit_cast(To, from);
}
// Elementwise, as static_cast.
template <class To, class From>
TWILL_ALWAYS_INLINE void convert(To& to, const From& from) {
  if constexpr (std::is_same_v<To, From>) to = from;
  else if constexpr (is_scalar<To>) to = static_cast<To>(from);
  else to = __builtin_convertvector(from, To);
}

// A value of one type as an operand of another: itself, all elements the same, or a mask of another width.
template <class Need, class Have>
struct operand {
  Need value;
  TWILL_ALWAYS_INLINE explicit operand(const Have& have) {
    if constexpr (std::is_same_v<Have, bool>) splat(value, static_cast<element_of<Need>>(have ? -1 : 0));
    else if constexpr (is_scalar<Have>) splat(value, static_cast<element_of<Need>>(have));
    else convert(value, have);
  }
};
template <class V>
struct operand<V, V> {
  const V& value;
  TWILL_ALWAYS_INLINE explicit operand(const V& have) : value(have) {}
};

// Lane by lane, for what no vector unit does.
template <class V, class F>
TWILL_ALWAYS_INLINE void each(V& r, const F& f) {
  if constexpr (is_scalar<V>) r = f(0);
  else {
    V all{};
#pragma GCC unroll 64
    for (int i = 0; i < number<V>::count; ++i) all[i] = f(i);
    r = all;
  }
}
template <class V>
TWILL_ALWAYS_INLINE element_of<V> lane(const V& v, int i) {
  if constexpr (is_scalar<V>) return v;
  else return v[i];
}

// A value as integers whose arithmetic wraps, and back.
template <class W, class V>
TWILL_ALWAYS_INLINE void reinterpret(W& r, const V& a) {
  if constexpr (is_scalar<V>) r = static_cast<W>(a);
  else bit_copy(r, a);
}

// The two halves of a vector, and their vector.
template <class H, class V, int... I>
TWILL_ALWAYS_INLINE void split(H& low, H& high, const V& v, std::integer_sequence<int, I...>) {
  low = __builtin_shufflevector(v, v, I...);
  high = __builtin_shufflevector(v, v, (I + number<H>::count)...);
}
template <class H, class V>
TWILL_ALWAYS_INLINE void split(H& low, H& high, const V& v) {
  split(low, high, v, std::make_integer_sequence<int, number<H>::count>{});
}
template <class V, class H, int... I>
TWILL_ALWAYS_INLINE void join(V& v, const H& low, const H& high, std::integer_sequence<int, I...>) {
  v = __builtin_shufflevector(low, high, I...);
}

}  // namespace lanes
}  // namespace TWILL_ABI
}  // namespace twill
