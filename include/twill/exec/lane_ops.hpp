// The operations of the inline executor on its values (exec/lanes.hpp): alu<op>::run(result, operands ...), and bool_alu
// for bools, whose vectors are masks.
#pragma once

#include "twill/exec/lanes.hpp"
#include "twill/ir/ops.hpp"

namespace twill {
inline namespace TWILL_ABI {
namespace lanes {

template <class T>
TWILL_ALWAYS_INLINE T divide_integers(T a, T b) {
  if (b == 0) return 0;
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return static_cast<T>(0 - static_cast<wrapping_type<T>>(a));
  return static_cast<T>(a / b);
}
template <class T>
TWILL_ALWAYS_INLINE T remainder_integers(T a, T b) {
  if (b == 0) return a;
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return 0;
  return static_cast<T>(a % b);
}
template <class T>
TWILL_ALWAYS_INLINE T power_integers(T base, T exponent) {
  using W = wrapping_type<T>;
  if constexpr (std::is_signed_v<T>)
    if (exponent < 0) return static_cast<T>(base == 1 ? 1 : base == -1 ? ((exponent & 1) != 0 ? -1 : 1) : 0);
  W result = 1, square = static_cast<W>(base);
  for (W rest = static_cast<W>(exponent); rest != 0; rest >>= 1, square *= square)
    if ((rest & 1) != 0) result *= square;
  return static_cast<T>(result);
}
// As threefry2x32 of ir/arithmetic.hpp.
TWILL_ALWAYS_INLINE u64 threefry(u64 counter, u64 key) {
  const u32 k0 = static_cast<u32>(key), k1 = static_cast<u32>(key >> 32), k2 = k0 ^ k1 ^ 0x1bd11bdau;
  u32 x0 = static_cast<u32>(counter) + k0, x1 = static_cast<u32>(counter >> 32) + k1;
  const auto rounds = [&](int a, int b, int c, int d, u32 add0, u32 add1) {
    const int counts[4] = {a, b, c, d};
    for (int i = 0; i < 4; ++i) {
      x0 += x1;
      x1 = (x1 << counts[i] | x1 >> (32 - counts[i])) ^ x0;
    }
    x0 += add0;
    x1 += add1;
  };
  rounds(13, 15, 26, 6, k1, k2 + 1);
  rounds(17, 29, 16, 24, k2, k0 + 2);
  rounds(13, 15, 26, 6, k0, k1 + 3);
  rounds(17, 29, 16, 24, k1, k2 + 4);
  rounds(13, 15, 26, 6, k2, k0 + 5);
  return static_cast<u64>(x1) << 32 | x0;
}

// a * b + c with one rounding where the target has the instruction, whatever the user says of contraction; else with two.
template <class V>
TWILL_ALWAYS_INLINE void multiply_add(V& r, const V& a, const V& b, const V& c) {
#if TWILL_FMA
  if constexpr (std::is_same_v<V, float>) r = __builtin_fmaf(a, b, c);
  else if constexpr (std::is_same_v<V, double>) r = __builtin_fma(a, b, c);
#if defined(__clang__) && __has_builtin(__builtin_elementwise_fma)
  else r = __builtin_elementwise_fma(a, b, c);
#else
#if defined(__x86_64__)
  else if constexpr (sizeof(V) == 32 && sizeof(element_of<V>) == 4) r = __builtin_ia32_vfmaddps256(a, b, c);
  else if constexpr (sizeof(V) == 32) r = __builtin_ia32_vfmaddpd256(a, b, c);
  else if constexpr (sizeof(V) == 16 && sizeof(element_of<V>) == 4) r = __builtin_ia32_vfmaddps(a, b, c);
  else if constexpr (sizeof(V) == 16) r = __builtin_ia32_vfmaddpd(a, b, c);
#if defined(__AVX512F__)
  else if constexpr (sizeof(V) == 64 && sizeof(element_of<V>) == 4) r = __builtin_ia32_vfmaddps512_mask(a, b, c, static_cast<short>(-1), 4);
  else if constexpr (sizeof(V) == 64) r = __builtin_ia32_vfmaddpd512_mask(a, b, c, static_cast<signed char>(-1), 4);
#endif
#endif
  else each(r, [&](int i) {
    if constexpr (sizeof(element_of<V>) == 4) return __builtin_fmaf(a[i], b[i], c[i]);
    else return __builtin_fma(a[i], b[i], c[i]);
  });
#endif
#else
  r = a * b + c;
#endif
}
template <class V>
TWILL_ALWAYS_INLINE void square_root(V& r, const V& a) {
  if constexpr (std::is_same_v<V, float>) r = __builtin_sqrtf(a);
  else if constexpr (std::is_same_v<V, double>) r = __builtin_sqrt(a);
#if defined(__clang__) && __has_builtin(__builtin_elementwise_sqrt)
  else r = __builtin_elementwise_sqrt(a);
#else
#if defined(__SSE2__)
  else if constexpr (sizeof(V) == 16 && sizeof(element_of<V>) == 4) r = __builtin_ia32_sqrtps(a);
  else if constexpr (sizeof(V) == 16) r = __builtin_ia32_sqrtpd(a);
#if defined(__AVX__)
  else if constexpr (sizeof(V) == 32 && sizeof(element_of<V>) == 4) r = __builtin_ia32_sqrtps256(a);
  else if constexpr (sizeof(V) == 32) r = __builtin_ia32_sqrtpd256(a);
#endif
#endif
  else each(r, [&](int i) {
    element_of<V> root;
    square_root(root, static_cast<element_of<V>>(a[i]));
    return root;
  });
#endif
}

// One operation on values of one type; bools have theirs below.
template <op Code> struct alu;

template <> struct alu<op::ADD> {
  template <class V> TWILL_ALWAYS_INLINE static void run(V& r, const V& a, const V& b) {
    if constexpr (floating<V>) r = a + b;
    else {
      wrapping_type<V> x, y;
      reinterpret(x, a);
      reinterpret(y, b);
      x = x + y;
      reinterpret(r, x);
    }
  }
};
template <> struct alu<op::SUB> {
  template <class V> TWILL_ALWAYS_INLINE static void run(V& r, const V& a, const V& b) {
    if constexpr (floating<V>) r = a - b;
    else {
      wrapping_type<V> x, y;
      reinterpret(x, a);
      reinterpret(y, b);
      x = x - y;
      reinterpret(r, x);
    }
  }
};
template <> struct alu<op::MUL> {
  template <class V> TWILL_ALWAYS_INLINE static void run(V& r, const V& a, const V& b) {
    if constexpr (floating<V>) r = a * b;
    else {
      wrapping_type<V> x, y;
      reinterpret(x, a);
      reinterpret(y, b);
      x = x * y;
      reinterpret(r, x);
    }
  }
};
template <> struct alu<op::NEG> {
  template <class V> TWILL_ALWAYS_INLINE static void run(V& r, const V& a) {
    if constexpr (floating<V>) r = -a;
    else alu<op::SUB>::run(r, V{}, a);
  }
};
// The greater one, the lesser one; the second where they do not compare. g++ finds the instruction by name only.
template <class V>
TWILL_ALWAYS_INLINE void greater_or_second(V& r, const V& a, const V& b) {
  if constexpr (is_scalar<V>) r = a > b ? a : b;
#if defined(__SSE2__) && !defined(__clang__)
  else if constexpr (sizeof(V) == 16 && sizeof(element_of<V>) == 4) r = __builtin_ia32_maxps(a, b);
  else if constexpr (sizeof(V) == 16) r = __builtin_ia32_maxpd(a, b);
#if defined(__AVX__)
  else if constexpr (sizeof(V) == 32 && sizeof(element_of<V>) == 4) r = __builtin_ia32_maxps256(a, b);
  else if constexpr (sizeof(V) == 32) r = __builtin_ia32_maxpd256(a, b);
#endif
#endif
  else r = a > b ? a : b;
}
template <class V>
TWILL_ALWAYS_INLINE void lesser_or_second(V& r, const V& a, const V& b) {
  if constexpr (is_scalar<V>) r = a < b ? a : b;
#if defined(__SSE2__) && !defined(__clang__)
  else if constexpr (sizeof(V) == 16 && sizeof(element_of<V>) == 4) r = __builtin_ia32_minps(a, b);
  else if constexpr (sizeof(V) == 16) r = __builtin_ia32_minpd(a, b);
#if defined(__AVX__)
  else if constexpr (sizeof(V) == 32 && sizeof(element_of<V>) == 4) r = __builtin_ia32_minps256(a, b);
  else if constexpr (sizeof(V) == 32) r = __builtin_ia32_minpd256(a, b);
#endif
#endif
  else r = a < b ? a : b;
}
// NaN propagates: the second operand's on its own.
template <> struct alu<op::MAX> {
  template <class V> TWILL_ALWAYS_INLINE static void run(V& r, const V& a, const V& b) {
    if constexpr (floating<V> && is_scalar<V> && TWILL_VECTOR_BYTES >= 16) {
      // In a vector register: g++ moves the scalar choice to integer registers.
      using vector = typename vector_of<V, 16 / sizeof(V)>::type;
      vector found;
      alu<op::MAX>::run(found, vector{a}, vector{b});
      r = found[0];
    } else if constexpr (floating<V>) {
      V m;
      greater_or_second(m, a, b);
      r = a != a ? a : m;
    } else r = a > b ? a : b;
  }
};
template <> struct alu<op::MIN> {
  template <class V> TWILL_ALWAYS_INLINE static void run(V& r, const V& a, const V& b) {
    if constexpr (floating<V> && is_scalar<V> && TWILL_VECTOR_BYTES >= 16) {
      // In a vector register: g++ moves the scalar choice to integer registers.
      using vector = typename vector_of<V, 16 / sizeof(V)>::type;
      vector found;
      alu<op::MIN>::run(found, vector{a}, vector{b});
      r = found[0];
    } else if constexpr (floating<V>) {
      V m;
      lesser_or_second(m, a, b);
      r = a != a ? a : m;
    } else r = a < b ? a : b;
  }
};
template <> struct alu<op::IDIV> {
  template <class V> TWILL_ALWAYS_INLINE static void run(V& r, const V& a, const V& b) {
    if constexpr (floating<V>) r = a / b;
    else if constexpr (is_scalar<V>) r = divide_integers(a, b);
    else {
      // Divisors 0 and -1 are seen to in whole vectors: g++ 12 takes lanes of b == 0 ? 0 : b / b for masks, so that two are -1.
      const V zero{};
      V one, divisor, quotient;
      splat(one, element_of<V>{1});
      const auto none = b == zero;
      divisor = none ? one : b;
      if constexpr (std::is_signed_v<element_of<V>>) {
        V least, negated;
        splat(least, element_of<V>{-1});
        const auto flips = b == least;
        divisor = flips ? one : divisor;
        alu<op::SUB>::run(negated, zero, a);
        each(quotient, [&](int i) { return static_cast<element_of<V>>(lane(a, i) / lane(divisor, i)); });
        quotient = flips ? negated : quotient;
      } else {
        each(quotient, [&](int i) { return static_cast<element_of<V>>(lane(a, i) / lane(divisor, i)); });
      }
      r = none ? zero : quotient;
    }
  }
};
template <> struct alu<op::FDIV> : alu<op::IDIV> {};
template <> struct alu<op::RECIP> {
  template <class V> TWILL_ALWAYS_INLINE static void run(V& r, const V& a) {
    V one;
    splat(one, element_of<V>{1});
    alu<op::IDIV>::run(r, one, a);
  }
};
template <> struct alu<op::MOD> {
  template <class V> TWILL_ALWAYS_INLINE static void run(V& r, const V& a, const V& b) {
    each(r, [&](int i) { return remainder_integers(lane(a, i), lane(b, i)); });
  }
};
template <> struct alu<op::FLOORDIV> {
  template <class V> TWILL_ALWAYS_INLINE static void run(V& r, const V& a, const V& b) {
    using T = element_of<V>;
    if constexpr (std::is_unsigned_v<T>) alu<op::IDIV>::run(r, a, b);
    else if constexpr (is_scalar<V>) {
      const T q = divide_integers(a, b);
      r = static_cast<T>(q - (b != 0 && remainder_integers(a, b) != 0 && (a < 0) != (b < 0) ? 1 : 0));
    } else {
      V quotient, whole, rest, one, lower;
      alu<op::IDIV>::run(quotient, a, b);
      alu<op::MUL>::run(whole, quotient, b);
      alu<op::SUB>::run(rest, a, whole);
      splat(one, T{1});
      alu<op::SUB>::run(lower, quotient, one);
      const V zero{};
      const auto inexact = (rest != zero) & ((rest ^ b) < zero) & (b != zero);
      r = inexact ? lower : quotient;
    }
  }
};
template <> struct alu<op::FLOORMOD> {
  template <class V> TWILL_ALWAYS_INLINE static void run(V& r, const V& a, const V& b) {
    each(r, [&](int i) {
      using T = element_of<V>;
      const T x = lane(a, i), y = lane(b, i), m = remainder_integers(x, y);
      return static_cast<T>(y != 0 && m != 0 && (m < 0) != (y < 0) ? m + y : m);
    });
  }
};
template <> struct alu<op::POW> {
  template <class V> TWILL_ALWAYS_INLINE static void run(V& r, const V& a, const V& b) {
    static_assert(!floating<V>, "POW of floats has no code on this way out");
    each(r, [&](int i) { return power_integers(lane(a, i), lane(b, i)); });
  }
};
template <> struct alu<op::THREEFRY> {
  template <class V> TWILL_ALWAYS_INLINE static void run(V& r, const V& a, const V& b) {
    each(r, [&](int i) { return static_cast<element_of<V>>(threefry(static_cast<u64>(lane(a, i)), static_cast<u64>(lane(b, i)))); });
  }
};
// Shift counts out of range, seen unsigned, shift everything out.
template <> struct alu<op::SHL> {
  template <class V> TWILL_ALWAYS_INLINE static void run(V& r, const V& a, const V& b) {
    using W = wrapping_type<V>;
    constexpr element_of<W> width = 8 * sizeof(element_of<V>);
    W x, count;
    reinterpret(x, a);
    reinterpret(count, b);
    if constexpr (is_scalar<V>) r = static_cast<V>(count < width ? x << count : W{0});
    else {
      const W shifted = x << (count & (width - 1));
      reinterpret(r, count < width ? shifted : W{});
    }
  }
};
template <> struct alu<op::SHR> {
  template <class V> TWILL_ALWAYS_INLINE static void run(V& r, const V& a, const V& b) {
    using W = wrapping_type<V>;
    constexpr element_of<W> width = 8 * sizeof(element_of<V>);
    W count;
    reinterpret(count, b);
    if constexpr (std::is_signed_v<element_of<V>>) {
      W top;
      splat(top, static_cast<element_of<W>>(width - 1));
      const W clamped = count < width ? count : top;
      if constexpr (is_scalar<V>) r = static_cast<V>(a >> clamped);
      else r = a >> __builtin_bit_cast(V, clamped);
    } else if constexpr (is_scalar<V>) r = static_cast<V>(count < width ? a >> count : V{0});
    else {
      const V shifted = a >> (count & (width - 1));
      r = count < width ? shifted : V{};
    }
  }
};
template <> struct alu<op::AND> {
  template <class V> TWILL_ALWAYS_INLINE static void run(V& r, const V& a, const V& b) {
    if constexpr (is_scalar<V>) r = static_cast<V>(a & b);
    else r = a & b;
  }
};
template <> struct alu<op::OR> {
  template <class V> TWILL_ALWAYS_INLINE static void run(V& r, const V& a, const V& b) {
    if constexpr (is_scalar<V>) r = static_cast<V>(a | b);
    else r = a | b;
  }
};
template <> struct alu<op::XOR> {
  template <class V> TWILL_ALWAYS_INLINE static void run(V& r, const V& a, const V& b) {
    if constexpr (is_scalar<V>) r = static_cast<V>(a ^ b);
    else r = a ^ b;
  }
};
// Comparisons: r is a bool or a mask as wide as the operands.
template <> struct alu<op::CMPLT> {
  template <class M, class V> TWILL_ALWAYS_INLINE static void run(M& r, const V& a, const V& b) {
    if constexpr (is_scalar<V>) r = a < b;
    else bit_copy(r, a < b);
  }
};
template <> struct alu<op::CMPNE> {
  template <class M, class V> TWILL_ALWAYS_INLINE static void run(M& r, const V& a, const V& b) {
    if constexpr (is_scalar<V>) r = a != b;
    else bit_copy(r, a != b);
  }
};
template <> struct alu<op::WHERE> {
  template <class M, class V> TWILL_ALWAYS_INLINE static void run(V& r, const M& condition, const V& a, const V& b) {
    r = condition ? a : b;
  }
};
// One rounding where the target has the instruction, else two.
template <> struct alu<op::MULACC> {
  template <class V> TWILL_ALWAYS_INLINE static void run(V& r, const V& a, const V& b, const V& c) {
    if constexpr (floating<V>) multiply_add(r, a, b, c);
    else {
      V product;
      alu<op::MUL>::run(product, a, b);
      alu<op::ADD>::run(r, product, c);
    }
  }
};

template <> struct alu<op::SQRT> {
  template <class V> TWILL_ALWAYS_INLINE static void run(V& r, const V& a) { square_root(r, a); }
};

// On bools every operation is one of a few; SHL stands for all that mean `a and not b`.
constexpr op bool_meaning(op code) {
  switch (code) {
    case op::ADD: case op::MAX: case op::OR: return op::OR;
    case op::MUL: case op::MIN: case op::AND: case op::IDIV: case op::FDIV: case op::FLOORDIV: return op::AND;
    case op::SUB: case op::CMPNE: case op::XOR: return op::XOR;
    case op::MOD: case op::FLOORMOD: case op::SHL: case op::SHR: return op::SHL;  // a and not b
    case op::CMPLT: return op::CMPLT;                                           // b and not a
    default: return code;
  }
}
template <op Code>
struct bool_alu : alu<Code> {};
template <> struct bool_alu<op::SHL> {
  template <class V> TWILL_ALWAYS_INLINE static void run(V& r, const V& a, const V& b) {
    if constexpr (is_scalar<V>) r = a && !b;
    else r = a & ~b;
  }
};
template <> struct bool_alu<op::CMPLT> {
  template <class V> TWILL_ALWAYS_INLINE static void run(V& r, const V& a, const V& b) { bool_alu<op::SHL>::run(r, b, a); }
};
template <> struct bool_alu<op::POW> {
  template <class V> TWILL_ALWAYS_INLINE static void run(V& r, const V& a, const V& b) {
    if constexpr (is_scalar<V>) r = a || !b;
    else r = a | ~b;
  }
};
template <> struct bool_alu<op::NEG> {
  template <class V> TWILL_ALWAYS_INLINE static void run(V& r, const V& a) { r = a; }
};
template <> struct bool_alu<op::MULACC> {
  template <class V> TWILL_ALWAYS_INLINE static void run(V& r, const V& a, const V& b, const V& c) {
    alu<op::AND>::run(r, a, b);
    alu<op::OR>::run(r, r, c);
  }
};

}  // namespace lanes
}  // namespace TWILL_ABI
}  // namespace twill
