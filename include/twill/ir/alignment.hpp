// Alignment of an integer node: what its value is modulo some number, computed once when the node is interned.
#pragma once

#include "twill/ir/arithmetic.hpp"
#include "twill/ir/interval.hpp"
#include "twill/ir/ops.hpp"

namespace twill {

// The value is the remainder plus a multiple of the modulus, as numbers: a uint64 value is not negative.
// Modulus 1: nothing is known. Modulus 0: there is one value only, the node's bound. Of other dtypes than integers and bools it
// says nothing.
struct alignment {
  u32 modulus = 1;
  u32 remainder = 0;
  friend constexpr bool operator==(const alignment&, const alignment&) = default;
};

namespace detail {

constexpr u64 greatest_divisor(u64 a, u64 b) {
  while (b != 0) {
    const u64 r = a % b;
    a = b;
    b = r;
  }
  return a;
}
constexpr u64 lowest_bit(u64 v) { return v & (u64{0} - v); }
constexpr u64 magnitude_of(i64 v) { return v < 0 ? u64{0} - static_cast<u64>(v) : static_cast<u64>(v); }
constexpr u64 rest_of(i64 v, u64 modulus) {  // of division that rounds down; modulus <= 2^32
  const i64 r = v % static_cast<i64>(modulus);
  return static_cast<u64>(r < 0 ? r + static_cast<i64>(modulus) : r);
}

// The same while it is computed: value + k * modulus, 0 <= value < modulus <= 2^32; modulus 0: that value alone.
struct residue {
  u64 modulus = 1;
  i64 value = 0;
};
constexpr u64 residue_limit = u64{1} << 32;
constexpr residue residue_of(scalar_kind k, interval range, alignment known) {
  if (known.modulus != 0) return {known.modulus, known.remainder};
  if (k == scalar_kind::uint64 && range.lo < 0) return {residue_limit, static_cast<i64>(static_cast<u64>(range.lo) % residue_limit)};
  return {0, range.lo};
}
// Every divisor of a modulus is one.
constexpr residue modulo(u64 modulus, u64 value) {
  if (modulus > residue_limit) modulus = lowest_bit(modulus) < residue_limit ? lowest_bit(modulus) : residue_limit;
  return {modulus, static_cast<i64>(value % modulus)};
}
constexpr residue modulo(u64 modulus, residue r) {
  return r.modulus == 0 ? residue{modulus, static_cast<i64>(rest_of(r.value, modulus))} : residue{modulus, static_cast<i64>(static_cast<u64>(r.value) % modulus)};
}
// How many low bits are known, and as what.
constexpr int known_bits(residue r) { return r.modulus == 0 ? 64 : __builtin_ctzll(r.modulus); }

constexpr residue added(residue a, residue b, bool minus = false) {
  const u64 m = greatest_divisor(a.modulus, b.modulus);
  if (m == 0) return {residue_limit, static_cast<i64>((static_cast<u64>(a.value) + (minus ? u64{0} - static_cast<u64>(b.value) : static_cast<u64>(b.value))) % residue_limit)};
  const u64 x = static_cast<u64>(modulo(m, a).value), y = static_cast<u64>(modulo(m, b).value);
  return modulo(m, minus ? x + m - y : x + y);
}
constexpr residue multiplied(residue a, residue b) {
  if (a.modulus == 0) {
    const residue c = a;
    a = b;
    b = c;
  }
  if (a.modulus == 0) return {residue_limit, static_cast<i64>((static_cast<u64>(a.value) * static_cast<u64>(b.value)) % residue_limit)};
  if (b.modulus == 0) {
    const u64 size = magnitude_of(b.value);
    if (size == 0) return {residue_limit, 0};
    if (size >= residue_limit / 2) return modulo(lowest_bit(size), u64{0});
    const u64 m = a.modulus * size, v = static_cast<u64>(a.value) * size;
    return modulo(m, b.value < 0 ? m - v : v);
  }
  const u64 x = static_cast<u64>(a.value), y = static_cast<u64>(b.value);
  // Operands below 2^32: the products fit, but for two moduli of 2^32.
  const u64 moduli = a.modulus == residue_limit && b.modulus == residue_limit ? residue_limit : a.modulus * b.modulus;
  return modulo(greatest_divisor(greatest_divisor(moduli, a.modulus * y), b.modulus * x), x * y);
}
// One or the other.
constexpr residue either(residue a, residue b) {
  if (a.modulus == 0 && b.modulus == 0) {
    const u64 apart = a.value < b.value ? static_cast<u64>(b.value) - static_cast<u64>(a.value) : static_cast<u64>(a.value) - static_cast<u64>(b.value);
    if (apart == 0) return {residue_limit, static_cast<i64>(rest_of(a.value, residue_limit))};
    const residue m = modulo(apart, u64{0});
    return modulo(m.modulus, a);
  }
  const u64 m = greatest_divisor(a.modulus, b.modulus);
  const u64 x = static_cast<u64>(modulo(m, a).value), y = static_cast<u64>(modulo(m, b).value);
  return modulo(greatest_divisor(m, x < y ? y - x : x - y), x);
}
// a divided by c: exact, or rounding down.
constexpr residue quotient(residue a, i64 c, bool down) {
  const u64 size = magnitude_of(c);
  if (size < 2 || a.modulus == 0 || a.modulus % size != 0) return {};
  const u64 m = a.modulus / size, r = static_cast<u64>(a.value);
  if (r % size != 0 && (!down || c < 0)) return {};
  return modulo(m, c < 0 ? m - r / size : r / size);
}
constexpr residue bits(op code, residue a, residue b) {
  const int p = known_bits(a), q = known_bits(b);
  int both = p < q ? p : q;
  const u64 x = static_cast<u64>(a.value), y = static_cast<u64>(b.value);
  u64 value = code == op::AND ? x & y : code == op::OR ? x | y : x ^ y;
  if (code == op::AND) {  // zeros of one are enough
    const int zeros_a = x == 0 ? p : __builtin_ctzll(x) < p ? __builtin_ctzll(x) : p;
    const int zeros_b = y == 0 ? q : __builtin_ctzll(y) < q ? __builtin_ctzll(y) : q;
    const int zeros = zeros_a > zeros_b ? zeros_a : zeros_b;
    if (zeros > both) {
      both = zeros;
      value = 0;
    }
  }
  return modulo(both > 32 ? residue_limit : u64{1} << both, value);
}

// The ends of a range moved in to values that the alignment allows.
constexpr interval tightened(interval range, alignment known) {
  const u64 m = known.modulus;
  const i64 r = known.remainder;
  const i64 up = static_cast<i64>(rest_of(r - static_cast<i64>(rest_of(range.lo, m)), m));
  const i64 down = static_cast<i64>(rest_of(static_cast<i64>(rest_of(range.hi, m)) - r, m));
  interval out;
  if (!add_checked(range.lo, up, out.lo) || !subtract_checked(range.hi, down, out.hi)) return range;
  return out.lo <= out.hi ? out : range;
}

// What is known of an op's exact result: an integer of kind k. from: of the first source.
constexpr residue exact_residue(op code, scalar_kind k, scalar_kind from, span<const interval> ranges, span<const alignment> known) {
  const auto source = [&](size_t i) { return residue_of(from, ranges[i], known[i]); };
  switch (code) {
    case op::ADD: return added(source(0), source(1));
    case op::SUB: return added(source(0), source(1), true);
    case op::NEG: return added({0, 0}, source(0), true);
    case op::MUL: return multiplied(source(0), source(1));
    case op::MULACC: return added(multiplied(source(0), source(1)), source(2));
    case op::AND: case op::OR: case op::XOR: return bits(code, source(0), source(1));
    case op::MAX: case op::MIN: return either(source(0), source(1));
    case op::WHERE: return either(residue_of(k, ranges[1], known[1]), residue_of(k, ranges[2], known[2]));
    case op::SHL: case op::SHR: {
      const residue count = source(1);
      if (count.modulus != 0 || count.value < 0 || count.value >= bit_width(k)) return {};
      if (code == op::SHR) return count.value > 31 ? residue{} : quotient(source(0), i64{1} << count.value, true);
      return count.value > 31 ? residue{residue_limit, 0} : multiplied(source(0), {0, i64{1} << count.value});
    }
    case op::IDIV: case op::FLOORDIV: {
      const residue by = source(1);
      return by.modulus != 0 ? residue{} : quotient(source(0), by.value, code == op::FLOORDIV || k == scalar_kind::uint64 || ranges[0].lo >= 0);
    }
    case op::MOD: case op::FLOORMOD: {  // the dividend less a multiple of the divisor
      const residue x = source(0), by = source(1);
      return modulo(greatest_divisor(greatest_divisor(x.modulus, by.modulus), magnitude_of(by.value)), x);
    }
    case op::BITCAST: return bit_width(k) == bit_width(from) ? source(0) : residue{};
    case op::CAST: case op::GEP: case op::RESHAPE: case op::PERMUTE: case op::EXPAND: case op::SHRINK: case op::FLIP:
    case op::CONTIGUOUS: case op::CONTIGUOUS_BACKWARD: case op::DETACH: case op::UNROLL: case op::CONTRACT:
      return source(0);
    default: return {};
  }
}
}  // namespace detail

// Can anything be known of a node whose first two sources have these moduli? (Of one source: the same twice.) Most nodes
// stop here.
constexpr bool may_be_aligned(op code, u32 first, u32 second) {
  return (first != 1 && second != 1) || code == op::MUL || code == op::AND || code == op::SHL || code == op::MULACC || code == op::WHERE;
}

// type: the node's; source_type: its first source's; ranges and known: of its first three sources; bounds: its own, of more
// than one value. Tightens the bounds, but never the full range: that says that a value may have wrapped.
// Law: the value is the remainder plus a multiple of the modulus.
constexpr alignment infer_alignment(op code, dtype type, dtype source_type, span<const interval> ranges, span<const alignment> known, interval& bounds) {
  // The usual case, and a cheap one: index * c.
  if (code == op::MUL && known[0].modulus == 1 && known[1].modulus == 0 && ranges[1].lo > 0 && ranges[1].lo >> 31 == 0 && is_integer(type) && !(bounds == full_range(type)))
    return {static_cast<u32>(ranges[1].lo), 0};
  using detail::residue;
  const scalar_kind k = type.kind, from = source_type.kind;
  if (code == op::CMPNE && is_integer(from)) {  // never equal where the residues differ
    const residue a = detail::residue_of(from, ranges[0], known[0]), b = detail::residue_of(from, ranges[1], known[1]);
    const u64 m = detail::greatest_divisor(a.modulus, b.modulus);
    if (m > 1 && detail::modulo(m, a).value != detail::modulo(m, b).value) bounds = {1, 1};
    return {};
  }
  if (!is_integer(k) || (code == op::WHERE ? known[1].modulus == 1 || known[2].modulus == 1 : !is_integer(from))) return {};
  residue found = detail::exact_residue(code, k, from, ranges, known);
  const bool full = bounds == full_range(type);
  if (full) {  // a value that wraps keeps what is known modulo powers of two
    const u64 size = bit_width(k) < 32 ? u64{1} << bit_width(k) : detail::residue_limit;
    found = detail::modulo(detail::greatest_divisor(found.modulus, size), found);
  }
  if (found.modulus <= 1) return {};
  if (found.modulus == detail::residue_limit) found = detail::modulo(detail::residue_limit / 2, found);
  const alignment out{static_cast<u32>(found.modulus), static_cast<u32>(found.value)};
  if (!full && k != scalar_kind::uint64) bounds = detail::tightened(bounds, out);
  return bounds.lo == bounds.hi ? alignment{0, 0} : out;
}

}  // namespace twill
