// How numbers, types and names are written in C.
#pragma once

#include "twill/base/text.hpp"
#include "twill/ir/constant.hpp"
#include "twill/ir/dtype.hpp"

namespace twill::detail {

inline bool is_identifier(text_view s) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (s.empty() || !letter(s[0])) return false;
  for (char c : s)
    if (!letter(c) && !(c >= '0' && c <= '9')) return false;
  return true;
}

// Exact: a hexadecimal literal, or what gives an infinity or a NaN.
inline text float_literal(scalar_kind k, double v, bool cuda) {
  const bool narrow = k == scalar_kind::float32;
  const u64 bits = __builtin_bit_cast(u64, v), fraction = bits & ((u64{1} << 52) - 1);
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff);
  const char* sign = bits >> 63 != 0 ? "-" : "";
  text out;
  if (exponent == 0x7ff) {
    if (fraction != 0)
      return cuda ? (narrow ? "__int_as_float(0x7fc00000)" : "__longlong_as_double(0x7ff8000000000000LL)")
                  : (narrow ? "__builtin_nanf(\"\")" : "__builtin_nan(\"\")");
    out << '(' << sign;
    if (cuda)
      out << (narrow ? "__int_as_float(0x7f800000)" : "__longlong_as_double(0x7ff0000000000000LL)");
    else
      out << (narrow ? "__builtin_inff()" : "__builtin_inf()");
    return out << ')', out;
  }
  const bool parens = bits >> 63 != 0;
  if (parens) out << '(';
  out << sign << "0x" << (exponent == 0 ? '0' : '1');
  if (fraction != 0) {
    u64 digits = fraction;
    int count = 13;
    while ((digits & 15) == 0) {
      digits >>= 4;
      --count;
    }
    out << '.';
    out.hex(digits, count);
  }
  const int power = bits << 1 == 0 ? 0 : exponent == 0 ? -1022 : exponent - 1023;
  out << 'p' << power;
  if (narrow) out << 'f';
  if (parens) out << ')';
  return out;
}
inline text integer_literal(scalar_kind k, i64 v) {
  text out;
  const bool wide = byte_size(k) == 8;
  if (k == scalar_kind::uint64) return out << static_cast<u64>(v) << "ULL", out;
  if (k == scalar_kind::uint32) return out << v << 'u', out;
  const char* suffix = wide ? "LL" : "";
  if (v == min_value(k) && is_signed(k))
    out << '(' << v + 1 << suffix << " - 1)";
  else if (v < 0)
    out << '(' << v << suffix << ')';
  else
    out << v << suffix;
  return out;
}

inline const char* short_name(scalar_kind k) {
  constexpr const char* names[] = {"void", "bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "u16", "u16", "f32", "f64"};
  return names[static_cast<int>(k)];
}
inline scalar_kind signed_of_size(int bytes) {
  return bytes == 1 ? scalar_kind::int8 : bytes == 2 ? scalar_kind::int16 : bytes == 4 ? scalar_kind::int32 : scalar_kind::int64;
}
inline scalar_kind unsigned_of_size(int bytes) { return static_cast<scalar_kind>(static_cast<int>(signed_of_size(bytes)) + 1); }

template <class... Parts> text say(const Parts&... parts) {
  text out;
  ((out << parts), ...);
  return out;
}

}  // namespace twill::detail
