// Alignment against every value of small domains.
#include "twill/ir/alignment.hpp"

#include "catch.hpp"
#include "twill/ir/uop.hpp"

using namespace twill;

namespace {

struct fact {
  interval range{};
  alignment steps{};
};
constexpr bool allows(const fact& f, i64 v) {
  if (v < f.range.lo || v > f.range.hi) return false;
  const i64 m = f.steps.modulus;
  return m == 0 ? f.range.lo == f.range.hi : floormod(scalar_kind::int64, v, m) == static_cast<i64>(f.steps.remainder);
}
constexpr fact point(i64 v) { return {{v, v}, {0, 0}}; }

// As a graph does it.
constexpr fact fact_of(op code, dtype t, dtype source, const fact& a, const fact& b, const fact& c = {}) {
  const interval ranges[] = {a.range, b.range, c.range};
  const alignment steps[] = {a.steps, b.steps, c.steps};
  const size_t count = static_cast<size_t>(traits(code).arity < 0 ? 1 : traits(code).arity);
  fact out;
  out.range = infer_bounds(code, t, source, {ranges, count}, {});
  if (out.range.lo == out.range.hi) out.steps.modulus = 0;
  else if (may_be_aligned(code, steps[0].modulus, steps[count > 1].modulus)) out.steps = infer_alignment(code, t, source, {ranges, count}, {steps, count}, out.range);
  return out;
}
constexpr fact fact_of(op code, dtype t, const fact& a, const fact& b) { return fact_of(code, is_comparison(code) ? bool_ : t, t, a, b); }
constexpr bool is(const fact& f, i64 lo, i64 hi, u32 modulus, u32 remainder) {
  return f.range == interval{lo, hi} && f.steps == alignment{modulus, remainder};
}

constexpr fact any_index{{0, 31}, {}}, fours{{0, 124}, {4, 0}}, odd{{-7, 9}, {2, 1}}, anything{full_range(int32), {}};
static_assert(is(fact_of(op::MUL, int32, any_index, point(12)), 0, 372, 12, 0));
static_assert(is(fact_of(op::MUL, int32, any_index, point(-12)), -372, 0, 12, 0));
static_assert(is(fact_of(op::ADD, int32, fours, point(7)), 7, 131, 4, 3));
static_assert(is(fact_of(op::ADD, int32, fours, odd), -7, 133, 2, 1));
static_assert(is(fact_of(op::MUL, int32, fours, odd), -868, 1116, 4, 0));
static_assert(is(fact_of(op::SUB, int32, point(1), fours), -123, 1, 4, 1));
// What wraps keeps powers of two, and the full range.
static_assert(is(fact_of(op::MUL, int32, anything, point(12)), -2147483648ll, 2147483647, 4, 0));
static_assert(is(fact_of(op::MUL, int32, anything, point(3)), -2147483648ll, 2147483647, 1, 0));
static_assert(is(fact_of(op::MUL, int8, {{-128, 127}, {}}, point(12)), -128, 127, 4, 0));
// A range's ends are values.
static_assert(is(fact_of(op::MOD, int32, {{0, 124}, {4, 0}}, point(10)), 0, 8, 2, 0));
static_assert(is(fact_of(op::MOD, int32, fours, point(4)), 0, 0, 0, 0));
static_assert(is(fact_of(op::MOD, int32, {{7, 127}, {8, 7}}, point(4)), 3, 3, 0, 0));
static_assert(is(fact_of(op::MOD, int32, {{-121, 127}, {8, 7}}, point(4)), -1, 3, 4, 3));
static_assert(is(fact_of(op::FLOORMOD, int32, {{-121, 127}, {8, 7}}, point(4)), 3, 3, 0, 0));
static_assert(is(fact_of(op::FLOORDIV, int32, {{-121, 127}, {8, 7}}, point(4)), -31, 31, 2, 1));
static_assert(is(fact_of(op::IDIV, int32, fours, point(2)), 0, 62, 2, 0));
static_assert(is(fact_of(op::IDIV, int32, fours, point(-2)), -62, 0, 2, 0));
static_assert(is(fact_of(op::SHL, int32, any_index, point(3)), 0, 248, 8, 0));
static_assert(is(fact_of(op::SHR, int32, {{-8, 120}, {8, 0}}, point(1)), -4, 60, 4, 0));
static_assert(is(fact_of(op::AND, int32, anything, point(-16)), -2147483648ll, 2147483647, 16, 0));
static_assert(is(fact_of(op::AND, int32, fours, point(3)), 0, 0, 0, 0));
static_assert(is(fact_of(op::OR, int32, fours, point(1)), 1, 125, 4, 1));
static_assert(is(fact_of(op::MAX, int32, fours, {{-2, 10}, {4, 2}}), 0, 124, 2, 0));
static_assert(is(fact_of(op::WHERE, int32, bool_, {{0, 1}, {}}, point(4), point(12)), 4, 12, 8, 4));
static_assert(is(fact_of(op::CAST, int64, int32, fours, {}), 0, 124, 4, 0));
static_assert(is(fact_of(op::CAST, uint8, int32, {{-12, 12}, {12, 0}}, {}), 0, 255, 4, 0));
// Never equal: 8 * i and 118.
static_assert(is(fact_of(op::CMPNE, int32, {{0, 248}, {8, 0}}, point(118)), 1, 1, 1, 0));
static_assert(is(fact_of(op::CMPNE, int32, {{0, 248}, {8, 0}}, {{-3, 21}, {4, 1}}), 1, 1, 1, 0));
static_assert(is(fact_of(op::CMPNE, int32, {{0, 248}, {8, 0}}, {{-3, 21}, {3, 1}}), 0, 1, 1, 0));
static_assert(fact_of(op::ADD, uint64, {{0, -8}, {8, 0}}, point(-8)).steps == alignment{8, 0});

constexpr op ops[] = {op::ADD, op::SUB, op::MUL, op::IDIV, op::MOD, op::FLOORDIV, op::FLOORMOD, op::MAX, op::MIN, op::AND, op::OR,
                      op::XOR, op::SHL, op::SHR, op::CMPLT, op::CMPNE};

vector<fact> facts(const i64* marks, int count) {
  vector<fact> out;
  for (int l = 0; l < count; ++l)
    for (int h = l; h < count; ++h) {
      if (l == h) out.push_back(point(marks[l]));
      else
        for (const alignment s : {alignment{1, 0}, alignment{2, 1}, alignment{3, 2}, alignment{4, 0}}) out.push_back({{marks[l], marks[h]}, s});
    }
  return out;
}
vector<i64> values(const fact& f) {
  vector<i64> out;
  for (i64 v = f.range.lo; v <= f.range.hi; ++v)
    if (allows(f, v)) out.push_back(v);
  return out;
}

// How often the modulus is the best one: the number of cases where it is, and of all.
struct score {
  int best = 0, all = 0, wrong = 0;
};
score check(op code, dtype t, const vector<fact>& all, bool small) {
  score out;
  const dtype result = is_comparison(code) ? bool_ : t;
  vector<vector<i64>> allowed;
  for (const fact& a : all) allowed.push_back(values(a));
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t j = 0; j < all.size(); ++j) {
      const fact &a = all[i], &b = all[j];
      const fact found = fact_of(code, t, a, b);
      u64 step = 0;
      i64 first = 0;
      bool any = false, good = true;
      for (const i64 x : allowed[i])
        for (const i64 y : allowed[j]) {
          const i64 v = exec_alu(code, result, t, {x, y});
          good = good && allows(found, v);
          if (!any) first = v;
          any = true;
          if (small) step = detail::greatest_divisor(step, detail::magnitude_of(v - first));
        }
      if (!any) continue;
      if (!good && out.wrong++ == 0)
        FAIL_CHECK(name(code) << ' ' << name(t.kind) << " [" << a.range.lo << ',' << a.range.hi << "] " << a.steps.modulus << ':' << a.steps.remainder
                              << " with [" << b.range.lo << ',' << b.range.hi << "] " << b.steps.modulus << ':' << b.steps.remainder << ": ["
                              << found.range.lo << ',' << found.range.hi << "] " << found.steps.modulus << ':' << found.steps.remainder);
      ++out.all;
      if (found.steps.modulus == step) ++out.best;
    }
  return out;
}

}  // namespace

TEST_CASE("alignment of every 8-bit op holds for every value") {
  const i64 signed_marks[] = {-128, -10, 3, 127}, unsigned_marks[] = {0, 9, 140, 255};
  for (const dtype t : {int8, uint8})
    for (const op code : ops) CHECK(check(code, t, facts(is_unsigned(t) ? unsigned_marks : signed_marks, 4), false).wrong == 0);
}

TEST_CASE("alignment of every int32 op on small ranges holds, and is the best for sums and products") {
  const i64 marks[] = {-13, -4, 0, 2, 12};
  for (const op code : ops) {
    const score s = check(code, int32, facts(marks, 5), true);
    INFO(name(code) << ": best for " << s.best << " of " << s.all);
    CHECK(s.wrong == 0);
    if (code == op::ADD || code == op::SUB || code == op::MUL) CHECK(s.best * 100 >= s.all * 90);
  }
}

TEST_CASE("alignment of casts, selections and multiply-adds holds") {
  const i64 marks[] = {-128, -10, 0, 3, 127};
  const vector<fact> all = facts(marks, 5);
  int wrong = 0;
  for (const fact& a : all) {
    for (const dtype to : {uint8, int16, uint16, int32, uint64})
      for (const op code : {op::CAST, op::BITCAST}) {
        if (code == op::BITCAST && bit_width(to.kind) != 8) continue;
        const fact found = fact_of(code, to, int8, a, {});
        for (const i64 v : values(a)) {
          const i64 made = exec_alu(code, to, int8, {v});
          if (to == uint64 && made < 0) wrong += found.steps.modulus > 1 && static_cast<u64>(made) % found.steps.modulus != found.steps.remainder;
          else wrong += !(to == uint64 ? found.steps.modulus == 0 || static_cast<u64>(made) % found.steps.modulus == found.steps.remainder : allows(found, made));
        }
      }
    const fact negated = fact_of(op::NEG, int8, a, {});
    for (const i64 v : values(a)) wrong += !allows(negated, exec_alu(op::NEG, int8, int8, {v}));
    for (const fact& b : all) {
      const fact chosen = fact_of(op::WHERE, int8, bool_, {{0, 1}, {}}, a, b), added = fact_of(op::MULACC, int8, int8, a, b, point(5));
      for (const i64 v : values(a)) wrong += !allows(chosen, v);
      for (const i64 v : values(b)) wrong += !allows(chosen, v);
      for (const i64 v : values(a))
        for (const i64 w : values(b)) wrong += !allows(added, exec_alu(op::MULACC, int8, int8, {v, w, 5}));
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("alignment at the ends of 64 bits") {
  const i64 least = min_value(scalar_kind::int64), most = max_value(scalar_kind::int64);
  const i64 ends[] = {least, least + 1, least + 7, -4294967296, -1, 0, 1, 6, 4294967295, 4294967296, most - 3, most};
  for (const dtype t : {int64, uint64})
    for (const op code : ops)
      for (const i64 c : ends)
        for (const alignment s : {alignment{6, 2}, alignment{4294967295u, 5}, alignment{1u << 31, 1u << 30}, alignment{1, 0}}) {
          // Some values of a range from 0 up, with a constant on either side.
          const fact range{{0, most}, s};
          for (int flipped = 0; flipped < 2; ++flipped) {
            const fact found = flipped != 0 ? fact_of(code, t, point(c), range) : fact_of(code, t, range, point(c));
            for (const i64 k : {i64{0}, i64{1}, i64{2}, i64{1000}, i64{1} << 30}) {
              const i64 v = k * static_cast<i64>(s.modulus) + static_cast<i64>(s.remainder);
              const i64 made = exec_alu(code, is_comparison(code) ? bool_ : t, t, {flipped != 0 ? c : v, flipped != 0 ? v : c});
              const u64 m = found.steps.modulus;
              const bool right = m == 0 ? made == found.range.lo
                                 : t == uint64 ? static_cast<u64>(made) % m == found.steps.remainder
                                               : allows(found, made);
              if (!right) FAIL(name(code) << ' ' << name(t.kind) << ' ' << c << ' ' << v << ' ' << s.modulus << ':' << s.remainder << (flipped != 0 ? " flipped" : "") << " is " << made << " not " << m << ':' << found.steps.remainder);
            }
          }
        }
  SUCCEED();
}

TEST_CASE("nodes know their alignment") {
  graph g;
  const uop i = g.var("i", 0, 31), j = g.var("j", -8, 7);
  CHECK((i * 12 + 8).get().steps == alignment{12, 8});
  CHECK((i * 12 + j * 8 + 3).get().steps == alignment{4, 3});
  CHECK(bounds((i * 12 + 8) % 4) == interval{0, 0});
  CHECK(bounds((i * 12 + 9) % 4) == interval{1, 1});
  CHECK(bounds(not_equal(i * 12 + j * 8, 6)) == interval{1, 1});
  CHECK(g.constant(int32, 5).get().steps == alignment{0, 0});
}
