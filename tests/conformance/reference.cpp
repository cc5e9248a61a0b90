#include "reference.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "twill/ir/constant.hpp"

namespace conformance {

using namespace twill;

namespace {

// Numbers of a kind are multiples of 2^least with at most `precision` bits, below 2^top.
struct format {
  int precision, least, top;
};
format format_of(scalar_kind kind) {
  switch (kind) {
    case scalar_kind::float16: return {11, -24, 16};
    case scalar_kind::bfloat16: return {8, -133, 128};
    case scalar_kind::float32: return {24, -149, 128};
    default: return {53, -1074, 1024};
  }
}
// The exponent of the step between numbers around v.
int step_exponent(const format& f, long double v) {
  int exponent = 0;
  std::frexp(v, &exponent);
  return exponent - f.precision > f.least ? exponent - f.precision : f.least;
}

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

// a * b + c of narrow floats: the product is exact, the sum is rounded to odd, which a second rounding to fewer bits undoes.
double multiply_add(scalar_kind kind, double a, double b, double c) {
  if (kind == scalar_kind::float64) return std::fma(a, b, c);
  const double product = a * b, sum = product + c;
  if (!std::isfinite(sum)) return sum;
  const double part = sum - product, lost = (product - (sum - part)) + (c - part);  // sum + lost is exact
  std::uint64_t bits = 0;
  std::memcpy(&bits, &sum, sizeof bits);
  const bool odd = (bits & 1) != 0;
  return lost == 0 || odd ? sum : std::nextafter(sum, lost > 0 ? infinity : -infinity);
}

}  // namespace

double rounded_to(scalar_kind kind, long double v) {
  if (!std::isfinite(v) || v == 0) return static_cast<double>(v);
  const format f = format_of(kind);
  const int step = step_exponent(f, v);
  const long double result = std::ldexp(std::nearbyint(std::ldexp(v, -step)), step);
  return std::fabs(result) >= std::ldexp(1.0L, f.top) ? static_cast<double>(std::copysign(static_cast<long double>(infinity), v))
                                                      : static_cast<double>(result);
}

double distance(scalar_kind kind, double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b) ? 0 : infinity;
  if (a == b) return std::signbit(a) == std::signbit(b) ? 0 : infinity;
  const format f = format_of(kind);
  const long double top = std::ldexp(1.0L, f.top);  // an infinity is one step above the largest number
  const long double x = std::isinf(a) ? std::copysign(top, static_cast<long double>(a)) : a;
  const long double y = std::isinf(b) ? std::copysign(top, static_cast<long double>(b)) : b;
  const long double smaller = std::fmin(std::fabs(x), std::fabs(y));
  return static_cast<double>(std::ldexp(std::fabs(x - y), -(smaller == 0 ? f.least : step_exponent(f, smaller))));
}

std::optional<double> float_reference(op code, scalar_kind kind, const std::vector<double>& a) {
  const auto in = [&](size_t i) { return static_cast<long double>(a.at(i)); };
  const auto exact = [&](long double v) { return rounded_to(kind, v); };
  switch (code) {
    case op::ADD: return exact(in(0) + in(1));
    case op::SUB: return exact(in(0) - in(1));
    case op::MUL: return exact(in(0) * in(1));
    case op::FDIV: return exact(in(0) / in(1));
    case op::RECIP: return exact(1 / in(0));
    case op::NEG: return -a.at(0);
    case op::SQRT: return exact(std::sqrt(in(0)));
    case op::EXP2: return exact(std::exp2(in(0)));
    case op::LOG2: return exact(std::log2(in(0)));
    case op::SIN: return exact(std::sin(in(0)));
    case op::POW: return exact(std::pow(in(0), in(1)));
    case op::MAX: return std::isnan(a.at(0)) || std::isnan(a.at(1)) ? nan : a[0] < a[1] ? a[1] : a[0];
    case op::MULACC: return exact(multiply_add(kind, a.at(0), a.at(1), a.at(2)));
    case op::WHERE: return a.at(0) != 0 ? a.at(1) : a.at(2);
    default: return std::nullopt;
  }
}

i64 float_to_integer(scalar_kind to, double v) {
  if (is_bool(to)) return v != 0;
  if (std::isnan(v)) return 0;
  const long double whole = std::trunc(static_cast<long double>(v));
  const int bits = is_signed(to) ? bit_width(to) - 1 : bit_width(to);
  const long double top = std::ldexp(1.0L, bits) - 1, bottom = is_signed(to) ? -top - 1 : 0;
  const long double inside = whole > top ? top : whole < bottom ? bottom : whole;
  return inside < 0 ? static_cast<i64>(inside) : static_cast<i64>(static_cast<u64>(inside));
}

namespace {

u64 float_bits(scalar_kind kind, double v) {
  const format f = format_of(kind);
  const int width = bit_width(kind), fraction = f.precision - 1;
  const u64 sign = std::signbit(v) ? u64{1} << (width - 1) : 0;
  const u64 special = ((u64{1} << (width - 1 - fraction)) - 1) << fraction;  // the exponent of infinities and NaNs
  if (std::isnan(v)) return special | u64{1} << (fraction - 1);
  if (std::isinf(v)) return sign | special;
  if (v == 0) return sign;
  const int step = step_exponent(f, v);
  // A normal number has the hidden bit in its count of steps, which is one more in the exponent's field.
  const u64 steps = static_cast<u64>(std::ldexp(std::fabs(static_cast<long double>(v)), -step));
  return sign | ((static_cast<u64>(step - f.least) << fraction) + steps);
}

double float_of_bits(scalar_kind kind, u64 bits) {
  const format f = format_of(kind);
  const int width = bit_width(kind), fraction = f.precision - 1;
  const u64 field = bits << (65 - width) >> (65 - width) >> fraction, rest = bits & ((u64{1} << fraction) - 1);
  const u64 special = (u64{1} << (width - 1 - fraction)) - 1;
  const double size =
      field == special ? (rest != 0 ? nan : infinity)
      : field == 0
          ? static_cast<double>(std::ldexp(static_cast<long double>(rest), f.least))
          : static_cast<double>(std::ldexp(static_cast<long double>(rest | u64{1} << fraction), f.least + static_cast<int>(field) - 1));
  return (bits >> (width - 1) & 1) != 0 ? -size : size;
}

}  // namespace

i64 bitcast_reference(scalar_kind to, scalar_kind from, i64 word) {
  const u64 bits = is_float(from) ? float_bits(from, double_of(word)) : static_cast<u64>(word);
  return is_float(to) ? word_of(float_of_bits(to, bits)) : wrap(to, static_cast<i64>(bits));
}

std::optional<i64> integer_reference(op code, scalar_kind kind, const std::vector<i64>& a) {
  const auto outside = [&](i64 count) {
    return (is_signed(kind) && count < 0) || static_cast<u64>(count) >= static_cast<u64>(bit_width(kind));
  };
  switch (code) {
    case op::IDIV:
      if (a.at(1) == 0) return 0;
      break;
    case op::MOD:
      if (a.at(1) == 0) return a.at(0);
      break;
    case op::SHL:
      if (outside(a.at(1))) return 0;
      break;
    case op::SHR:
      if (outside(a.at(1))) return is_signed(kind) && a.at(0) < 0 ? -1 : 0;
      break;
    default: break;
  }
  return std::nullopt;
}

}  // namespace conformance
