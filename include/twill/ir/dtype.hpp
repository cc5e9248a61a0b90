// Data types: scalars, vectors of them, and pointers to them; the promotion lattice. After tinygrad's DType.
#pragma once

#include "twill/base/text.hpp"

namespace twill {

// In the seed's order of priority.
enum class scalar_kind : u8 {
  void_, bool_, int8, uint8, int16, uint16, int32, uint32, int64, uint64, float16, bfloat16, float32, float64
};
enum class address_space : u8 { value, global, local };

// A value type, a vector of `lanes` of them, or a pointer to `size` such elements (size 0: not stated).
struct dtype {
  scalar_kind kind = scalar_kind::void_;
  address_space space = address_space::value;  // other than value: a pointer
  u16 lanes = 1;
  u32 size = 0;

  friend constexpr bool operator==(const dtype&, const dtype&) = default;
  constexpr dtype scalar() const { return {kind, address_space::value, 1, 0}; }
  constexpr dtype with_lanes(u16 n) const { return {kind, address_space::value, n, 0}; }
  constexpr dtype pointer(u32 elements = 0, address_space where = address_space::global) const {
    return {kind, where, lanes, elements};
  }
  constexpr bool is_pointer() const { return space != address_space::value; }
  constexpr u64 word() const {
    return static_cast<u64>(kind) | static_cast<u64>(space) << 8 | static_cast<u64>(lanes) << 16 | static_cast<u64>(size) << 32;
  }
};

inline constexpr dtype void_type{scalar_kind::void_};
inline constexpr dtype bool_{scalar_kind::bool_};
inline constexpr dtype int8{scalar_kind::int8}, int16{scalar_kind::int16}, int32{scalar_kind::int32}, int64{scalar_kind::int64};
inline constexpr dtype uint8{scalar_kind::uint8}, uint16{scalar_kind::uint16}, uint32{scalar_kind::uint32}, uint64{scalar_kind::uint64};
inline constexpr dtype float16{scalar_kind::float16}, bfloat16{scalar_kind::bfloat16};
inline constexpr dtype float32{scalar_kind::float32}, float64{scalar_kind::float64};

namespace detail {
struct scalar_traits {
  const char* name;
  const char* c_name;  // in emitted C++
  u8 bytes;
};
inline constexpr scalar_traits scalar_table[] = {
    {"void", "void", 0},
    {"bool", "bool", 1},
    {"int8", "signed char", 1},
    {"uint8", "unsigned char", 1},
    {"int16", "short", 2},
    {"uint16", "unsigned short", 2},
    {"int32", "int", 4},
    {"uint32", "unsigned int", 4},
    {"int64", "long long", 8},
    {"uint64", "unsigned long long", 8},
    {"float16", "half", 2},
    {"bfloat16", "bfloat16", 2},
    {"float32", "float", 4},
    {"float64", "double", 8},
};
// Of floats and void: not used.
inline constexpr i64 greatest_values[] = {0, 1, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0xffffffff, 0x7fffffffffffffff, -1, 0, 0, 0, 0};
}  // namespace detail

constexpr const char* name(scalar_kind k) { return detail::scalar_table[static_cast<u8>(k)].name; }
constexpr const char* c_name(scalar_kind k) { return detail::scalar_table[static_cast<u8>(k)].c_name; }
constexpr int byte_size(scalar_kind k) { return detail::scalar_table[static_cast<u8>(k)].bytes; }
constexpr int bit_width(scalar_kind k) { return k == scalar_kind::bool_ ? 1 : 8 * byte_size(k); }
constexpr bool is_bool(scalar_kind k) { return k == scalar_kind::bool_; }
constexpr bool is_float(scalar_kind k) { return k >= scalar_kind::float16; }
constexpr bool is_integer(scalar_kind k) { return k >= scalar_kind::int8 && k <= scalar_kind::uint64; }
constexpr bool is_unsigned(scalar_kind k) { return (0x2a8u >> static_cast<u8>(k) & 1) != 0; }  // one bit for each kind
constexpr bool is_signed(scalar_kind k) { return (0x154u >> static_cast<u8>(k) & 1) != 0; }
constexpr bool is_bool(dtype t) { return is_bool(t.kind); }
constexpr bool is_float(dtype t) { return is_float(t.kind); }
constexpr bool is_integer(dtype t) { return is_integer(t.kind); }
constexpr bool is_unsigned(dtype t) { return is_unsigned(t.kind); }
constexpr bool is_signed(dtype t) { return is_signed(t.kind); }
constexpr int byte_size(dtype t) { return t.is_pointer() ? 8 : byte_size(t.kind) * t.lanes; }

// The type that a value has in registers: 16-bit floats are computed with as float32.
constexpr scalar_kind register_kind(scalar_kind k) {
  return k == scalar_kind::float16 || k == scalar_kind::bfloat16 ? scalar_kind::float32 : k;
}

// The bounds of an integer or bool kind: signed ones as themselves, uint64's upper one as its bit pattern.
constexpr i64 max_value(scalar_kind k) { return detail::greatest_values[static_cast<u8>(k)]; }
constexpr i64 min_value(scalar_kind k) { return is_signed(k) ? -1 - max_value(k) : 0; }

constexpr text to_text(dtype t) {
  text out(name(t.kind));
  if (t.lanes != 1) out << 'x' << t.lanes;
  if (t.is_pointer()) {
    out << '*';
    if (t.size != 0) out << ':' << t.size;
    if (t.space == address_space::local) out << "@local";
  }
  return out;
}

// Least upper bound in the seed's lattice; void where there is none (int64 with uint64 asks for a cast).
constexpr dtype promote(dtype a, dtype b) {
  const scalar_kind x = a.kind < b.kind ? a.kind : b.kind, y = a.kind < b.kind ? b.kind : a.kind;
  if (x == y) return a.scalar();
  if (x == scalar_kind::bool_) return dtype{y};
  if (x == scalar_kind::float16 && y == scalar_kind::bfloat16) return float32;
  if (is_float(y)) return dtype{y};
  if (is_signed(x) == is_signed(y)) return dtype{y};
  // One signed, one unsigned: a signed type that holds both.
  const scalar_kind u = is_unsigned(x) ? x : y, s = is_unsigned(x) ? y : x;
  if (byte_size(s) > byte_size(u)) return dtype{s};
  if (u == scalar_kind::uint64) return s == scalar_kind::int64 ? void_type : float16;
  return dtype{static_cast<scalar_kind>(static_cast<u8>(u) + 1)};
}

// The type that sums and products of t accumulate in.
constexpr dtype accumulator(dtype t) {
  switch (t.kind) {
    case scalar_kind::bool_: case scalar_kind::int8: case scalar_kind::int16: return int32;
    case scalar_kind::uint8: case scalar_kind::uint16: return uint32;
    case scalar_kind::float16: case scalar_kind::bfloat16: return float32;
    default: return t.scalar();
  }
}

// The dtype of a C++ arithmetic type.
template <class T>
constexpr dtype dtype_of() {
  if constexpr (std::is_same_v<T, bool>) return bool_;
  else if constexpr (std::is_same_v<T, float>) return float32;
  else if constexpr (std::is_same_v<T, double>) return float64;
  else if constexpr (std::is_integral_v<T>) {
    constexpr int step = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return dtype{static_cast<scalar_kind>(static_cast<int>(scalar_kind::int8) + 2 * step + (std::is_unsigned_v<T> ? 1 : 0))};
  } else return T::twill_dtype();
}

}  // namespace twill
