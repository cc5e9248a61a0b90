// Constants: how a value of each dtype is kept in one 64-bit word of a node's arguments.
#pragma once

#include "twill/ir/dtype.hpp"

namespace twill {

// Integers and bools are kept as themselves (uint64 as its bit pattern), floats of every width as the bits of the double
// that equals them. Equal constants have equal words: values are reduced to their dtype and NaN is one quiet pattern.
constexpr i64 word_of(double value) {
  const u64 bits = __builtin_bit_cast(u64, value);
  return bits << 1 > u64{0x7ff0000000000000} << 1 ? 0x7ff8000000000000 : static_cast<i64>(bits);
}
constexpr double double_of(i64 word) { return __builtin_bit_cast(double, word); }

// Two's complement reduction of an integer to its dtype.
constexpr i64 wrap(scalar_kind k, i64 value) {
  if (k == scalar_kind::bool_) return value != 0;
  const int unused = 64 - bit_width(k);
  const u64 high = static_cast<u64>(value) << unused;
  return is_unsigned(k) ? static_cast<i64>(high >> unused) : static_cast<i64>(high) >> unused;
}

}  // namespace twill
