// What operations mean: against plain C++ for every 8-bit value, against the hardware and the C library for floats, and the
// same bits in the compiler and at run time.
#include "twill/ir/arithmetic.hpp"

#include <cmath>

#include "catch.hpp"
#include "twill/base/hash.hpp"

using namespace twill;

namespace {

constexpr i64 run(op code, dtype t, std::initializer_list<i64> words) { return exec_alu(code, t, t, words); }
constexpr double runf(op code, dtype t, double a, double b = 0, double c = 0) {
  return double_of(exec_alu(code, t, t, {word_of(a), word_of(b), word_of(c)}));
}
constexpr i64 cast_to(dtype to, dtype from, i64 word) { return exec_alu(op::CAST, to, from, {word}); }
constexpr i64 cast_to(dtype to, double v) { return exec_alu(op::CAST, to, float64, {word_of(v)}); }
constexpr i64 bitcast_to(dtype to, dtype from, i64 word) { return exec_alu(op::BITCAST, to, from, {word}); }
constexpr i64 min64 = min_value(scalar_kind::int64), max64 = max_value(scalar_kind::int64);
constexpr double inf = scalar::infinity, nan_ = scalar::quiet_nan;
constexpr i64 nan_word = 0x7ff8000000000000;

// Wrap-around, zero divisors, the least number by -1.
static_assert(run(op::ADD, int32, {2147483647, 1}) == -2147483647 - 1);
static_assert(run(op::ADD, uint8, {255, 1}) == 0 && run(op::ADD, int64, {max64, 1}) == min64 && run(op::ADD, uint64, {-1, 1}) == 0);
static_assert(run(op::SUB, uint16, {0, 1}) == 65535 && run(op::NEG, int8, {-128}) == -128 && run(op::NEG, uint32, {1}) == 4294967295);
static_assert(run(op::MUL, int16, {-32768, -1}) == -32768 && run(op::MUL, uint64, {-1, -1}) == 1);
static_assert(run(op::MULACC, int8, {127, 2, 1}) == -1 && run(op::MULACC, int32, {3, 4, 5}) == 17);
static_assert(run(op::IDIV, int32, {-7, 2}) == -3 && run(op::MOD, int32, {-7, 2}) == -1);
static_assert(run(op::IDIV, int32, {7, 0}) == 0 && run(op::MOD, int32, {7, 0}) == 7 && run(op::MOD, uint64, {-1, 0}) == -1);
static_assert(run(op::IDIV, int64, {min64, -1}) == min64 && run(op::MOD, int64, {min64, -1}) == 0);
static_assert(run(op::IDIV, int8, {-128, -1}) == -128 && run(op::IDIV, uint64, {-1, 2}) == max64);
static_assert(run(op::FLOORDIV, int32, {-7, 2}) == -4 && run(op::FLOORMOD, int32, {-7, 2}) == 1);
static_assert(run(op::FLOORDIV, int32, {7, -2}) == -4 && run(op::FLOORMOD, int32, {7, -2}) == -1);
static_assert(run(op::FLOORDIV, int32, {7, 0}) == 0 && run(op::FLOORMOD, int32, {7, 0}) == 7);
static_assert(run(op::FLOORDIV, int64, {min64, -1}) == min64 && run(op::FLOORMOD, int64, {min64, -1}) == 0);
// Shift counts.
static_assert(run(op::SHL, int32, {1, 31}) == -2147483647 - 1 && run(op::SHL, int32, {1, 32}) == 0 && run(op::SHL, int32, {1, -1}) == 0);
static_assert(run(op::SHR, int32, {-8, 1}) == -4 && run(op::SHR, int32, {-8, 32}) == -1 && run(op::SHR, int32, {8, 40}) == 0);
static_assert(run(op::SHR, uint8, {255, 7}) == 1 && run(op::SHR, uint8, {255, 8}) == 0 && run(op::SHR, uint64, {-1, 63}) == 1);
static_assert(run(op::SHR, int8, {-128, -1}) == -1 && run(op::SHL, uint64, {1, -1}) == 0);
// Order is the dtype's own.
static_assert(run(op::MAX, uint64, {-1, 1}) == -1 && run(op::MIN, uint64, {-1, 1}) == 1 && run(op::MAX, int64, {-1, 1}) == 1);
static_assert(exec_alu(op::CMPLT, bool_, uint64, {-1, 1}) == 0 && exec_alu(op::CMPLT, bool_, int64, {-1, 1}) == 1);
static_assert(run(op::POW, int32, {3, 4}) == 81 && run(op::POW, int32, {2, -1}) == 0 && run(op::POW, int32, {-1, -3}) == -1);
static_assert(run(op::POW, uint64, {-1, 2}) == 1 && run(op::POW, int8, {127, 2}) == 1 && run(op::POW, int32, {0, 0}) == 1);
// Bools.
static_assert(run(op::ADD, bool_, {1, 1}) == 1 && run(op::MUL, bool_, {1, 0}) == 0 && run(op::MAX, bool_, {0, 1}) == 1);
static_assert(run(op::XOR, bool_, {1, 1}) == 0 && run(op::CMPNE, bool_, {1, 0}) == 1 && run(op::MULACC, bool_, {1, 1, 1}) == 1);
static_assert(exec_alu(op::WHERE, int8, bool_, {1, -5, 7}) == -5 && exec_alu(op::WHERE, int8, bool_, {0, -5, 7}) == 7);
// Threefry's published answers.
static_assert(threefry2x32(0, 0) == 0x99ba4efe6b200159);
static_assert(threefry2x32(~u64{0}, ~u64{0}) == 0xbb002be71cb996fc);
static_assert(threefry2x32(0x85a308d3243f6a88, 0x0370734413198a2e) == 0x483df7a0c4923a9c);
// Casts.
static_assert(cast_to(int8, 300.0) == 127 && cast_to(int8, -300.0) == -128 && cast_to(uint8, -1.0) == 0 && cast_to(int32, -2.9) == -2);
static_assert(cast_to(int32, nan_) == 0 && cast_to(bool_, nan_) == 1 && cast_to(bool_, -0.0) == 0 && cast_to(bool_, 0.25) == 1);
static_assert(cast_to(int64, 1e30) == max64 && cast_to(int64, -inf) == min64 && cast_to(uint64, inf) == -1 &&
              cast_to(uint64, 0x1p63) == min64);
static_assert(cast_to(uint8, int32, -1) == 255 && cast_to(bool_, int32, 256) == 1 && cast_to(int64, uint32, 4294967295) == 4294967295);
static_assert(double_of(cast_to(float32, int64, 0x7fffffbfffffffff)) == 0x1.fffffep62);  // one rounding, not two
static_assert(double_of(cast_to(float64, uint64, -1)) == 0x1p64 && double_of(cast_to(float16, int32, 65520)) == inf);
static_assert(double_of(cast_to(float16, 65519.0)) == 65504 && double_of(cast_to(bfloat16, 1.00390625)) == 1);  // ties to even
static_assert(double_of(cast_to(float32, 1e300)) == inf && double_of(cast_to(float32, 0x1.fffffefp127)) == 0x1.fffffep127);
static_assert(bitcast_to(int32, float32, word_of(1.0)) == 0x3f800000 && double_of(bitcast_to(float16, uint16, 0x3c00)) == 1);
static_assert(bitcast_to(bfloat16, uint16, 0xffff) == nan_word && bitcast_to(int64, float64, word_of(-0.0)) == min64);
static_assert(bitcast_to(uint8, int8, -1) == 255 && bitcast_to(int16, bfloat16, word_of(-2.0)) == -16384);
// Floats in their own precision.
static_assert(runf(op::ADD, float32, 16777216, 1) == 16777216 && runf(op::ADD, float64, 16777216, 1) == 16777217);
static_assert(runf(op::FDIV, float32, 1, 3) == static_cast<double>(1.0f / 3.0f) && runf(op::FDIV, float64, -1, 0) == -inf);
static_assert(runf(op::MUL, float64, 1e308, 10) == inf && runf(op::ADD, float64, -1.7e308, -1.7e308) == -inf &&
              runf(op::MUL, float32, 1e30, 1e30) == inf);
static_assert(word_of(runf(op::FDIV, float32, 0, 0)) == nan_word && word_of(runf(op::SUB, float64, inf, inf)) == nan_word);
static_assert(word_of(runf(op::MUL, float16, inf, 0)) == nan_word && word_of(runf(op::SQRT, float64, -1)) == nan_word);
static_assert(word_of(runf(op::MAX, float32, nan_, 1)) == nan_word && word_of(runf(op::MIN, float32, 1, nan_)) == nan_word);
static_assert(exec_alu(op::CMPLT, bool_, float32, {nan_word, word_of(1)}) == 0 &&
              exec_alu(op::CMPNE, bool_, float32, {nan_word, nan_word}) == 1);
static_assert(exec_alu(op::CMPNE, bool_, float32, {word_of(0.0), word_of(-0.0)}) == 0);
static_assert(runf(op::SQRT, float64, 2) == 0x1.6a09e667f3bcdp+0 && runf(op::SQRT, float32, 2) == 0x1.6a09e6p+0 &&
              runf(op::SQRT, float64, 0x1p-1074) == 0x1p-537);
static_assert(word_of(runf(op::NEG, float32, 0)) == min64 && runf(op::RECIP, float32, 0) == inf);
// One rounding, where two differ: in float32 the product alone rounds the last term away.
static_assert(runf(op::MULACC, float32, 1 + 0x1p-12, 1 + 0x1p-12, -1 - 0x1p-11) == 0x1p-24);
static_assert(runf(op::MULACC, float64, 1 + 0x1p-30, 1 - 0x1p-30, -1) == -0x1p-60 && runf(op::MULACC, float64, 1e308, 10, -inf) == -inf);
static_assert(runf(op::MULACC, float32, 0x1p-100, 0x1p-100, 1 + 0x1p-23) == 1 + 0x1p-23);
// pow: C99 F.9.4.4.
static_assert(runf(op::POW, float64, 2, 10) == 1024 && runf(op::POW, float64, 2, 0.5) == 0x1.6a09e667f3bcdp+0 &&
              runf(op::POW, float64, 10, -2) == 0.01);
static_assert(runf(op::POW, float64, nan_, 0) == 1 && runf(op::POW, float64, 1, nan_) == 1 && runf(op::POW, float64, -1, inf) == 1);
static_assert(runf(op::POW, float64, -0.0, -3) == -inf && runf(op::POW, float64, -0.0, -2) == inf &&
              word_of(runf(op::POW, float64, -0.0, 3)) == min64);
static_assert(runf(op::POW, float64, 0.5, -inf) == inf && runf(op::POW, float64, 2, -inf) == 0 && runf(op::POW, float64, -inf, 3) == -inf);
static_assert(word_of(runf(op::POW, float64, -inf, -3)) == min64 && runf(op::POW, float64, -inf, 2) == inf &&
              runf(op::POW, float64, inf, -1) == 0);
static_assert(word_of(runf(op::POW, float64, -2, 0.5)) == nan_word && runf(op::POW, float64, -2, 3) == -8 &&
              runf(op::POW, float64, 2, 1e300) == inf);
static_assert(runf(op::POW, float64, 2, -1074) == 0x1p-1074 && runf(op::POW, float64, 0x1p-1074, 1) == 0x1p-1074 &&
              runf(op::POW, float32, 2, 0.5) == 0x1.6a09e6p+0);
static_assert(runf(op::EXP2, float64, 3) == 8 && runf(op::LOG2, float64, 8) == 3 && runf(op::SIN, float64, 0) == 0 &&
              runf(op::EXP, float32, 0) == 1);

// Overflow checks.
constexpr bool checked() {
  i64 out = 0;
  bool ok = add_checked(max64, -1, out) && out == max64 - 1 && !add_checked(max64, 1, out) && !add_checked(min64, -1, out);
  ok = ok && subtract_checked(min64, -1, out) && out == min64 + 1 && !subtract_checked(0, min64, out) && !subtract_checked(min64, 1, out);
  ok = ok && mul_checked(i64{1} << 31, i64{1} << 31, out) && out == i64{1} << 62 && !mul_checked(i64{1} << 32, i64{1} << 31, out);
  ok = ok && !mul_checked(min64, -1, out) && !mul_checked(-1, min64, out) && mul_checked(min64, 1, out) && out == min64;
  return ok && mul_checked(0, min64, out) && out == 0 && mul_checked(-(i64{1} << 32), i64{1} << 31, out) && out == min64;
}
static_assert(checked());

// Everything on edge values of one dtype, as one number: the compiler's must be the run-time one.
constexpr op integer_ops[] = {op::NEG, op::ADD, op::SUB, op::MUL, op::IDIV, op::MOD, op::FLOORDIV, op::FLOORMOD, op::MAX, op::MIN,
                              op::AND, op::OR,  op::XOR, op::SHL, op::SHR,  op::POW, op::MULACC,   op::THREEFRY};
constexpr op float_ops[] = {op::NEG, op::ADD, op::SUB, op::MUL, op::FDIV, op::MAX, op::MIN, op::MULACC, op::RECIP, op::SQRT};
constexpr u64 integer_digest(scalar_kind k) {
  const i64 edges[] = {0, 1, wrap(k, -1), wrap(k, 7), wrap(k, 64), min_value(k), max_value(k)};
  u64 state = 0;
  for (const op code : integer_ops)
    for (const i64 a : edges)
      for (const i64 b : edges) state = hash_combine(state, static_cast<u64>(exec_alu(code, dtype{k}, dtype{k}, {a, b, edges[3]})));
  for (const i64 a : edges)
    for (scalar_kind to = scalar_kind::bool_; to <= scalar_kind::float64; to = static_cast<scalar_kind>(static_cast<int>(to) + 1)) {
      state = hash_combine(state, static_cast<u64>(exec_alu(op::CAST, dtype{to}, dtype{k}, {a})));
      state = hash_combine(state, static_cast<u64>(exec_alu(op::BITCAST, dtype{to}, dtype{k}, {a})));
    }
  return state;
}
constexpr double float_edges[] = {0.0,      -0.0, 1.0, -1.5, 0.1, 65504.0, 3.3895313892515355e38, -1.7976931348623157e308,
                                  4.9e-324, 6e-8, inf, -inf, nan_};
constexpr u64 float_digest(scalar_kind k) {
  u64 state = 0;
  for (const op code : float_ops)
    for (const double a : float_edges)
      for (const double b : float_edges) {
        const i64 x = word_of(round_to(k, a)), y = word_of(round_to(k, b));
        state = hash_combine(state, static_cast<u64>(exec_alu(code, dtype{k}, dtype{k}, {x, y, word_of(1.0)})));
        if (in_group(code, op_group::unary)) break;
      }
  return state;
}
constexpr u64 slow_float_digest(op code) {
  u64 state = 0;
  for (const double a : float_edges) state = hash_combine(state, static_cast<u64>(run(code, float64, {word_of(a), word_of(-2.5)})));
  for (const double a : {0.3, 2.0, -0.7, 100.0})
    state = hash_combine(state, static_cast<u64>(run(code, float64, {word_of(a), word_of(3.0)})));
  return state;
}
constexpr u64 conversion_digest(scalar_kind from) {
  u64 state = 0;
  for (const double a : float_edges)
    for (scalar_kind to = scalar_kind::bool_; to <= scalar_kind::float64; to = static_cast<scalar_kind>(static_cast<int>(to) + 1)) {
      const i64 word = word_of(round_to(from, a));
      state = hash_combine(state, static_cast<u64>(exec_alu(op::CAST, dtype{to}, dtype{from}, {word})));
      state = hash_combine(state, static_cast<u64>(exec_alu(op::BITCAST, dtype{to}, dtype{from}, {word})));
    }
  return state;
}
template <scalar_kind K> constexpr u64 compiled_integers = integer_digest(K);
template <scalar_kind K> constexpr u64 compiled_floats = float_digest(K);
template <scalar_kind K> constexpr u64 compiled_conversions = conversion_digest(K);
template <op Code> constexpr u64 compiled_slow = slow_float_digest(Code);

template <scalar_kind... K>
void check_integers() {
  const auto check = [](scalar_kind k, u64 compiled) {
    INFO(name(k));
    CHECK(integer_digest(k) == compiled);
  };
  (check(K, compiled_integers<K>), ...);
}
template <scalar_kind... K>
void check_floats() {
  const auto check = [](scalar_kind k, u64 floats, u64 conversions) {
    INFO(name(k));
    CHECK(float_digest(k) == floats);
    CHECK(conversion_digest(k) == conversions);
  };
  (check(K, compiled_floats<K>, compiled_conversions<K>), ...);
}
template <op... Code>
void check_slow() {
  const auto check = [](op code, u64 compiled) {
    INFO(name(code));
    CHECK(slow_float_digest(code) == compiled);
  };
  (check(Code, compiled_slow<Code>), ...);
}

// The 8-bit ops in plain C++.
i64 reference(op code, i64 a, i64 b, bool is_signed_type) {
  const auto reduce = [=](i64 v) {
    return is_signed_type ? static_cast<i64>(static_cast<signed char>(v)) : static_cast<i64>(static_cast<unsigned char>(v));
  };
  const bool out_of_range = b < 0 || b >= 8;
  switch (code) {
    case op::NEG: return reduce(-a);
    case op::ADD: return reduce(a + b);
    case op::SUB: return reduce(a - b);
    case op::MUL: return reduce(a * b);
    case op::IDIV: return b == 0 ? 0 : reduce(a / b);
    case op::MOD: return b == 0 ? a : a % b;
    case op::FLOORDIV: return b == 0 ? 0 : reduce(static_cast<i64>(std::floor(static_cast<double>(a) / static_cast<double>(b))));
    case op::FLOORMOD: return b == 0 ? a : a - b * static_cast<i64>(std::floor(static_cast<double>(a) / static_cast<double>(b)));
    case op::MAX: return a > b ? a : b;
    case op::MIN: return a < b ? a : b;
    case op::AND: return reduce(a & b);
    case op::OR: return reduce(a | b);
    case op::XOR: return reduce(a ^ b);
    case op::SHL: return out_of_range ? 0 : reduce(a * (1 << b));
    case op::SHR: return out_of_range ? (a < 0 ? -1 : 0) : static_cast<i64>(std::floor(static_cast<double>(a) / (1 << b)));
    case op::CMPLT: return a < b;
    case op::CMPNE: return a != b;
    default: return 0;
  }
}

struct random_numbers {
  u64 state = 12345;
  u64 next() { return state = hash_combine(state, 1); }
  // Of every exponent in a range.
  double next(int lowest, int highest) {
    const u64 bits = next(), span = static_cast<u64>(highest - lowest + 1);
    return scalar::double_of_bits((bits & ~(u64{0x7ff} << 52)) | static_cast<u64>(1023 + lowest + static_cast<int>(next() % span)) << 52);
  }
};
double ulps(double a, double exact_high) {
  if (a == exact_high) return 0;
  return std::fabs(a - exact_high) / (std::nextafter(std::fabs(exact_high), inf) - std::fabs(exact_high));
}

}  // namespace

TEST_CASE("every 8-bit integer op is that of plain C++") {
  for (const dtype t : {int8, uint8})
    for (const op code : {op::NEG, op::ADD, op::SUB, op::MUL, op::IDIV, op::MOD, op::FLOORDIV, op::FLOORMOD, op::MAX, op::MIN, op::AND,
                          op::OR, op::XOR, op::SHL, op::SHR, op::CMPLT, op::CMPNE}) {
      int wrong = 0;
      const i64 least = min_value(t.kind);
      for (i64 a = least; a < least + 256; ++a)
        for (i64 b = least; b < least + 256; ++b) {
          const i64 found = exec_alu(code, is_comparison(code) ? bool_ : t, t, {a, b});
          if (found != reference(code, a, b, is_signed(t))) ++wrong;
        }
      INFO(name(code) << ' ' << name(t.kind));
      CHECK(wrong == 0);
    }
}

TEST_CASE("the compiler and the program compute the same bits on edge values") {
  check_integers<scalar_kind::bool_, scalar_kind::int8, scalar_kind::uint8, scalar_kind::int16, scalar_kind::uint16, scalar_kind::int32,
                 scalar_kind::uint32, scalar_kind::int64, scalar_kind::uint64>();
  check_floats<scalar_kind::float16, scalar_kind::bfloat16, scalar_kind::float32, scalar_kind::float64>();
  check_slow<op::POW, op::EXP2, op::LOG2, op::SIN, op::EXP, op::LOG, op::TANH>();
}

TEST_CASE("(x / y) * y + x % y == x for every pair, floors too") {
  for (const scalar_kind k : {scalar_kind::int8, scalar_kind::uint8, scalar_kind::int32, scalar_kind::int64, scalar_kind::uint64}) {
    const i64 edges[] = {0, 1, 2, wrap(k, -1), wrap(k, -2), 7, wrap(k, -7), 100, min_value(k), wrap(k, min_value(k) + 1), max_value(k)};
    for (const i64 x : edges)
      for (const i64 y : edges) {
        CHECK(wrapping_add(k, wrapping_mul(k, idiv(k, x, y), y), imod(k, x, y)) == x);
        CHECK(wrapping_add(k, wrapping_mul(k, floordiv(k, x, y), y), floormod(k, x, y)) == x);
      }
  }
}

TEST_CASE("float16 and bfloat16: every value survives, every other double goes to the nearest, ties to even") {
  for (u32 bits = 0; bits < 0x10000; ++bits) {
    const u16 b = static_cast<u16>(bits);
    const double half = float16_value(b), brain = bfloat16_value(b);
    if (!scalar::is_nan(half) && float16_bits(half) != b) FAIL("float16 " << bits);
    if (!scalar::is_nan(brain) && bfloat16_bits(brain) != b) FAIL("bfloat16 " << bits);
    if (scalar::is_nan(half) && float16_bits(half) != 0x7e00) FAIL("NaN");
    for (const bool wide : {false, true}) {
      const double low = wide ? brain : half,
                   high = wide ? bfloat16_value(static_cast<u16>(b + 1)) : float16_value(static_cast<u16>(b + 1));
      if (!scalar::is_finite(low) || !scalar::is_finite(high) || (bits & 0x7fff) == 0x7fff) continue;
      const double middle = (low + high) / 2;
      const auto bits_of = [wide](double v) { return wide ? bfloat16_bits(v) : float16_bits(v); };
      const u16 even = static_cast<u16>((b & 1) == 0 ? b : b + 1);
      if (bits_of(middle) != even) FAIL("tie after " << bits);
      if (bits_of(std::nextafter(middle, low)) != b || bits_of(std::nextafter(middle, high)) != b + 1)
        FAIL("beside the tie after " << bits);
    }
  }
  CHECK(float16_bits(65519.9) == 0x7bff);
  CHECK(float16_bits(65520.0) == 0x7c00);
  CHECK(float16_bits(-1e300) == 0xfc00);
  CHECK(float16_bits(0x1p-25) == 0);
  CHECK(float16_bits(0x1.8p-25) == 1);
}

TEST_CASE("float32 ops round as the hardware does") {
  random_numbers r;
  for (int i = 0; i < 200'000; ++i) {
    const float a = static_cast<float>(r.next(-130, 126)), b = static_cast<float>(r.next(-130, 126)),
                c = static_cast<float>(r.next(-130, 126));
    const auto same = [](double found, float expected) { return word_of(found) == word_of(static_cast<double>(expected)); };
    bool ok = same(runf(op::ADD, float32, a, b), a + b) && same(runf(op::MUL, float32, a, b), a * b) &&
              same(runf(op::FDIV, float32, a, b), a / b);
    ok = ok && same(runf(op::SQRT, float32, std::fabs(a)), std::sqrt(std::fabs(a))) &&
         same(runf(op::MULACC, float32, a, b, c), std::fma(a, b, c));
    const double x = scalar::double_of_bits(r.next()), sum = round_to_float32(x);
    ok = ok && float32_bits(x) == float32_bits(sum);
    if (!ok) FAIL(a << ' ' << b << ' ' << c);
  }
  SUCCEED();
}

TEST_CASE("the multiply-add and the square root of float64 are correctly rounded, in both forms") {
  random_numbers r;
  for (int i = 0; i < 200'000; ++i) {
    const double a = r.next(-600, 500), b = r.next(-600, 500);
    double c = r.next(-1022, 1023);
    if (i % 2 == 0) c = std::ldexp(-a * b, static_cast<int>(r.next() % 110) - 55);  // as close as it gets
    if (i % 4 == 0) c = -a * b;
    if (word_of(scalar::fused_multiply_add(a, b, c)) != word_of(std::fma(a, b, c))) FAIL(a << ' ' << b << ' ' << c);
    if (scalar::square_root(std::fabs(a)) != std::sqrt(std::fabs(a))) FAIL(a);
  }
  SUCCEED();
}

TEST_CASE("pow is within an ulp of the long double one") {
  random_numbers r;
  double worst = 0;
  const auto check = [&worst](double x, double y) {
    const double exact = static_cast<double>(std::pow(static_cast<long double>(x), static_cast<long double>(y)));
    const double found = scalar::power(x, y);
    if (!std::isfinite(exact)) CHECK(found == exact);
    else worst = std::fmax(worst, ulps(found, exact));
  };
  for (int i = 0; i < 50'000; ++i) {
    check(std::fabs(r.next(-1000, 1000)), r.next(-12, 1));
    check(std::fabs(r.next(-3, 3)), r.next(-3, 8));
    check(1 + r.next(-52, -3) / 4, r.next(0, 40));
    check(r.next(-10, 10), static_cast<double>(static_cast<int>(r.next() % 81) - 40));
  }
  CHECK(worst <= 1);
}
