// What operations mean: integer arithmetic, rounding and conversions, for every dtype. Bounds, constant folding and the
// interpreter call this header, emitted code mirrors it. The same bits in constant evaluation and at run time.
#pragma once

#include "twill/base/elementary.hpp"
#include "twill/ir/constant.hpp"
#include "twill/ir/ops.hpp"

namespace twill {

// Integers and bools. Words are reduced to the kind, and so are results; uint64 is its bit pattern.

// Overflow-checked: false, and no result, where the sum does not fit.
constexpr bool add_checked(i64 a, i64 b, i64& sum) {
  sum = static_cast<i64>(static_cast<u64>(a) + static_cast<u64>(b));
  return ((a ^ sum) & (b ^ sum)) >= 0;
}
constexpr bool subtract_checked(i64 a, i64 b, i64& difference) {
  difference = static_cast<i64>(static_cast<u64>(a) - static_cast<u64>(b));
  return ((a ^ b) & (a ^ difference)) >= 0;
}
constexpr bool mul_checked(i64 a, i64 b, i64& product) {
  product = static_cast<i64>(static_cast<u64>(a) * static_cast<u64>(b));
  constexpr i64 small = i64{1} << 31;
  if (a > -small && a < small && b > -small && b < small) return true;
  return a == 0 || (!(a == -1 && b == min_value(scalar_kind::int64)) && product / a == b);
}

constexpr i64 wrapping_add(scalar_kind k, i64 a, i64 b) { return wrap(k, static_cast<i64>(static_cast<u64>(a) + static_cast<u64>(b))); }
constexpr i64 wrapping_sub(scalar_kind k, i64 a, i64 b) { return wrap(k, static_cast<i64>(static_cast<u64>(a) - static_cast<u64>(b))); }
constexpr i64 wrapping_mul(scalar_kind k, i64 a, i64 b) { return wrap(k, static_cast<i64>(static_cast<u64>(a) * static_cast<u64>(b))); }
constexpr bool integer_less(scalar_kind k, i64 a, i64 b) {
  return k == scalar_kind::uint64 ? static_cast<u64>(a) < static_cast<u64>(b) : a < b;
}

// Truncating. x / 0 = 0 and x % 0 = x, so (x / y) * y + x % y == x always; INT_MIN / -1 wraps to INT_MIN.
constexpr i64 idiv(scalar_kind k, i64 a, i64 b) {
  if (b == 0) return 0;
  if (k == scalar_kind::uint64) return static_cast<i64>(static_cast<u64>(a) / static_cast<u64>(b));
  return b == -1 ? wrapping_sub(k, 0, a) : a / b;
}
constexpr i64 imod(scalar_kind k, i64 a, i64 b) {
  if (b == 0) return a;
  if (k == scalar_kind::uint64) return static_cast<i64>(static_cast<u64>(a) % static_cast<u64>(b));
  return b == -1 ? 0 : a % b;
}
// Rounding toward minus infinity; the same law, the same zero divisors.
constexpr i64 floordiv(scalar_kind k, i64 a, i64 b) {
  const i64 q = idiv(k, a, b);
  return is_signed(k) && imod(k, a, b) != 0 && b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}
constexpr i64 floormod(scalar_kind k, i64 a, i64 b) {
  const i64 r = imod(k, a, b);
  return is_signed(k) && r != 0 && b != 0 && (r < 0) != (b < 0) ? r + b : r;
}

// A negative count, or one of at least the width, shifts everything out.
constexpr i64 shift_left(scalar_kind k, i64 a, i64 count) {
  if (static_cast<u64>(count) >= static_cast<u64>(bit_width(k))) return 0;
  return wrap(k, static_cast<i64>(static_cast<u64>(a) << count));
}
constexpr i64 shift_right(scalar_kind k, i64 a, i64 count) {
  if (static_cast<u64>(count) >= static_cast<u64>(bit_width(k))) return is_signed(k) && a < 0 ? -1 : 0;
  return is_signed(k) ? a >> count : static_cast<i64>(static_cast<u64>(a) >> count);
}

// By squaring; a negative exponent gives the truncated reciprocal of the power.
constexpr i64 integer_power(scalar_kind k, i64 base, i64 exponent) {
  if (is_signed(k) && exponent < 0) return base == 1 ? 1 : base == -1 ? ((exponent & 1) != 0 ? -1 : 1) : 0;
  i64 result = 1;
  for (u64 rest = static_cast<u64>(exponent); rest != 0; rest >>= 1) {
    if ((rest & 1) != 0) result = wrapping_mul(k, result, base);
    base = wrapping_mul(k, base, base);
  }
  return result;
}

// Threefry 2x32 of 20 rounds (Salmon et al. 2011): counter and key are pairs of 32-bit words, the low half first.
constexpr u64 threefry2x32(u64 counter, u64 key) {
  constexpr int rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const u32 k0 = static_cast<u32>(key), k1 = static_cast<u32>(key >> 32);
  const u32 keys[3] = {k0, k1, k0 ^ k1 ^ 0x1bd11bdau};
  u32 x0 = static_cast<u32>(counter) + keys[0], x1 = static_cast<u32>(counter >> 32) + keys[1];
  for (u32 i = 0; i < 5; ++i) {
    for (const int r : rotations[i % 2]) {
      x0 += x1;
      x1 = (x1 << r | x1 >> (32 - r)) ^ x0;
    }
    x0 += keys[(i + 1) % 3];
    x1 += keys[(i + 2) % 3] + i + 1;
  }
  return static_cast<u64>(x1) << 32 | x0;
}

// Floats. Tests of their bits, not comparisons: those hold under any floating-point flags of the user.

namespace scalar {
constexpr u64 bits_of(double v) { return __builtin_bit_cast(u64, v); }
constexpr double double_of_bits(u64 bits) { return __builtin_bit_cast(double, bits); }
inline constexpr double infinity = __builtin_huge_val();
inline constexpr double quiet_nan = double_of_bits(0x7ff8000000000000);
constexpr bool is_nan(double v) { return bits_of(v) << 1 > u64{0x7ff0000000000000} << 1; }
constexpr bool is_finite(double v) { return (bits_of(v) >> 52 & 0x7ff) != 0x7ff; }
constexpr bool is_negative(double v) { return bits_of(v) >> 63 != 0; }
constexpr double magnitude(double v) { return double_of_bits(bits_of(v) & ~(u64{1} << 63)); }
constexpr double negated(double v) { return double_of_bits(bits_of(v) ^ u64{1} << 63); }
constexpr double with_sign(double v, bool negative) { return negative ? negated(v) : v; }
}  // namespace scalar

namespace detail {
// The IEEE interchange format with these fields nearest to v (ties to even), and the double equal to such bits.
constexpr u64 narrow_float(double v, int exponent_bits, int mantissa_bits) {
  const u64 bits = scalar::bits_of(v), fraction = bits & ((u64{1} << 52) - 1);
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff);
  const u64 sign = bits >> 63 << (exponent_bits + mantissa_bits);
  const u64 top = ((u64{1} << exponent_bits) - 1) << mantissa_bits;
  if (exponent == 0x7ff) return fraction != 0 ? top | u64{1} << (mantissa_bits - 1) : sign | top;
  if (exponent == 0) return sign;  // far below half of the least number
  const int biased = exponent - 1023 + (1 << (exponent_bits - 1)) - 1;
  const int shift = 52 - mantissa_bits + (biased > 0 ? 0 : 1 - biased);
  if (shift > 54) return sign;
  const u64 whole = fraction | u64{1} << 52, rest = whole & ((u64{1} << shift) - 1), half = u64{1} << (shift - 1);
  u64 rounded = whole >> shift;
  if (rest > half || (rest == half && (rounded & 1) != 0)) ++rounded;
  // The hidden bit, or a carry into it, adds one to the exponent field.
  const u64 result = (biased > 0 ? static_cast<u64>(biased - 1) << mantissa_bits : 0) + rounded;
  return sign | (result < top ? result : top);
}
constexpr double widen_float(u64 bits, int exponent_bits, int mantissa_bits) {
  const u64 fraction = bits & ((u64{1} << mantissa_bits) - 1), exponent_mask = (u64{1} << exponent_bits) - 1;
  const u64 exponent = bits >> mantissa_bits & exponent_mask;
  const bool negative = (bits >> (exponent_bits + mantissa_bits) & 1) != 0;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  if (exponent == exponent_mask) return fraction != 0 ? scalar::quiet_nan : scalar::with_sign(scalar::infinity, negative);
  const double unit = scalar::double_of_bits(static_cast<u64>(1 - bias - mantissa_bits + 1023) << 52);
  if (exponent == 0) return scalar::with_sign(static_cast<double>(fraction) * unit, negative);
  const u64 wide = (exponent + static_cast<u64>(1023 - bias)) << 52 | fraction << (52 - mantissa_bits);
  return scalar::with_sign(scalar::double_of_bits(wide), negative);
}
}  // namespace detail

// Rounded to nearest even once, from the exact double.
constexpr u16 float16_bits(double v) { return static_cast<u16>(detail::narrow_float(v, 5, 10)); }
constexpr u16 bfloat16_bits(double v) { return static_cast<u16>(detail::narrow_float(v, 8, 7)); }
constexpr u32 float32_bits(double v) { return static_cast<u32>(detail::narrow_float(v, 8, 23)); }
constexpr double float16_value(u16 bits) { return detail::widen_float(bits, 5, 10); }
constexpr double bfloat16_value(u16 bits) { return detail::widen_float(bits, 8, 7); }
constexpr double float32_value(u32 bits) { return detail::widen_float(bits, 8, 23); }
constexpr double round_to_float32(double v) {
  // Outside these a conversion in constant evaluation is an error, or undefined.
  if (scalar::magnitude(v) < 0x1p127) return static_cast<double>(static_cast<float>(v));
  return float32_value(float32_bits(v));
}

// v as a value of the float kind.
constexpr double round_to(scalar_kind k, double v) {
  switch (k) {
    case scalar_kind::float16: return float16_value(float16_bits(v));
    case scalar_kind::bfloat16: return bfloat16_value(bfloat16_bits(v));
    case scalar_kind::float32: return round_to_float32(v);
    default: return v;
  }
}

// Float to integer: truncates, saturates, NaN gives 0; to bool: is it other than 0.
constexpr i64 saturating_cast(scalar_kind k, double v) {
  if (k == scalar_kind::bool_) return scalar::magnitude(v) != 0 || scalar::is_nan(v);
  if (scalar::is_nan(v)) return 0;
  const int value_bits = is_signed(k) ? bit_width(k) - 1 : bit_width(k);
  const double limit = scalar::double_of_bits(static_cast<u64>(value_bits + 1023) << 52);
  if (v >= limit) return max_value(k);
  if (v < (is_signed(k) ? -limit : 0.0)) return min_value(k);
  return k == scalar_kind::uint64 ? static_cast<i64>(static_cast<u64>(v)) : static_cast<i64>(v);
}
template <class Int>
constexpr Int saturating_cast(double v) {
  return static_cast<Int>(saturating_cast(dtype_of<Int>().kind, v));
}
// Integer to float of the kind, rounded once.
constexpr double integer_to_float(scalar_kind to, scalar_kind from, i64 value) {
  const bool negative = from != scalar_kind::uint64 && value < 0;
  u64 size = negative ? u64{0} - static_cast<u64>(value) : static_cast<u64>(value);
  if (to == scalar_kind::float64) return negative ? -static_cast<double>(size) : static_cast<double>(size);
  // Too long for a double: its last bits only say that there are some (round to odd), so the narrow rounding is the only one.
  if (size >> 53 != 0) size = (size >> 11 | ((size & 0x7ff) != 0 ? 1 : 0)) << 11;
  return round_to(to, scalar::with_sign(static_cast<double>(size), negative));
}

namespace detail {
struct u128 {
  u64 high = 0, low = 0;
  friend constexpr u128 operator+(u128 a, u128 b) {
    const u64 sum = a.low + b.low;
    return {a.high + b.high + (sum < a.low ? 1 : 0), sum};
  }
  friend constexpr u128 operator-(u128 a, u128 b) { return {a.high - b.high - (a.low < b.low ? 1 : 0), a.low - b.low}; }
  friend constexpr bool operator<(u128 a, u128 b) { return a.high != b.high ? a.high < b.high : a.low < b.low; }
};
constexpr u128 multiply_wide(u64 a, u64 b) {
  const u64 a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
  const u64 low = a0 * b0, middle = a1 * b0 + (low >> 32), other = a0 * b1 + (middle & 0xffffffff);
  return {a1 * b1 + (middle >> 32) + (other >> 32), other << 32 | (low & 0xffffffff)};
}
// The bits shifted out live on in the last one.
constexpr u128 shift_right_sticky(u128 v, int count) {
  if (count == 0) return v;
  if (count >= 128) return {0, (v.high | v.low) != 0 ? u64{1} : 0};
  if (count >= 64) {
    const u64 lost = v.low | (count == 64 ? 0 : v.high << (128 - count));
    return {0, (count == 64 ? v.high : v.high >> (count - 64)) | (lost != 0 ? 1 : 0)};
  }
  return {v.high >> count, v.low >> count | v.high << (64 - count) | (v.low << (64 - count) != 0 ? 1 : 0)};
}
// v * 2^exponent to nearest even; to odd: truncated, with the last bit set when inexact, so that a second rounding is the only one.
constexpr double round_fixed(bool negative, u128 v, int exponent, bool to_odd = false) {
  if ((v.high | v.low) == 0) return scalar::with_sign(0.0, negative);
  if (v.high == 0) {
    v = {v.low, 0};
    exponent -= 64;
  }
  const int zeros = __builtin_clzll(v.high);
  if (zeros != 0) v = {v.high << zeros | v.low >> (64 - zeros), v.low << zeros};
  const int biased = exponent - zeros + 127 + 1023;
  if (biased >= 0x7ff) return scalar::with_sign(scalar::infinity, negative);
  const int shift = 11 + (biased > 0 ? 0 : 1 - biased);
  if (shift > 64) return scalar::with_sign(0.0, negative);
  u64 rounded = shift == 64 ? 0 : v.high >> shift;
  const u64 rest = v.high << (64 - shift), half = u64{1} << 63;
  if (to_odd) rounded |= (rest | v.low) != 0 ? 1 : 0;
  else if (rest > half || (rest == half && (v.low != 0 || (rounded & 1) != 0))) ++rounded;
  return scalar::with_sign(scalar::double_of_bits((biased > 0 ? static_cast<u64>(biased - 1) << 52 : 0) + rounded), negative);
}
// A finite double other than 0 is mantissa * 2^exponent with 2^52 <= mantissa < 2^53.
struct decomposed {
  u64 mantissa;
  int exponent;
};
constexpr decomposed decompose(double v) {
  const u64 bits = scalar::bits_of(v), fraction = bits & ((u64{1} << 52) - 1);
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff);
  if (exponent != 0) return {fraction | u64{1} << 52, exponent - 1075};
  const int zeros = __builtin_clzll(fraction) - 11;
  return {fraction << zeros, -1074 - zeros};
}
}  // namespace detail

// The four operations on doubles. Constant evaluation rejects overflow, division by zero and new NaNs, so there those are
// foreseen; the values are the hardware's.
namespace scalar {
constexpr double add(double a, double b) {
  if (__builtin_is_constant_evaluated()) {
    if (is_nan(a) || is_nan(b)) return quiet_nan;
    if (!is_finite(a)) return !is_finite(b) && is_negative(a) != is_negative(b) ? quiet_nan : a;
    if (!is_finite(b)) return b;
    const double half = a / 2 + b / 2;
    if (magnitude(half) >= 0x1p1023) return with_sign(infinity, is_negative(half));
  }
  return a + b;
}
constexpr double multiply(double a, double b) {
  if (__builtin_is_constant_evaluated()) {
    if (is_nan(a) || is_nan(b)) return quiet_nan;
    const bool negative = is_negative(a) != is_negative(b);
    if (!is_finite(a) || !is_finite(b)) return magnitude(a) != 0 && magnitude(b) != 0 ? with_sign(infinity, negative) : quiet_nan;
    if (magnitude(a) > 1 && magnitude(b) > 1 && (magnitude(a) * 0x1p-512) * (magnitude(b) * 0x1p-512) >= 1)
      return with_sign(infinity, negative);
  }
  return a * b;
}
constexpr double divide(double a, double b) {
  if (__builtin_is_constant_evaluated()) {
    if (is_nan(a) || is_nan(b) || (!is_finite(a) && !is_finite(b))) return quiet_nan;
    const bool negative = is_negative(a) != is_negative(b);
    if (magnitude(b) == 0) return magnitude(a) != 0 ? with_sign(infinity, negative) : quiet_nan;
    if (!is_finite(a)) return with_sign(infinity, negative);
    if (!is_finite(b)) return with_sign(0.0, negative);
    if (magnitude(b) < 1 && magnitude(a) > 0x1p-500) {  // with both scaled it overflows from 1 on
      const double x = magnitude(a) * 0x1p-512, y = magnitude(b) * 0x1p512;
      if (x > 2 * y || x / y >= 1) return with_sign(infinity, negative);
    }
  }
  return a / b;
}
// Correctly rounded.
constexpr double square_root(double v) {
  if (is_nan(v) || (is_negative(v) && magnitude(v) != 0)) return quiet_nan;
  if (magnitude(v) == 0 || !is_finite(v)) return v;
  if (!__builtin_is_constant_evaluated()) return __builtin_sqrt(v);
  // The root of mantissa * 2^(even exponent) bit by bit: 54 bits, and whether there are more.
  detail::decomposed d = detail::decompose(v);
  const int odd = d.exponent & 1;
  detail::u128 rest = detail::multiply_wide(d.mantissa, u64{1} << (54 + odd));
  u64 root = 0;
  for (int bit = 53; bit >= 0; --bit) {
    const u64 next = root | u64{1} << bit;
    // next^2 - root^2
    const detail::u128 step = detail::multiply_wide(root + next, u64{1} << bit);
    if (rest < step) continue;
    rest = rest - step;
    root = next;
  }
  const bool exact = (rest.high | rest.low) == 0;
  return detail::round_fixed(false, {0, root << 1 | (exact ? 0 : 1)}, (d.exponent - odd - 54) / 2 - 1);
}
// a * b + c rounded once; to odd, where a narrower rounding follows.
constexpr double fused_multiply_add(double a, double b, double c, bool to_odd = false) {
  if (is_nan(a) || is_nan(b) || is_nan(c)) return quiet_nan;
  if (!is_finite(a) || !is_finite(b) || !is_finite(c) || magnitude(a) == 0 || magnitude(b) == 0 || magnitude(c) == 0) {
    const double product = multiply(a, b);
    return magnitude(c) == 0 && magnitude(a) != 0 && magnitude(b) != 0 ? product
           : is_finite(c) || !is_finite(a) || !is_finite(b)            ? add(product, c)
                                                                       : c;
  }
  const bool negative = is_negative(a) != is_negative(b), c_negative = is_negative(c);
  const detail::decomposed x = detail::decompose(a), y = detail::decompose(b), z = detail::decompose(c);
  // Both as 128-bit numbers with the highest bits 124 to 126, so that a sum fits; 20 or more low bits are free.
  detail::u128 p = detail::multiply_wide(x.mantissa << 10, y.mantissa << 10), q{z.mantissa << 9, 0};
  int p_exponent = x.exponent + y.exponent - 20;
  const int q_exponent = z.exponent - 73, exponent = p_exponent > q_exponent ? p_exponent : q_exponent;
  p = detail::shift_right_sticky(p, exponent - p_exponent);
  q = detail::shift_right_sticky(q, exponent - q_exponent);
  if (negative == c_negative) return detail::round_fixed(negative, p + q, exponent, to_odd);
  if (p < q) return detail::round_fixed(c_negative, q - p, exponent, to_odd);
  // An exact zero is positive.
  return detail::round_fixed(negative && q < p, p - q, exponent, to_odd);
}
}  // namespace scalar

// Powers, in fixed point: the same bits under any flags and within half an ulp and 2^-50 of one.
namespace detail {
// log2(1 + 2^-k) * 2^128 for k = 1 to 66.
inline constexpr u128 log2_steps[] = {
    {0x95c01a39fbd6879f, 0xa00b120a068badd1}, {0x5269e12f346e2bf9, 0x24afdbfd36bf6d33},
    {0x2b803473f7ad0f3f, 0x401624140d175ba2}, {0x1663f6fac913167c, 0xcc53826144575ac4},
    {0x0b5d69bac77ec398, 0x9b03784b5be08490}, {0x05b9e5a170b48a62, 0x9b89f8846042be52},
    {0x02dfca16dde10a2f, 0xf1c6f6002f29e888}, {0x01709c46d7aac774, 0xad9bd2492f843ade},
    {0x00b87c1ff853ab26, 0x31d4676d1d817558}, {0x005c4994dd0fd150, 0x7ea7e50e498deb73},
    {0x002e27ac5ef2af86, 0x15ea75a74def0297}, {0x0017148ec2a1bfc8, 0x8e10f006b0c9b096},
    {0x000b8a7588fd29b1, 0xbaa4710b59049899}, {0x0005c5464ec5f4d7, 0x4ca2cabfb19984ec},
    {0x0002e2a60a005c95, 0xc8cdda0c94035caa}, {0x00017153bda8f822, 0x507ba0acfa95398c},
    {0x0000b8aa0cfedcb1, 0x18de8fd0af9bdfd2}, {0x00005c55120a0c45, 0xd2ddcecd66116ab5},
    {0x00002e2a8be7ae56, 0xe4cc8301d32555f0}, {0x0000171546ac814f, 0x867d7a99ac240f17},
    {0x00000b8aa3846b33, 0xaaecff08cf68f42e}, {0x000005c551cdc03d, 0x2bb725f519222b06},
    {0x000002e2a8e9c2c7, 0x76f65fd01efaf724}, {0x0000017154759a0d, 0xf533378c33d4d4f5},
    {0x000000b8aa3afb31, 0x8935c83d742790ef}, {0x0000005c551d8923, 0x6847b48e625af76e},
    {0x0000002e2a8ec774, 0x5d0fc70d55ef73d6}, {0x0000001715476472, 0xd8c2f5cd7b85d07a},
    {0x0000000b8aa3b267, 0x96f0425b1ad29a22}, {0x00000005c551d93f, 0x561bd366f9cac6a5},
    {0x00000002e2a8eca2, 0x8db6d64d62a173d4}, {0x0000000171547651, 0xff85a64e9c143456},
    {0x00000000b8aa3b29, 0x2ded61f176e58790}, {0x000000005c551d94, 0xa28154ab4b6ef0fa},
    {0x000000002e2a8eca, 0x542353424a6f2e05}, {0x0000000017154765, 0x2aca53dc4e7c99ac},
    {0x000000000b8aa3b2, 0x9593547cf1927029}, {0x0000000005c551d9, 0x4ad534e22b5e9d3f},
    {0x0000000002e2a8ec, 0xa56d7d1a0254b374}, {0x0000000001715476, 0x52b777373c53b461},
    {0x0000000000b8aa3b, 0x295be9c62cf43108}, {0x00000000005c551d, 0x94ae006dba2cae40},
    {0x00000000002e2a8e, 0xca5703198602fc90}, {0x0000000000171547, 0x652b82456d3ca7a4},
    {0x00000000000b8aa3, 0xb295c150e12d1e29}, {0x000000000005c551, 0xd94ae0b3fb3a41aa},
    {0x000000000002e2a8, 0xeca5705ce0460d7b}, {0x0000000000017154, 0x7652b82f28cd41e7},
    {0x000000000000b8aa, 0x3b295c17c2912fbe}, {0x0000000000005c55, 0x1d94ae0becd33b91},
    {0x0000000000002e2a, 0x8eca5705f94c46b5}, {0x0000000000001715, 0x47652b82fd5ecd96},
    {0x0000000000000b8a, 0xa3b295c17edd915a}, {0x00000000000005c5, 0x51d94ae0bf7a5351},
    {0x00000000000002e2, 0xa8eca5705fc00c51}, {0x0000000000000171, 0x547652b82fe0bed3},
    {0x00000000000000b8, 0xaa3b295c17f08d94}, {0x000000000000005c, 0x551d94ae0bf85255},
    {0x000000000000002e, 0x2a8eca5705fc2c0d}, {0x0000000000000017, 0x1547652b82fe16bf},
    {0x000000000000000b, 0x8aa3b295c17f0b8e}, {0x0000000000000005, 0xc551d94ae0bf85d2},
    {0x0000000000000002, 0xe2a8eca5705fc2ec}, {0x0000000000000001, 0x71547652b82fe177},
    {0x0000000000000000, 0xb8aa3b295c17f0bc}, {0x0000000000000000, 0x5c551d94ae0bf85e},
};
inline constexpr int log2_step_count = static_cast<int>(sizeof(log2_steps) / sizeof(u128));
constexpr u128 shifted_right(u128 v, int count) {
  if (count >= 64) return {0, count == 64 ? v.high : v.high >> (count - 64)};
  return {v.high >> count, v.low >> count | v.high << (64 - count)};
}
// A number of up to 64 whole bits, sign and 128 bits of fraction.
struct fixed_number {
  bool negative = false;
  u64 whole = 0;
  u128 fraction{};
};
// log2 of a positive finite v: multiplied by 1 + 2^-k while it stays below 2, its mantissa ends there.
constexpr fixed_number log2_fixed(double v) {
  const decomposed d = decompose(v);
  const i64 exponent = d.exponent + 52;
  u128 fraction{};
  if (d.mantissa != u64{1} << 52) {
    u128 w{d.mantissa << 10, 0};  // two whole bits, 126 of fraction
    const u128 two{u64{1} << 63, 0};
    for (int k = 1; k <= log2_step_count; ++k) {
      const u128 next = w + shifted_right(w, k);
      if (!(next < two)) continue;
      w = next;
      fraction = fraction - log2_steps[k - 1];  // from 1, which is 0 here
    }
    // What is left, below 2^-65, is linear: times log2(e) / 2, in units of 2^-128.
    fraction = fraction - u128{0, multiply_wide((two - w).low, 0xb8aa3b295c17f0bc).high << 2};
  }
  if (exponent >= 0) return {false, static_cast<u64>(exponent), fraction};
  if ((fraction.high | fraction.low) == 0) return {true, static_cast<u64>(-exponent), {}};
  return {true, static_cast<u64>(-exponent - 1), u128{} - fraction};
}
// 2^x, negated if asked.
constexpr double exp2_fixed(fixed_number x, bool negate) {
  if (x.whole > 1100) return scalar::with_sign(x.negative ? 0.0 : scalar::infinity, negate);
  int exponent = x.negative ? -static_cast<int>(x.whole) : static_cast<int>(x.whole);
  u128 rest = x.fraction;
  if (x.negative && (rest.high | rest.low) != 0) {
    rest = u128{} - rest;
    --exponent;
  }
  u128 w{u64{1} << 62, 0};
  for (int k = 1; k <= log2_step_count; ++k) {
    if (rest < log2_steps[k - 1]) continue;
    rest = rest - log2_steps[k - 1];
    w = w + shifted_right(w, k);
  }
  w = w + u128{0, multiply_wide(w.high, multiply_wide(rest.low, 0xb17217f7d1cf79ac).high).high};
  return round_fixed(negate, w, exponent - 126);
}
// x times a finite y other than 0; a whole part that does not fit is the largest one.
constexpr fixed_number multiply_fixed(fixed_number x, double y) {
  const decomposed d = decompose(y);
  const u128 p0 = multiply_wide(x.fraction.low, d.mantissa), p1 = multiply_wide(x.fraction.high, d.mantissa),
             p2 = multiply_wide(x.whole, d.mantissa);
  const u128 lower = u128{p1.low, p0.low} + u128{p0.high, 0};
  u128 upper = p2 + u128{0, p1.high} + u128{0, lower.high < p1.low ? u64{1} : u64{0}};
  u128 fraction = lower;
  const bool negative = x.negative != scalar::is_negative(y);
  if (d.exponent >= 0) {
    for (int i = 0; i < d.exponent; ++i) {
      if (upper.high != 0 || upper.low >> 62 != 0) return {negative, ~u64{0}, {}};
      upper.low = upper.low << 1 | fraction.high >> 63;
      fraction = fraction + fraction;
      if (i > 200) return {negative, ~u64{0}, {}};
    }
    return {negative, upper.high != 0 ? ~u64{0} : upper.low, fraction};
  }
  int count = -d.exponent;
  for (; count >= 64; count -= 64) {
    fraction = {upper.low, fraction.high};
    upper = {0, upper.high};
  }
  if (count != 0) {
    fraction = {fraction.high >> count | upper.low << (64 - count), fraction.low >> count | fraction.high << (64 - count)};
    upper = shifted_right(upper, count);
  }
  return {negative, upper.high != 0 ? ~u64{0} : upper.low, fraction};
}
}  // namespace detail

namespace scalar {
// pow with every special case of C99's annex F.
constexpr double power(double x, double y) {
  if (magnitude(y) == 0 || bits_of(x) == bits_of(1.0)) return 1;
  if (is_nan(x) || is_nan(y)) return quiet_nan;
  const double size = magnitude(x);
  if (!is_finite(y)) return size == 1 ? 1 : (size > 1) != is_negative(y) ? infinity : 0;
  // Integers of 2^53 and beyond are even.
  const bool whole = magnitude(y) >= 0x1p53 || static_cast<double>(static_cast<i64>(y)) == y;
  const bool odd = whole && magnitude(y) < 0x1p53 && (static_cast<i64>(y) & 1) != 0;
  const bool negative = is_negative(x) && odd;
  if (size == 0 || !is_finite(x)) return with_sign((size == 0) == is_negative(y) ? infinity : 0.0, negative);
  if (is_negative(x) && !whole) return quiet_nan;
  if (size == 1) return with_sign(1.0, negative);
  return detail::exp2_fixed(detail::multiply_fixed(detail::log2_fixed(size), y), negative);
}
}  // namespace scalar

// The bits of a value in memory, in the low bytes of a word, and back.
constexpr u64 raw_bits(scalar_kind k, i64 word) {
  switch (k) {
    case scalar_kind::float16: return float16_bits(double_of(word));
    case scalar_kind::bfloat16: return bfloat16_bits(double_of(word));
    case scalar_kind::float32: return float32_bits(double_of(word));
    case scalar_kind::float64: case scalar_kind::int64: case scalar_kind::uint64: return static_cast<u64>(word);
    default: return static_cast<u64>(word) & ((u64{1} << 8 * byte_size(k)) - 1);
  }
}
constexpr i64 word_of_raw_bits(scalar_kind k, u64 bits) {
  switch (k) {
    case scalar_kind::float16: return word_of(float16_value(static_cast<u16>(bits)));
    case scalar_kind::bfloat16: return word_of(bfloat16_value(static_cast<u16>(bits)));
    case scalar_kind::float32: return word_of(float32_value(static_cast<u32>(bits)));
    case scalar_kind::float64: return word_of(scalar::double_of_bits(bits));
    default: return wrap(k, static_cast<i64>(bits));
  }
}
// A constant word of one kind as one of another: CAST.
constexpr i64 cast_word(scalar_kind to, scalar_kind from, i64 word) {
  if (is_float(from)) return is_float(to) ? word_of(round_to(to, double_of(word))) : saturating_cast(to, double_of(word));
  return is_float(to) ? word_of(integer_to_float(to, from, word)) : wrap(to, word);
}

namespace detail {
// In float64 for every dtype: narrower results are rounded once more.
constexpr double elementary_value(op code, double v) {
  using policy = elementary::scalar_policy<double>;
  switch (code) {
    case op::EXP2: return elementary::exp2<policy>(v);
    case op::LOG2: return elementary::log2<policy>(v);
    case op::SIN: return elementary::sin<policy>(v);
    case op::EXP: return elementary::exp<policy>(v);
    case op::LOG: return elementary::log<policy>(v);
    case op::TANH: return elementary::tanh<policy>(v);
    case op::SQRT: return scalar::square_root(v);
    default: return v;
  }
}
constexpr i64 exec_integer(op code, scalar_kind k, i64 a, i64 b, i64 c) {
  switch (code) {
    case op::NEG: return wrapping_sub(k, 0, a);
    case op::ADD: return wrapping_add(k, a, b);
    case op::SUB: return wrapping_sub(k, a, b);
    case op::MUL: return wrapping_mul(k, a, b);
    case op::MULACC: return wrapping_add(k, wrapping_mul(k, a, b), c);
    case op::IDIV: case op::FDIV: return idiv(k, a, b);
    case op::RECIP: return idiv(k, 1, a);
    case op::MOD: return imod(k, a, b);
    case op::FLOORDIV: return floordiv(k, a, b);
    case op::FLOORMOD: return floormod(k, a, b);
    case op::MAX: return integer_less(k, a, b) ? b : a;
    case op::MIN: return integer_less(k, b, a) ? b : a;
    case op::AND: return a & b;
    case op::OR: return a | b;
    case op::XOR: return a ^ b;
    case op::SHL: return shift_left(k, a, b);
    case op::SHR: return shift_right(k, a, b);
    case op::POW: return integer_power(k, a, b);
    case op::THREEFRY: return wrap(k, static_cast<i64>(threefry2x32(static_cast<u64>(a), static_cast<u64>(b))));
    default: return saturating_cast(k, elementary_value(code, integer_to_float(scalar_kind::float64, k, a)));
  }
}
// The exact result rounded once: a double that is rounded again to at most 24 bits is rounded as if only once (Figueroa
// 1995) for + - * / and the square root; a multiply-add is first rounded to odd.
constexpr double exec_float(op code, scalar_kind k, double a, double b, double c) {
  switch (code) {
    case op::NEG: return scalar::negated(a);
    case op::ADD: return round_to(k, scalar::add(a, b));
    case op::SUB: return round_to(k, scalar::add(a, scalar::negated(b)));
    case op::MUL: return round_to(k, scalar::multiply(a, b));
    case op::FDIV: return round_to(k, scalar::divide(a, b));
    case op::RECIP: return round_to(k, scalar::divide(1, a));
    case op::SQRT: return round_to(k, scalar::square_root(a));
    case op::MULACC: return round_to(k, scalar::fused_multiply_add(a, b, c, k != scalar_kind::float64));
    case op::MAX: return scalar::is_nan(a) || scalar::is_nan(b) ? scalar::quiet_nan : a < b ? b : a;
    case op::MIN: return scalar::is_nan(a) || scalar::is_nan(b) ? scalar::quiet_nan : b < a ? b : a;
    case op::POW: return round_to(k, scalar::power(a, b));
    default: return round_to(k, elementary_value(code, a));
  }
}
}  // namespace detail

// The value of one ALU op, CAST or BITCAST on constant words (ir/constant.hpp), as a word of the result's dtype. type: the
// node's; source_type: its first source's. Lanes do not matter: one value is computed.
constexpr i64 exec_alu(op code, dtype type, dtype source_type, span<const i64> words) {
  const i64 a = words[0], b = words.size() > 1 ? words[1] : 0, c = words.size() > 2 ? words[2] : 0;
  const scalar_kind from = source_type.kind;
  switch (code) {
    case op::CAST: return cast_word(type.kind, from, a);
    case op::BITCAST: return word_of_raw_bits(type.kind, raw_bits(from, a));
    case op::WHERE: return a != 0 ? b : c;
    case op::CMPLT:
      if (!is_float(from)) return integer_less(from, a, b);
      return !scalar::is_nan(double_of(a)) && !scalar::is_nan(double_of(b)) && double_of(a) < double_of(b);
    case op::CMPNE:
      if (!is_float(from)) return a != b;
      return scalar::is_nan(double_of(a)) || scalar::is_nan(double_of(b)) || double_of(a) != double_of(b);
    default: break;
  }
  if (!is_float(type)) return detail::exec_integer(code, type.kind, a, b, c);
  return word_of(detail::exec_float(code, type.kind, double_of(a), double_of(b), double_of(c)));
}

}  // namespace twill
