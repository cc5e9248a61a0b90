// Bounds of a node from the bounds of its sources, computed once when the node is interned.
#pragma once

#include "twill/ir/arithmetic.hpp"
#include "twill/ir/interval.hpp"
#include "twill/ir/ops.hpp"

namespace twill {

namespace detail {
// The least interval of the kind that holds both.
constexpr interval hull(scalar_kind k, interval a, interval b) {
  return {integer_less(k, b.lo, a.lo) ? b.lo : a.lo, integer_less(k, a.hi, b.hi) ? b.hi : a.hi};
}
constexpr bool is_point(interval a) { return a.lo == a.hi; }
// All bits up to the highest one of v.
constexpr u64 ones_below(u64 v) { return v == 0 ? 0 : ~u64{0} >> __builtin_clzll(v); }
constexpr u64 size_of_negative(i64 v) { return u64{0} - static_cast<u64>(v); }

// Corners of an op that is monotonic in each operand.
struct extremes {
  interval range{};
  bool any = false;
  constexpr void add(i64 value) {
    if (!any || value < range.lo) range.lo = value;
    if (!any || value > range.hi) range.hi = value;
    any = true;
  }
};

// For every op below: false where some result may wrap.
constexpr bool bound_add(scalar_kind k, interval a, interval b, interval& out) {
  if (is_unsigned(k)) {
    out = {static_cast<i64>(static_cast<u64>(a.lo) + static_cast<u64>(b.lo)),
           static_cast<i64>(static_cast<u64>(a.hi) + static_cast<u64>(b.hi))};
    return static_cast<u64>(out.hi) >= static_cast<u64>(a.hi) && static_cast<u64>(out.hi) <= static_cast<u64>(max_value(k));
  }
  return add_checked(a.lo, b.lo, out.lo) && add_checked(a.hi, b.hi, out.hi) && out.lo >= min_value(k) && out.hi <= max_value(k);
}
constexpr bool bound_subtract(scalar_kind k, interval a, interval b, interval& out) {
  if (is_unsigned(k)) {
    out = {static_cast<i64>(static_cast<u64>(a.lo) - static_cast<u64>(b.hi)),
           static_cast<i64>(static_cast<u64>(a.hi) - static_cast<u64>(b.lo))};
    return static_cast<u64>(a.lo) >= static_cast<u64>(b.hi);
  }
  return subtract_checked(a.lo, b.hi, out.lo) && subtract_checked(a.hi, b.lo, out.hi) && out.lo >= min_value(k) && out.hi <= max_value(k);
}
constexpr bool bound_multiply(scalar_kind k, interval a, interval b, interval& out) {
  if (is_unsigned(k)) {
    const u128 most = multiply_wide(static_cast<u64>(a.hi), static_cast<u64>(b.hi));
    out = {static_cast<i64>(static_cast<u64>(a.lo) * static_cast<u64>(b.lo)), static_cast<i64>(most.low)};
    return most.high == 0 && most.low <= static_cast<u64>(max_value(k));
  }
  if (a.lo >= 0 && b.lo >= 0) {  // the usual case, and the cheap one
    if (!mul_checked(a.hi, b.hi, out.hi) || out.hi > max_value(k)) return false;
    out.lo = a.lo * b.lo;
    return true;
  }
  i64 p[4]{};
  if (!mul_checked(a.lo, b.lo, p[0]) || !mul_checked(a.lo, b.hi, p[1]) || !mul_checked(a.hi, b.lo, p[2]) || !mul_checked(a.hi, b.hi, p[3]))
    return false;
  extremes e;
  for (const i64 v : p) e.add(v);
  out = e.range;
  return out.lo >= min_value(k) && out.hi <= max_value(k);
}
constexpr bool bound_divide(scalar_kind k, interval a, interval b, bool floor, interval& out) {
  if ((a.lo >= 0 && b.lo >= 0) || is_unsigned(k)) {
    const u64 most = static_cast<u64>(b.lo) == 0 ? 1 : static_cast<u64>(b.lo);
    if (b.hi == 0) out = {0, 0};
    else
      out = {b.lo == 0 ? 0 : static_cast<i64>(static_cast<u64>(a.lo) / static_cast<u64>(b.hi)),
             static_cast<i64>(static_cast<u64>(a.hi) / most)};
    return true;
  }
  if (a.lo == min_value(k) && b.lo <= -1 && b.hi >= -1) return false;
  extremes e;
  if (b.lo <= 0 && b.hi >= 0) e.add(0);
  const interval sides[2] = {{b.lo, b.hi < -1 ? b.hi : -1}, {b.lo > 1 ? b.lo : 1, b.hi}};  // divisors below and above zero
  for (const interval side : sides) {
    if (side.lo > side.hi) continue;
    for (const i64 x : {a.lo, a.hi})
      for (const i64 y : {side.lo, side.hi}) e.add(floor ? floordiv(k, x, y) : idiv(k, x, y));
  }
  out = e.range;
  return true;
}

constexpr interval bound_unsigned_mod(scalar_kind k, interval a, interval b) {
  const u64 alo = static_cast<u64>(a.lo), ahi = static_cast<u64>(a.hi), blo = static_cast<u64>(b.lo), bhi = static_cast<u64>(b.hi);
  if (bhi == 0 || (ahi < blo)) return a;
  if (is_point(b) && alo / bhi == ahi / bhi) return {static_cast<i64>(alo % bhi), static_cast<i64>(ahi % bhi)};
  const interval out{0, static_cast<i64>(ahi < bhi - 1 ? ahi : bhi - 1)};
  return blo == 0 ? hull(k, out, a) : out;
}
// Truncating or rounding down: what is left of dividing by the divisors other than zero, and the dividend for zero.
constexpr interval bound_mod(scalar_kind k, interval a, interval b, bool floor) {
  if ((a.lo >= 0 && b.lo >= 0) || is_unsigned(k)) return bound_unsigned_mod(k, a, b);
  if (b.lo == 0 && b.hi == 0) return a;
  if (is_point(b) && b.lo != -1) {
    const i64 c = b.lo;
    if (floor ? floordiv(k, a.lo, c) == floordiv(k, a.hi, c) : a.lo / c == a.hi / c)
      return floor ? interval{floormod(k, a.lo, c), floormod(k, a.hi, c)} : interval{a.lo % c, a.hi % c};
  }
  interval out{0, 0};
  if (floor) {
    if (b.hi > 0) out.hi = a.lo >= 0 && a.hi < b.hi - 1 ? a.hi : b.hi - 1;
    if (b.lo < 0) out.lo = a.hi <= 0 && a.lo > b.lo + 1 ? a.lo : b.lo + 1;
  } else {
    const u64 below = b.lo < 0 ? size_of_negative(b.lo) : static_cast<u64>(b.lo),
              above = b.hi < 0 ? size_of_negative(b.hi) : static_cast<u64>(b.hi);
    const u64 most = (below > above ? below : above) - 1;  // of the remainder's magnitude
    if (a.lo < 0) out.lo = size_of_negative(a.lo) < most ? a.lo : -static_cast<i64>(most);
    if (a.hi > 0) out.hi = static_cast<u64>(a.hi) < most ? a.hi : static_cast<i64>(most);
  }
  return b.lo <= 0 && b.hi >= 0 ? hull(k, out, a) : out;
}

// Shift counts that act: from the least to the greatest, where `out` stands for all that shift everything out.
constexpr interval effective_counts(scalar_kind k, interval b, i64 out) {
  const bool wide = k == scalar_kind::uint64;
  if (wide ? static_cast<u64>(b.lo) > static_cast<u64>(b.hi) : b.lo > b.hi) return {0, out};
  const bool some_out = (!wide && b.lo < 0) || static_cast<u64>(b.hi) >= static_cast<u64>(bit_width(k));
  const bool all_out = (!wide && b.hi < 0) || (static_cast<u64>(b.lo) >= static_cast<u64>(bit_width(k)) && (wide || b.lo >= 0));
  return {all_out ? out : b.lo < 0 ? 0 : b.lo, some_out ? out : b.hi};
}
constexpr bool bound_shift_left(scalar_kind k, interval a, interval b, interval& out) {
  const i64 width = bit_width(k);
  const interval count = effective_counts(k, b, width);
  if (count.lo == width) {
    out = {0, 0};
    return true;
  }
  const i64 most = count.hi == width ? (width - 1) : count.hi;
  const u64 most_factor = u64{1} << most, least_factor = u64{1} << count.lo;
  interval by_least, by_most;
  if (is_signed(k)) {
    if (most == 63) return false;
    if (!bound_multiply(k, a, {static_cast<i64>(least_factor), static_cast<i64>(least_factor)}, by_least)) return false;
    if (!bound_multiply(k, a, {static_cast<i64>(most_factor), static_cast<i64>(most_factor)}, by_most)) return false;
  } else {
    if (static_cast<u64>(a.hi) > static_cast<u64>(max_value(k)) >> most) return false;
    by_least = {static_cast<i64>(static_cast<u64>(a.lo) * least_factor), static_cast<i64>(static_cast<u64>(a.hi) * least_factor)};
    by_most = {static_cast<i64>(static_cast<u64>(a.lo) * most_factor), static_cast<i64>(static_cast<u64>(a.hi) * most_factor)};
  }
  out = hull(k, by_least, by_most);
  if (count.hi == width) out = hull(k, out, {0, 0});
  return true;
}
constexpr interval bound_shift_right(scalar_kind k, interval a, interval b) {
  const i64 width = bit_width(k);
  const interval count = effective_counts(k, b, is_signed(k) ? width - 1 : width);
  const interval least{shift_right(k, a.lo, count.lo), shift_right(k, a.hi, count.lo)};
  return hull(k, least, {shift_right(k, a.lo, count.hi), shift_right(k, a.hi, count.hi)});
}

// Of two's complement numbers by the signs that the operands can have; unsigned ones have none.
constexpr interval bound_bits(op code, scalar_kind k, interval a, interval b) {
  if (is_point(a) && is_point(b)) {
    const i64 v = exec_integer(code, k, a.lo, b.lo, 0);
    return {v, v};
  }
  const bool has_sign = is_signed(k);
  const i64 all = has_sign ? -1 : max_value(k);
  if (is_point(a)) {  // a constant comes second
    const interval c = a;
    a = b;
    b = c;
  }
  if (is_point(b) && code == op::XOR && b.lo == all) return {a.hi ^ all, a.lo ^ all};
  if (is_point(b) && code == op::AND) {
    // A mask of low bits is a remainder; the high bits of a must not change.
    const u64 mask = static_cast<u64>(b.lo), high = static_cast<u64>(a.lo) ^ static_cast<u64>(a.hi);
    if ((mask & (mask + 1)) == 0 && (high & ~mask) == 0) return {a.lo & b.lo, a.hi & b.lo};
  }
  const bool a_negative = has_sign && a.lo < 0, b_negative = has_sign && b.lo < 0;
  const bool a_positive = !has_sign || a.hi >= 0, b_positive = !has_sign || b.hi >= 0;
  const u64 a_top = static_cast<u64>(a.hi), b_top = static_cast<u64>(b.hi);
  extremes e;
  if (!has_sign || (!a_negative && !b_negative)) {
    const u64 alo = static_cast<u64>(a.lo), blo = static_cast<u64>(b.lo);
    switch (code) {
      case op::AND: return {0, static_cast<i64>(a_top < b_top ? a_top : b_top)};
      case op::OR: return {static_cast<i64>(alo > blo ? alo : blo), static_cast<i64>(ones_below(a_top | b_top))};
      default: return {0, static_cast<i64>(ones_below(a_top | b_top))};
    }
  }
  // The bits that differ from the sign, for every value of an operand.
  const u64 a_bits = ones_below((a_negative ? ~static_cast<u64>(a.lo) : 0) | (a_positive ? a_top : 0));
  const u64 b_bits = ones_below((b_negative ? ~static_cast<u64>(b.lo) : 0) | (b_positive ? b_top : 0));
  const i64 positive = static_cast<i64>(a_bits | b_bits), negative = ~positive;
  switch (code) {
    case op::AND:
      if (a_negative && b_negative) {
        e.add(negative);
        e.add(a.hi < b.hi ? a.hi : b.hi);
      }
      if (a_positive || b_positive) e.add(0);
      if (a_positive && b_positive) e.add(a.hi < b.hi ? a.hi : b.hi);
      if (a_positive && b_negative) e.add(a.hi);
      if (a_negative && b_positive) e.add(b.hi);
      return e.range;
    case op::OR:
      if (a_positive && b_positive) {
        e.add(0);
        e.add(static_cast<i64>(ones_below(a_top | b_top)));
      }
      if (a_negative && b_positive) e.add(a.lo);
      if (a_positive && b_negative) e.add(b.lo);
      if (a_negative && b_negative) e.add(a.lo > b.lo ? a.lo : b.lo);
      if (a_negative || b_negative) e.add(-1);
      return e.range;
    default:
      if ((a_positive && b_positive) || (a_negative && b_negative)) {
        e.add(0);
        e.add(positive);
      }
      if ((a_positive && b_negative) || (a_negative && b_positive)) {
        e.add(-1);
        e.add(negative);
      }
      return e.range;
  }
}

// An integer or bool of one kind as one of another: the same where it fits.
constexpr interval bound_cast(scalar_kind to, scalar_kind from, interval a) {
  if (to == scalar_kind::bool_) {
    const bool can_be_zero = !integer_less(from, 0, a.lo) && !integer_less(from, a.hi, 0);
    return {can_be_zero ? 0 : 1, is_point(a) && can_be_zero ? 0 : 1};
  }
  const interval full{min_value(to), max_value(to)};
  if (from == scalar_kind::uint64) return static_cast<u64>(a.hi) <= static_cast<u64>(full.hi) ? a : full;
  if (to == scalar_kind::uint64) return a.lo >= 0 ? a : full;
  return a.lo >= full.lo && a.hi <= full.hi ? a : full;
}

constexpr interval bound_bool(op code, interval a, interval b) {
  switch (code) {
    case op::ADD: case op::MAX: case op::OR: return {a.lo | b.lo, a.hi | b.hi};
    case op::MUL: case op::MIN: case op::AND: case op::IDIV: case op::FLOORDIV: return {a.lo & b.lo, a.hi & b.hi};
    case op::XOR: case op::SUB: return is_point(a) && is_point(b) ? interval{a.lo ^ b.lo, a.lo ^ b.lo} : interval{0, 1};
    default: return {0, 1};
  }
}

constexpr interval bound_integer(op code, scalar_kind k, span<const interval> sources) {
  const interval full{min_value(k), max_value(k)}, a = sources[0], b = sources.size() > 1 ? sources[1] : interval{};
  interval out;
  switch (code) {
    case op::NEG: return bound_subtract(k, {0, 0}, a, out) ? out : full;
    case op::ADD: return bound_add(k, a, b, out) ? out : full;
    case op::SUB: return bound_subtract(k, a, b, out) ? out : full;
    case op::MUL: return bound_multiply(k, a, b, out) ? out : full;
    case op::MULACC: return bound_multiply(k, a, b, out) && bound_add(k, out, sources[2], out) ? out : full;
    case op::IDIV: case op::FLOORDIV: return bound_divide(k, a, b, code == op::FLOORDIV, out) ? out : full;
    case op::MOD: case op::FLOORMOD: return bound_mod(k, a, b, code == op::FLOORMOD);
    case op::MAX: return {integer_less(k, a.lo, b.lo) ? b.lo : a.lo, integer_less(k, a.hi, b.hi) ? b.hi : a.hi};
    case op::MIN: return {integer_less(k, b.lo, a.lo) ? b.lo : a.lo, integer_less(k, b.hi, a.hi) ? b.hi : a.hi};
    case op::AND: case op::OR: case op::XOR: return bound_bits(code, k, a, b);
    case op::SHL: return bound_shift_left(k, a, b, out) ? out : full;
    case op::SHR: return bound_shift_right(k, a, b);
    default: return full;
  }
}
// Floats. What is not listed here may be NaN.
constexpr interval float_hull(interval a, interval b) {
  if (!has_float_bounds(a) || !has_float_bounds(b)) return {};
  const double alo = double_of(a.lo), blo = double_of(b.lo), ahi = double_of(a.hi), bhi = double_of(b.hi);
  return float_bounds(blo < alo ? blo : alo, ahi < bhi ? bhi : ahi);
}
constexpr interval bound_float(op code, dtype type, dtype source_type, span<const interval> sources, span<const i64> arguments) {
  const auto of_constant = [](i64 word) { return scalar::is_nan(double_of(word)) ? interval{} : float_bounds(double_of(word), double_of(word)); };
  if (code == op::CONST) return of_constant(arguments[0]);
  if (code == op::VCONST && !arguments.empty()) {
    interval out = of_constant(arguments[0]);
    for (const i64 word : arguments) out = float_hull(out, of_constant(word));
    return out;
  }
  if (sources.empty() || source_type.is_pointer()) return {};
  const interval a = sources[0], b = sources.size() > 1 ? sources[1] : interval{};
  switch (code) {
    case op::CAST:  // rounding keeps the order
      if (is_float(source_type) && !has_float_bounds(a)) return {};
      return float_bounds(double_of(cast_word(type.kind, source_type.kind, a.lo)), double_of(cast_word(type.kind, source_type.kind, a.hi)));
    case op::WHERE: return a.lo == 1 ? b : a.hi == 0 ? sources[2] : float_hull(b, sources[2]);
    case op::NEG: return has_float_bounds(a) ? float_bounds(-double_of(a.hi), -double_of(a.lo)) : interval{};
    case op::MAX: case op::MIN: {
      if (!has_float_bounds(a) || !has_float_bounds(b)) return {};
      const bool most = code == op::MAX;
      const double alo = double_of(a.lo), blo = double_of(b.lo), ahi = double_of(a.hi), bhi = double_of(b.hi);
      return float_bounds((alo < blo) == most ? blo : alo, (ahi < bhi) == most ? bhi : ahi);
    }
    case op::RESHAPE: case op::PERMUTE: case op::EXPAND: case op::SHRINK: case op::FLIP: case op::CONTIGUOUS:
    case op::CONTIGUOUS_BACKWARD: case op::DETACH: case op::GEP: case op::UNROLL: case op::CONTRACT:
      return source_type.kind == type.kind ? a : interval{};
    default: return {};
  }
}
// A bool or an integer of floats.
constexpr interval bound_of_floats(op code, scalar_kind k, span<const interval> sources, interval full) {
  if (!has_float_bounds(sources[0])) return full;
  const double alo = double_of(sources[0].lo), ahi = double_of(sources[0].hi);
  if (code == op::CAST) {
    if (k != scalar_kind::bool_) return {saturating_cast(k, alo), saturating_cast(k, ahi)};
    if (alo == 0 && ahi == 0) return {0, 0};
    return alo > 0 || ahi < 0 ? interval{1, 1} : full;
  }
  if (!is_comparison(code) || !has_float_bounds(sources[1])) return full;
  const double blo = double_of(sources[1].lo), bhi = double_of(sources[1].hi);
  if (code == op::CMPLT) return ahi < blo ? interval{1, 1} : alo < bhi ? full : interval{0, 0};
  if (ahi < blo || bhi < alo) return {1, 1};
  return alo == ahi && blo == bhi && alo == blo ? interval{0, 0} : full;
}
}  // namespace detail

// type: the node's; source_type: its first source's; sources: bounds of the first three.
// Law: the value lies within; a float with bounds is no NaN. Law: an integer op that wraps for some values of its sources has the full range.
// Arguments: CONST word; VCONST words; DEFINE_VAR lo, hi, …; RANGE id, begin, end, …; SPECIAL end, name (length, characters).
constexpr interval infer_bounds(op code, dtype type, dtype source_type, span<const interval> sources, span<const i64> arguments) {
  if (type.kind == scalar_kind::void_ || type.is_pointer()) return {};
  if (is_float(type)) return detail::bound_float(code, type, source_type, sources, arguments);
  const scalar_kind k = type.kind, from = source_type.kind;
  const interval full = full_range(type);
  switch (code) {
    case op::CONST: return {arguments[0], arguments[0]};
    case op::DEFINE_VAR: return {arguments[0], arguments[1]};
    case op::VCONST: {
      interval out = arguments.empty() ? full : interval{arguments[0], arguments[0]};
      for (const i64 word : arguments) out = detail::hull(k, out, {word, word});
      return out;
    }
    case op::RANGE:
      if (arguments.size() >= 3) return arguments[2] > arguments[1] ? interval{arguments[1], arguments[2] - 1} : full;
      return sources.size() == 2 && sources[1].hi > sources[0].lo ? interval{sources[0].lo, sources[1].hi - 1} : full;
    case op::SPECIAL: return !arguments.empty() && arguments[0] > 0 ? interval{0, arguments[0] - 1} : full;
    default: break;
  }
  if (sources.empty() || source_type.is_pointer()) return full;
  if (is_float(source_type)) return detail::bound_of_floats(code, k, sources, full);
  const bool integers = source_type.kind != scalar_kind::void_;
  switch (code) {
    case op::CMPLT:
      if (integers && integer_less(from, sources[0].hi, sources[1].lo)) return {1, 1};
      return integers && !integer_less(from, sources[0].lo, sources[1].hi) ? interval{0, 0} : full;
    case op::CMPNE:
      if (!integers) return full;
      if (integer_less(from, sources[0].hi, sources[1].lo) || integer_less(from, sources[1].hi, sources[0].lo)) return {1, 1};
      return detail::is_point(sources[0]) && sources[0] == sources[1] ? interval{0, 0} : full;
    case op::WHERE:
      if (sources[0].lo == 1) return sources[1];
      return sources[0].hi == 0 ? sources[2] : detail::hull(k, sources[1], sources[2]);
    case op::CAST: return integers ? detail::bound_cast(k, from, sources[0]) : full;
    case op::BITCAST: return integers && bit_width(k) == bit_width(from) ? detail::bound_cast(k, from, sources[0]) : full;
    case op::RESHAPE: case op::PERMUTE: case op::EXPAND: case op::SHRINK: case op::FLIP: case op::CONTIGUOUS:
    case op::CONTIGUOUS_BACKWARD: case op::DETACH: case op::GEP: case op::UNROLL: case op::CONTRACT:
      return from == k ? sources[0] : full;
    case op::PAD: return from == k ? detail::hull(k, sources[0], {0, 0}) : full;
    case op::BIND: return sources.size() > 1 && from == k ? sources[1] : full;
    case op::VECTORIZE: {
      if (sources.size() != type.lanes || from != k) return full;
      interval out = sources[0];
      for (const interval& s : sources) out = detail::hull(k, out, s);
      return out;
    }
    default: break;
  }
  if (!is_alu(code) || from != k) return full;
  if (is_bool(k)) return sources.size() == 2 ? detail::bound_bool(code, sources[0], sources[1]) : full;
  return detail::bound_integer(code, k, sources);
}

}  // namespace twill
