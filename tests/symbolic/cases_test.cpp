// Inputs that people and the fuzzer tripped over, each with its right value and with its neighbours: not one fold but the
// kind of fault must be impossible. What small loops can show the compiler checks too.
#include "catch.hpp"

#include <twill/symbolic.hpp>

namespace tw = twill;
using tw::i64;
using tw::op;
using tw::uop;

namespace {

constexpr i64 at(uop e, const char* name, i64 value) {
  const tw::binding b{name, value};
  return tw::evaluate(e, {&b, 1});
}
constexpr i64 at(uop e, const char* name, i64 value, const char* other, i64 other_value) {
  const tw::binding b[]{{name, value}, {other, other_value}};
  return tw::evaluate(e, {b, 2});
}
// e and its normal form have these values at x = first, first + 1, …, and the normal form's bounds hold them.
constexpr bool has_values(uop e, const char* name, i64 first, std::initializer_list<i64> values) {
  const uop s = tw::simplify(e);
  for (const i64 value : values) {
    if (at(e, name, first, "none", 0) != value || at(s, name, first, "none", 0) != value || value < s.lo() || value > s.hi()) return false;
    ++first;
  }
  return true;
}
// The same values as the normal form, everywhere.
constexpr bool keeps_values(uop e, uop x) {
  const uop s = tw::simplify(e);
  const tw::text name = tw::variable_name(x);
  for (i64 v = x.lo(); v <= x.hi(); ++v) {
    const i64 value = at(e, name.c_str(), v);
    if (at(s, name.c_str(), v) != value || value < s.lo() || value > s.hi()) return false;
  }
  return true;
}
constexpr bool keeps_values(uop e, uop x, uop y) {
  const uop s = tw::simplify(e);
  const tw::text name = tw::variable_name(x), other = tw::variable_name(y);
  for (i64 v = x.lo(); v <= x.hi(); ++v)
    for (i64 w = y.lo(); w <= y.hi(); ++w) {
      const i64 value = at(e, name.c_str(), v, other.c_str(), w);
      if (at(s, name.c_str(), v, other.c_str(), w) != value || value < s.lo() || value > s.hi()) return false;
    }
  return true;
}
constexpr op divisions[] = {op::IDIV, op::MOD, op::FLOORDIV, op::FLOORMOD};
constexpr uop by(op code, uop x, i64 c) { return tw::alu(code, x, x.owner->constant(x.type(), c)); }

// 1: taking an index apart, where the inner part stays inside a row and where it does not.
constexpr auto a8 = tw::var<"a">(0, 7);
constexpr auto b4 = tw::var<"b">(0, 3);
constexpr auto b5 = tw::var<"b">(0, 4);
static_assert(tw::simplify((a8 * 4 + b4) / 4) == a8 && tw::simplify((a8 * 4 + b4) % 4) == b4);
static_assert(tw::simplify((a8 * 4 + b4) / 4 * 4 + (a8 * 4 + b4) % 4) == tw::simplify(a8 * 4 + b4));
static_assert(tw::bounds(a8 * 4 + b4) == tw::interval{0, 31});
static_assert(!(tw::simplify((a8 * 4 + b5) / 4) == a8) && tw::bounds(tw::simplify((a8 * 4 + b5) / 4)) == tw::interval{0, 8});
constexpr bool one_past_the_row() {
  tw::graph g;
  const uop a = g.var("a", 0, 7), b = g.var("b", 0, 4), e = tw::simplify((a * 4 + b) / 4), m = tw::simplify((a * 4 + b) % 4);
  return at(e, "a", 2, "b", 4) == 3 && at(m, "a", 2, "b", 4) == 0 && e.lo() == 0 && e.hi() == 8;
}
static_assert(one_past_the_row());

// 2: (x + 6) % 2 for x in [-6, 5]. Truncating, x % 2 would be -1 at -5.
constexpr bool shifted_parity() {
  tw::graph g;
  const uop x = g.var("x", -6, 5), y = g.var("y", -20, 5);
  for (const op code : {op::MOD, op::FLOORMOD})
    if (!has_values(by(code, x + 6, 2), "x", -6, {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1})) return false;
  return !(tw::simplify((x + 6) % 2) == tw::simplify(x % 2)) && tw::simplify(by(op::FLOORMOD, y + 6, 2)) == by(op::FLOORMOD, y, 2) &&
         at(tw::simplify(x % 2), "x", -5) == -1;
}
static_assert(shifted_parity());

// 4: 48 * x + 241 by 16 for x in [-10, 10].
constexpr bool truncated_and_floored() {
  tw::graph g;
  const uop x = g.var("x", -10, 10), e = x * 48 + 241, above = g.var("y", -5, 10), f = above * 48 + 241;
  const uop q = tw::simplify(e / 16), r = tw::simplify(e % 16);
  if (at(q, "x", -10) != -14 || at(r, "x", -10) != -15 || at(q, "x", -6) != -2 || at(r, "x", -6) != -15) return false;
  if (at(q, "x", -5) != 0 || at(r, "x", -5) != 1 || at(q, "x", 0) != 15 || at(r, "x", 0) != 1) return false;
  if (!keeps_values(e / 16, x) || !keeps_values(e % 16, x)) return false;
  const uop folded = tw::simplify(x * 3 + 15);
  if (q == folded || r.is_constant()) return false;
  // Rounding down it folds everywhere; truncating from -5 on.
  if (!(tw::simplify(by(op::FLOORDIV, e, 16)) == folded) || !tw::simplify(by(op::FLOORMOD, e, 16)).is_constant(1)) return false;
  return tw::simplify(f / 16) == tw::simplify(above * 3 + 15) && tw::simplify(f % 16).is_constant(1);
}
static_assert(truncated_and_floored());

// 6: the whole index decides how wide it must be, not one of its terms.
constexpr uop strided(uop g, uop l) { return g * 96 + l * 3 + 2; }
constexpr bool fits_int32(i64 last) {
  tw::graph g;
  const uop wide = tw::simplify(strided(g.var("g", 0, last, tw::int64), g.var("l", 0, 31, tw::int64)));
  const uop narrow = tw::simplify(strided(g.var("g", 0, last), g.var("l", 0, 31)));
  // What may wrap has every value of its dtype.
  const bool fits = wide.hi() <= tw::max_value(tw::scalar_kind::int32);
  const tw::interval of_narrow = fits ? wide.get().bounds : tw::full_range(tw::int32);
  return wide.lo() == 2 && wide.hi() == last * 96 + 31 * 3 + 2 && narrow.get().bounds == of_narrow && fits;
}
static_assert(!fits_int32(22369621) && fits_int32(22369620));
constexpr bool each_step_around_the_limit() {
  tw::graph g;
  for (i64 over = -3; over <= 3; ++over) {
    const i64 last = 2147483647 + over;
    const uop x = g.var("x", 0, last, tw::int64), half = g.var("h", 0, last - 1000);
    if ((x + 0).hi() != last || (x + 1).hi() != last + 1) return false;
    if ((half + 1000).hi() != (over <= 0 ? last : 2147483647)) return false;
    if ((half + 1000).lo() != (over <= 0 ? 1000 : tw::min_value(tw::scalar_kind::int32))) return false;
  }
  return true;
}
static_assert(each_step_around_the_limit());

// 8: arithmetic of narrow data wraps, and a fold through it is only right where it can't.
constexpr bool wraps() {
  tw::graph g;
  const uop x = g.var("x", 0, 255, tw::uint8), small = g.var("s", 0, 127, tw::uint8);
  const uop sum = tw::simplify(x + 100), half = tw::simplify(x * 2 / 2);
  return at(sum, "x", 200) == 44 && at(half, "x", 200) == 72 && !(half == x) && tw::simplify(small * 2 / 2) == small;
}
static_assert(wraps());

// 9: floats.
constexpr uop float_constant(tw::graph& g, double v) { return g.constant(tw::float32, v); }
constexpr bool is_nan(uop u) { return u.is_constant() && tw::scalar::is_nan(tw::double_of(u.argument(0))); }
constexpr bool is_zero(uop u, bool negative) { return u.is_constant() && u.argument(0) == tw::word_of(negative ? -0.0 : 0.0); }
constexpr bool floats() {
  tw::graph g;
  const uop x = g.var("x", 0, 0, tw::float32), nan = float_constant(g, tw::scalar::quiet_nan), inf = float_constant(g, tw::scalar::infinity),
            minus_one = float_constant(g, -1.0), minus_zero = float_constant(g, -0.0);
  if (!is_nan(tw::simplify(nan * 0.0)) || !is_nan(tw::simplify(inf * 0.0)) || !is_zero(tw::simplify(minus_one * 0.0), true)) return false;
  if (!is_nan(tw::simplify(inf - inf)) || !is_nan(tw::simplify(tw::alu(op::SUB, inf, inf)))) return false;
  if (!tw::simplify(tw::not_equal(nan, nan)).is_constant(1) || !is_zero(tw::simplify(minus_zero + 0.0), false)) return false;
  // So the folds that would change these are not made; x - 0, x + -0.0 and x * 1 are exact.
  if (!(tw::simplify(x * 0.0) == x * 0.0) || tw::simplify(x - x).is_constant() || !(tw::simplify(x + 0.0) == x + 0.0)) return false;
  if (!(tw::simplify(tw::not_equal(x, x)) == tw::not_equal(x, x)) || tw::simplify(tw::alu(op::FDIV, x, x)).is_constant()) return false;
  return tw::simplify(x - 0.0) == x && tw::simplify(x + -0.0) == x && tw::simplify(x * 1.0) == x;
}
static_assert(floats());

// 10: an index under a gate.
constexpr bool gated() {
  tw::graph g;
  const uop a = g.var("a", 0, 9), gate = a < 3, index = a % 4;
  const uop given = tw::given_valid(gate, index);
  if (!(given == a) || index.hi() != 3) return false;
  const i64 d[] = {10, 20, 30, 40};
  i64 most = -1;
  for (i64 v = 0; v < 10; ++v) {
    const bool open = at(gate, "a", v) != 0;
    if (!open) continue;
    const i64 read = at(given, "a", v);
    most = read > most ? read : most;
    if (d[read] != (v + 1) * 10) return false;
  }
  // Past the period the remainder stays.
  return most == 2 && tw::given_valid(a < 4, index) == a && tw::given_valid(a < 5, index) == index;
}
static_assert(gated());

// 14: a window of a padded line: inside, the gate is gone; in the padding it is false, and memory is not read.
constexpr bool window_of_padding() {
  tw::graph g;
  const auto gate = [&](i64 begin, i64 size) {
    const uop i = g.var("i", 0, size - 1) + begin;
    return tw::simplify_valid((i >= 2) & (i < 6));
  };
  const uop i = g.var("i", 0, 3);
  return gate(2, 4).is_constant(1) && gate(0, 2).is_constant(0) && gate(6, 2).is_constant(0) && !gate(0, 3).is_constant() && tw::simplify(i + 2 - 2) == i;
}
static_assert(window_of_padding());

// 17: a column-major composition: digits of 3 * i in (4, 6, 8), strides (2, 3, 5).
constexpr bool composed_layout() {
  tw::graph g;
  const uop i = g.var("i", 0, 5), k = i * 3;
  return has_values(k % 4 * 2 + k / 4 % 6 * 3 + k / 24 * 5, "i", 0, {0, 6, 7, 8, 9, 15});
}
static_assert(composed_layout());

}  // namespace

TEST_CASE("tripped over: indices taken apart") {
  CHECK(one_past_the_row());
  tw::graph g;
  for (const op code : divisions)
    for (i64 c = 2; c <= 5; ++c)
      for (i64 lo = -3; lo <= 3; ++lo)
        for (i64 width = c - 2; width <= c; ++width) {
          const uop a = g.var("a", -2, 3), b = g.var("b", lo, lo + width);
          CHECK(keeps_values(by(code, a * c + b, c), a, b));
        }
}

TEST_CASE("tripped over: signs of quotients and remainders") {
  CHECK(shifted_parity());
  CHECK(truncated_and_floored());
  tw::graph g;
  const tw::interval ranges[] = {{-6, 5}, {0, 9}, {-9, -1}, {-1, 0}, {3, 3}};
  for (const op code : divisions)
    for (const i64 c : {2, 3, 16, -3})
      for (const i64 factor : {1, 2, 6, 48, -2})
        for (i64 shift = -5; shift <= 5; ++shift)
          for (const tw::interval r : ranges) {
            const uop x = g.var("x", r.lo, r.hi);
            const bool kept = keeps_values(by(code, x * factor + shift * 3, c), x);
            if (!kept) INFO(tw::render(by(code, x * factor + shift * 3, c)).c_str());
            CHECK(kept);
          }
}

TEST_CASE("tripped over: indices beyond 32 bits") {
  CHECK_FALSE(fits_int32(22369621));
  CHECK(fits_int32(22369620));
  CHECK(each_step_around_the_limit());
}

TEST_CASE("tripped over: narrow data wraps") {
  CHECK(wraps());
  for (const tw::dtype type : {tw::uint8, tw::int8}) {
    tw::graph g;
    const uop x = g.var("x", tw::min_value(type.kind), tw::max_value(type.kind), type);
    for (const i64 c : {2, 3, 4, 100, 127, -1, -128}) {
      for (const op code : divisions) {
        CHECK(keeps_values(by(code, x * c, c), x));
        CHECK(keeps_values(by(code, x + c, c), x));
      }
      CHECK(keeps_values(x + c < x, x));
      CHECK(keeps_values(x * c < c, x));
      CHECK(keeps_values(tw::max(x + c, x), x));
    }
  }
}

TEST_CASE("tripped over: floats keep NaN, infinities and signs of zero") { CHECK(floats()); }

TEST_CASE("tripped over: indices under gates") {
  CHECK(gated());
  CHECK(window_of_padding());
  CHECK(composed_layout());
}

TEST_CASE("found by the fuzzer: unsigned 64-bit divisors of 2^63 or more are not negative") {
  tw::graph g;
  const uop x = g.var("x", 0, 100, tw::uint64);
  CHECK(at(tw::simplify((x * 2) % -2), "x", 7) == 14);  // 2^64 - 2
  CHECK(at(tw::simplify(x % -2), "x", 99) == 99);
}

TEST_CASE("found by the fuzzer: unrolled sums of unsigned 64-bit numbers beyond 2^63 are no sums of negative ones") {
  tw::graph g;
  const uop x = g.var("x", 0, 2, tw::uint64), below = x - 4;
  CHECK(at(tw::simplify(below / 2 + (below + 1) / 2), "x", 0) == -4);
}

// A shared graph is as large as its nodes, not as its paths.
TEST_CASE("x = x * x, 64 times") {
  tw::graph g;
  uop e = g.var("x", 0, 1, tw::int64) + 0;
  for (int i = 0; i < 64; ++i) e = e * e;
  const uop s = tw::simplify(e);
  CHECK(g.size() < 1000);
  CHECK(at(s, "x", 1) == 1);
  CHECK(tw::simplify(s) == s);
}

// No recursion on depth, and no work that grows with its square.
TEST_CASE("chains of 100,000 nodes") {
  constexpr int depth = 100'000;
  tw::graph g;
  const uop x = g.var("x", 0, 9), y = g.var("y", 0, 9);
  uop sum = x, mixed = x, gates = x < 5;
  for (int i = 0; i < depth; ++i) {
    sum = sum + 1;
    mixed = i % 2 == 0 ? (mixed ^ y) : (mixed & (x + i % 7));
    gates = tw::where(gates, y < i % 10, x < i % 9);
  }
  const auto steps_of = [&](uop e) {
    tw::match_stats stats;
    const uop s = tw::simplify(e, {.stats = &stats});
    CHECK(s.type() == e.type());
    return stats.applied() + stats.visits();
  };
  CHECK(steps_of(sum) < 20 * depth);
  CHECK(steps_of(mixed) < 20 * depth);
  CHECK(steps_of(gates) < 20 * depth);
  CHECK(tw::simplify(sum) == x + depth);
}

// No rules, but bounds: one value for all operands.
TEST_CASE("operations that have one value") {
  tw::graph g;
  for (const tw::dtype type : {tw::int8, tw::uint8, tw::int32, tw::uint64}) {
    const uop x = g.var("x", tw::min_value(type.kind), tw::max_value(type.kind), type), zero = g.constant(type, 0);
    for (const op code : {op::MUL, op::IDIV, op::AND, op::FLOORDIV}) CHECK(tw::simplify(tw::alu(code, x, zero)) == zero);
    for (const op code : {op::IDIV, op::MOD, op::FLOORDIV, op::FLOORMOD, op::SHL, op::SHR}) CHECK(tw::simplify(tw::alu(code, zero, x)) == zero);
    for (const op code : {op::MOD, op::FLOORMOD}) CHECK(tw::simplify(by(code, x, 1)) == zero);
    CHECK(tw::simplify(by(op::OR, x, -1)) == g.constant(type, -1));
    if (tw::is_signed(type))
      for (const op code : {op::MOD, op::FLOORMOD}) CHECK(tw::simplify(by(code, x, -1)) == zero);
  }
  const uop c = g.var("c", 0, 1, tw::bool_);
  CHECK(tw::simplify(c | true).is_constant(1));
}

TEST_CASE("found by the fuzzer: a sum of nothing can be taken out of a sum for ever") {
  tw::graph g;
  const uop a = g.var("a", -100, -9), nothing = a / 4 * 0 + a % 4 * 0, e = nothing + nothing / 4 * -4 + a % 7;
  for (const bool bottom_up : {false, true}) {  // the rule sees the terms that are nothing only in the second
    const uop s = tw::simplify(e, {.bottom_up = bottom_up});
    CHECK(at(s, "a", -10) == -3);
  }
}
