// Between registers and memory, and between kinds: loads, stores and casts of the inline executor's values.
#pragma once

#include "twill/exec/lane_ops.hpp"

namespace twill {
inline namespace TWILL_ABI {
namespace lanes {

// float16 and bfloat16 bits, in 32-bit unsigned lanes, to and from float32; to nearest even. After F. Giesen's routines.
template <scalar_kind K, class V, class W>
TWILL_ALWAYS_INLINE void widen_half(V& r, const W& bits) {
  if constexpr (K == scalar_kind::bfloat16) {
    const W wide = bits << 16;
    bit_copy(r, wide);
  } else {
    const W exponent = (bits & 0x7c00u) << 13, magnitude = ((bits & 0x7fffu) << 13) + (112u << 23);
    const W normal = exponent == (0x7c00u << 13) ? magnitude + (112u << 23) : magnitude;
    V tiny, smallest;
    const W shifted = magnitude + (1u << 23);
    bit_copy(tiny, shifted);
    splat(smallest, 0x1p-14f);
    tiny = tiny - smallest;
    const W small = __builtin_bit_cast(W, tiny);
    const W result = (exponent == 0u ? small : normal) | ((bits & 0x8000u) << 16);
    bit_copy(r, result);
  }
}
template <scalar_kind K, class W, class V>
TWILL_ALWAYS_INLINE void narrow_half(W& r, const V& value) {
  const W bits = __builtin_bit_cast(W, value), magnitude = bits & 0x7fffffffu, sign = (bits & 0x80000000u) >> 16;
  W nan;
  if constexpr (K == scalar_kind::bfloat16) {
    splat(nan, 0x7fc0u);
    const W rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    r = magnitude > 0x7f800000u ? nan : rounded;
  } else {
    W infinite, none{};
    splat(nan, 0x7e00u);
    splat(infinite, 0x7c00u);
    V tiny, half;
    bit_copy(tiny, magnitude);
    splat(half, 0.5f);
    tiny = tiny + half;  // aligns the last bit of the result with that of the sum, which rounds
    const W small = __builtin_bit_cast(W, tiny) - 0x3f000000u;
    const W normal = (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
    const W finite = magnitude < 0x38800000u ? small : normal;
    const W large = magnitude >= 0x47800000u ? infinite : finite;
    r = (magnitude > 0x7f800000u ? nan : large) | (magnitude > 0x7f800000u ? none : sign);
  }
}
// From float64 or 64-bit integers to what float32 keeps of them, last bit sticky: the rounding to 16 bits is then the only one.
template <class F>
TWILL_ALWAYS_INLINE float to_odd(F value) {
  const float nearest = static_cast<float>(value);
  if constexpr (std::is_floating_point_v<F>) {
    const F back = static_cast<F>(nearest);
    u32 bits = __builtin_bit_cast(u32, nearest);
    if (back == value || value != value || (bits & 1) != 0 || (bits & 0x7f800000u) == 0x7f800000u) return nearest;
    // Inexact and even: the neighbour on the other side of value is the odd one.
    bits = (back < value) == (value > 0) ? bits + 1 : bits - 1;
    return __builtin_bit_cast(float, bits);
  } else {
    using U = std::make_unsigned_t<F>;
    U size = value < 0 ? U{0} - static_cast<U>(value) : static_cast<U>(value);
    if ((size >> 24) == 0) return nearest;
    const int drop = 40 - __builtin_clzll(size);
    const U kept = size >> drop << drop;
    const float whole = static_cast<float>(kept != size ? kept | U{1} << drop : kept);
    return value < 0 ? -whole : whole;
  }
}

template <scalar_kind K> inline constexpr bool is_half = K == scalar_kind::float16 || K == scalar_kind::bfloat16;

// A float32 register as the nearest value of a half kind.
template <scalar_kind K, class V>
TWILL_ALWAYS_INLINE void round_half(V& r, const V& a) {
  unsigned_like<V> bits;
  narrow_half<K>(bits, a);
  widen_half<K>(r, bits);
}

// Float to integer: truncates, saturates, NaN is 0.
template <class To, class From>
TWILL_ALWAYS_INLINE void saturate(To& r, const From& a) {
  using T = element_of<To>;
  using F = element_of<From>;
  constexpr int value_bits = 8 * static_cast<int>(sizeof(T)) - (std::is_signed_v<T> ? 1 : 0);
  constexpr T greatest = static_cast<T>(std::is_signed_v<T> ? (u64{1} << (value_bits - 1) << 1) - 1 : ~u64{0} >> (64 - value_bits));
  constexpr T least = std::is_signed_v<T> ? static_cast<T>(-greatest - 1) : T{0};
  constexpr F above = static_cast<F>(static_cast<double>(u64{1} << (value_bits - 1)) * 2), below = std::is_signed_v<T> ? -above : F{0};
  From high, low;
  splat(high, above);
  splat(low, below);
  if constexpr (is_scalar<From>) {
    r = a >= high ? greatest : a < low ? least : a == a ? static_cast<To>(a) : To{0};
  } else {
    // Narrow integers go through 32 bits, which every target converts to.
    using Wide = std::conditional_t<(sizeof(T) < 4), same_count<From, i32>, To>;
    const From zero{};
    const auto representable = (a < high) & (a >= low);
    const From inside = representable ? a : zero;
    Wide whole;
    convert(whole, inside);
    convert(r, whole);
    To limit;
    same_count<To, typename integer_of<sizeof(T)>::type> mask;
    splat(limit, greatest);
    convert(mask, a >= high);
    r = mask ? limit : r;
    splat(limit, least);
    convert(mask, a < low);
    r = mask ? limit : r;
  }
}

// CAST. A vector of bools is a mask, so kinds are named.
template <scalar_kind To, scalar_kind From, class R, class V>
TWILL_ALWAYS_INLINE void cast(R& r, const V& a) {
  if constexpr (To == From) r = a;
  else if constexpr (is_bool(To)) {
    if constexpr (is_scalar<V>) r = a != V{};
    else {
      const signed_like<V> mask = __builtin_bit_cast(signed_like<V>, a != V{});
      convert(r, mask);
    }
  } else if constexpr (is_bool(From)) {
    if constexpr (is_scalar<V>) r = static_cast<R>(a);
    else {
      signed_like<R> mask;
      R one;
      convert(mask, a);
      splat(one, element_of<R>{1});
      r = mask ? one : R{};
    }
  } else if constexpr (is_half<To>) {
    V source = a;
    same_count<V, float> near;
    constexpr bool exact = sizeof(element_of<V>) < 4 || std::is_same_v<element_of<V>, float>;
    if constexpr (exact) convert(near, source);
    else if constexpr (std::is_same_v<element_of<V>, double>) each(near, [&](int i) { return to_odd(lane(source, i)); });
    else each(near, [&](int i) { return to_odd(static_cast<std::conditional_t<is_unsigned(From), u64, i64>>(lane(source, i))); });
    round_half<To>(r, near);
  } else if constexpr (is_float(From) && is_integer(To)) saturate(r, a);
  else convert(r, a);
}
template <scalar_kind To, scalar_kind From, class R, class V>
TWILL_ALWAYS_INLINE void reinterpret_bits(R& r, const V& a) {
  if constexpr (is_half<From>) {
    unsigned_like<V> bits;
    same_count<V, u16> narrow;
    narrow_half<From>(bits, a);
    convert(narrow, bits);
    if constexpr (is_half<To>) {
      convert(bits, narrow);
      widen_half<To>(r, bits);
    } else bit_copy(r, narrow);
  } else if constexpr (is_half<To>) {
    const unsigned_like<V> narrow = __builtin_bit_cast(unsigned_like<V>, a);
    same_count<V, u32> bits;
    convert(bits, narrow);
    widen_half<To>(r, bits);
  } else if constexpr (is_bool(To) || is_bool(From)) cast<To, From>(r, a);
  else bit_copy(r, a);
}

// An element or a vector of them in memory, aligned to the element only, whatever its declared type.
template <class T> struct in_memory { typedef T type __attribute__((may_alias)); };
template <class T, int N>
struct vector_in_memory {
  typedef T type __attribute__((vector_size(static_cast<int>(sizeof(T)) * N), aligned(alignof(T)), may_alias));
};

// The bits of memory as a register value, and back.
template <scalar_kind K, class V, class Raw>
TWILL_ALWAYS_INLINE void from_memory(V& r, const Raw& raw) {
  if constexpr (is_half<K>) {
    same_count<V, u32> bits;
    convert(bits, raw);
    widen_half<K>(r, bits);
  } else if constexpr (is_bool(K) && is_scalar<Raw>) r = raw != 0;
  else if constexpr (is_bool(K)) {
    const signed_like<Raw> mask = __builtin_bit_cast(signed_like<Raw>, raw != Raw{});
    convert(r, mask);
  } else r = raw;
}
template <scalar_kind K, class Raw, class V>
TWILL_ALWAYS_INLINE void to_memory(Raw& raw, const V& a) {
  if constexpr (is_half<K>) {
    unsigned_like<V> bits;
    narrow_half<K>(bits, a);
    convert(raw, bits);
  } else if constexpr (is_bool(K) && is_scalar<V>) raw = a ? 1 : 0;
  else if constexpr (is_bool(K)) {
    same_count<V, i8> mask;
    convert(mask, a);
    const Raw wide = __builtin_bit_cast(Raw, mask);
    raw = wide & 1;
  } else raw = a;
}

// Element `at`, in elements of kind K from base, as a scalar.
template <scalar_kind K, class V>
TWILL_ALWAYS_INLINE void load_scalar(V& r, const void* base, i64 at) {
  using memory = typename scalar_of<K>::memory;
  const memory raw = static_cast<const typename in_memory<memory>::type*>(base)[at];
  from_memory<K>(r, raw);
}
template <scalar_kind K, class V>
TWILL_ALWAYS_INLINE void store_scalar(const V& a, void* base, i64 at) {
  using memory = typename scalar_of<K>::memory;
  memory raw;
  to_memory<K>(raw, a);
  static_cast<typename in_memory<memory>::type*>(base)[at] = raw;
}
// The first Active of N adjacent elements; those after them read as 0 and are not written.
template <scalar_kind K, int N, int Active, class V>
TWILL_ALWAYS_INLINE void load_vector(V& r, const void* base, i64 at) {
  using memory = typename scalar_of<K>::memory;
  using raw_vector = typename vector_of<memory, N>::type;
  raw_vector raw{};
  const auto* from = static_cast<const typename in_memory<memory>::type*>(base) + at;
  if constexpr (Active == N) raw = *reinterpret_cast<const typename vector_in_memory<memory, N>::type*>(from);
  else __builtin_memcpy(&raw, from, Active * sizeof(memory));
  from_memory<K>(r, raw);
}
template <scalar_kind K, int N, int Active, class V>
TWILL_ALWAYS_INLINE void store_vector(const V& a, void* base, i64 at) {
  using memory = typename scalar_of<K>::memory;
  typename vector_of<memory, N>::type raw;
  to_memory<K>(raw, a);
  auto* to = static_cast<typename in_memory<memory>::type*>(base) + at;
  if constexpr (Active == N) *reinterpret_cast<typename vector_in_memory<memory, N>::type*>(to) = raw;
  else __builtin_memcpy(to, &raw, Active * sizeof(memory));
}

// From the lanes of a vector to one value: halves with each other, or one by one where only some are active.
template <class Alu, class V>
TWILL_ALWAYS_INLINE void fold_half(V& v, const V& upper) {
  const V lower = v;
  Alu::run(v, lower, upper);
}
template <class Alu, class V, int... I>
TWILL_ALWAYS_INLINE void fold_register(V& v, std::integer_sequence<int, I...>) {
  constexpr int n = number<V>::count;
  if constexpr (n >= 16) fold_half<Alu>(v, __builtin_shufflevector(v, v, ((I + 8) % n)...));
  if constexpr (n >= 8) fold_half<Alu>(v, __builtin_shufflevector(v, v, ((I + 4) % n)...));
  if constexpr (n >= 4) fold_half<Alu>(v, __builtin_shufflevector(v, v, ((I + 2) % n)...));
  fold_half<Alu>(v, __builtin_shufflevector(v, v, ((I + 1) % n)...));
}
template <class Alu, int Active, class T, class V>
TWILL_ALWAYS_INLINE void reduce_lanes(T& r, const V& v) {
  constexpr int n = number<V>::count;
  using element = element_of<V>;
  if constexpr (std::is_same_v<T, bool>) {
    element mask;
    reduce_lanes<Alu, Active>(mask, v);
    r = mask != 0;
  } else if constexpr (n == 1) r = v;
  else if constexpr (Active < n) {
    element sum = v[0];
#pragma GCC unroll 64
    for (int i = 1; i < Active; ++i) {
      const element before = sum, next = v[i];
      Alu::run(sum, before, next);
    }
    r = sum;
  } else if constexpr (sizeof(V) <= 16) {
    // Within one register: the upper half over the lower one, the rest ignored.
    V folded = v;
    fold_register<Alu>(folded, std::make_integer_sequence<int, n>{});
    r = folded[0];
  } else {
    typename vector_of<element, n / 2>::type low, high, both;
    split(low, high, v);
    Alu::run(both, low, high);
    reduce_lanes<Alu, n / 2>(r, both);
  }
}

}  // namespace lanes
}  // namespace TWILL_ABI
}  // namespace twill
