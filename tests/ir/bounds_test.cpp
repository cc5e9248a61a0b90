// Bounds against every value of small domains.
#include "twill/ir/bounds.hpp"

#include "catch.hpp"
#include "twill/ir/uop.hpp"

using namespace twill;

namespace {

constexpr op integer_ops[] = {op::ADD, op::SUB, op::MUL, op::IDIV, op::MOD, op::FLOORDIV, op::FLOORMOD, op::MAX, op::MIN, op::AND, op::OR,
                              op::XOR, op::SHL, op::SHR, op::CMPLT, op::CMPNE};

constexpr interval bounds_of(op code, dtype t, interval a, interval b) {
  const interval sources[] = {a, b};
  return infer_bounds(code, is_comparison(code) ? bool_ : t, t, sources, {});
}
constexpr i64 value_of(op code, dtype t, i64 a, i64 b) { return exec_alu(code, is_comparison(code) ? bool_ : t, t, {a, b}); }

// Does the exact result of the op on int8 or uint8 differ from the wrapped one?
constexpr bool wraps(op code, dtype t, i64 a, i64 b, i64 value) {
  switch (code) {
    case op::ADD: return a + b != value;
    case op::SUB: return a - b != value;
    case op::MUL: return a * b != value;
    case op::IDIV: case op::FLOORDIV: return b != 0 && a / b != value && (code == op::IDIV || (a == -128 && b == -1));
    case op::SHL: return b >= 0 && b < bit_width(t.kind) && a * (i64{1} << b) != value;
    default: return false;
  }
}

// Samples that hold in the compiler too.
static_assert(bounds_of(op::ADD, int32, {0, 31}, {-3, 4}) == interval{-3, 35});
static_assert(bounds_of(op::ADD, int32, {0, 2147483647}, {0, 1}) == full_range(int32));
static_assert(bounds_of(op::ADD, uint64, {0, -2}, {0, 1}) == interval{0, -1});
static_assert(bounds_of(op::ADD, uint64, {0, -1}, {0, 1}) == full_range(uint64));
static_assert(bounds_of(op::MUL, int64, {0, i64{1} << 40}, {0, i64{1} << 23}) == full_range(int64));
static_assert(bounds_of(op::IDIV, int32, {-7, 7}, {2, 2}) == interval{-3, 3});
static_assert(bounds_of(op::FLOORDIV, int32, {-7, 7}, {2, 2}) == interval{-4, 3});
static_assert(bounds_of(op::IDIV, int32, {5, 7}, {0, 0}) == interval{0, 0});
static_assert(bounds_of(op::MOD, int32, {5, 7}, {0, 0}) == interval{5, 7});
static_assert(bounds_of(op::MOD, int32, {64, 71}, {64, 64}) == interval{0, 7});
static_assert(bounds_of(op::FLOORMOD, int32, {-8, -1}, {8, 8}) == interval{0, 7});
static_assert(bounds_of(op::IDIV, int8, {-128, 0}, {-1, 1}) == full_range(int8));
static_assert(bounds_of(op::SHR, int32, {-9, 9}, {40, 40}) == interval{-1, 0});
static_assert(bounds_of(op::SHL, int32, {1, 3}, {0, 32}) == full_range(int32));
static_assert(bounds_of(op::AND, int32, {128, 135}, {7, 7}) == interval{0, 7});
static_assert(bounds_of(op::CMPLT, uint64, {0, 5}, {6, -1}) == interval{1, 1});
static_assert(bounds_of(op::CMPLT, float32, {}, {}) == interval{0, 1});
static_assert(bounds_of(op::CMPNE, int32, {3, 3}, {3, 3}) == interval{0, 0});

// Floats.
constexpr interval number(double lo, double hi) { return float_bounds(lo, hi); }
constexpr interval float_bounds_of(op code, dtype t, dtype from, interval a, interval b = {}, interval c = {}) {
  const interval sources[] = {a, b, c};
  return infer_bounds(code, t, from, {sources, static_cast<size_t>(traits(code).arity < 0 ? 1 : traits(code).arity)}, {});
}
static_assert(float_bounds_of(op::CAST, float32, int32, {-3, 16777217}) == number(-3, 16777216));
static_assert(float_bounds_of(op::CAST, float16, uint64, {0, -1}) == number(0, scalar::infinity));
static_assert(float_bounds_of(op::CAST, int8, float32, number(-3.5, 300)) == interval{-3, 127});
static_assert(float_bounds_of(op::CAST, int8, float32, {}) == full_range(int8));
static_assert(float_bounds_of(op::CAST, bool_, float32, number(0.25, 1)) == interval{1, 1});
static_assert(float_bounds_of(op::CMPLT, bool_, float32, number(0, 31), number(32, 32)) == interval{1, 1});
static_assert(float_bounds_of(op::CMPLT, bool_, float32, number(0, 31), {}) == interval{0, 1});  // NaN
static_assert(float_bounds_of(op::CMPNE, bool_, float32, number(0, 0), number(-0.0, -0.0)) == interval{0, 0});
static_assert(float_bounds_of(op::MAX, float32, float32, number(0, 4), {}) == interval{});
static_assert(float_bounds_of(op::MAX, float32, float32, number(-4, 4), number(0, 0)) == number(0, 4));
static_assert(float_bounds_of(op::NEG, float32, float32, number(0, 4)) == number(-4, 0));
static_assert(has_float_bounds(number(0, 0)) && !has_float_bounds(interval{}));

bool contains(scalar_kind k, interval range, i64 v) { return !integer_less(k, v, range.lo) && !integer_less(k, range.hi, v); }

}  // namespace

TEST_CASE("bounds of every 8-bit op hold every value, and are the full range where something wraps") {
  const i64 marks[2][11] = {{-128, -127, -65, -7, -1, 0, 1, 6, 64, 126, 127}, {0, 1, 2, 7, 8, 64, 127, 128, 200, 254, 255}};
  for (const dtype t : {int8, uint8}) {
    const i64(&mark)[11] = marks[is_unsigned(t) ? 1 : 0];
    for (const op code : integer_ops) {
      const i64 least = min_value(t.kind);
      vector<i64> table;
      vector<u8> wrapped;
      for (i64 a = least; a < least + 256; ++a)
        for (i64 b = least; b < least + 256; ++b) {
          table.push_back(value_of(code, t, a, b));
          wrapped.push_back(wraps(code, t, a, b, table.back()) ? 1 : 0);
        }
      int wrong = 0;
      for (int al = 0; al < 11; ++al)
        for (int ah = al; ah < 11; ++ah)
          for (int bl = 0; bl < 11; ++bl)
            for (int bh = bl; bh < 11; ++bh) {
              const interval found = bounds_of(code, t, {mark[al], mark[ah]}, {mark[bl], mark[bh]});
              i64 lo = 1000, hi = -1000;
              bool any_wrapped = false;
              for (i64 a = mark[al]; a <= mark[ah]; ++a)
                for (i64 b = mark[bl]; b <= mark[bh]; ++b) {
                  const size_t at = static_cast<size_t>((a - least) * 256 + (b - least));
                  lo = table[at] < lo ? table[at] : lo;
                  hi = table[at] > hi ? table[at] : hi;
                  any_wrapped = any_wrapped || wrapped[at] != 0;
                }
              if (lo < found.lo || hi > found.hi || (any_wrapped && !(found == full_range(t)))) {
                if (wrong++ == 0)
                  FAIL_CHECK(name(code) << ' ' << name(t.kind) << " [" << mark[al] << ',' << mark[ah] << "] [" << mark[bl] << ','
                                        << mark[bh] << "]: [" << found.lo << ',' << found.hi << "] but is [" << lo << ',' << hi << ']');
              }
            }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("bounds of every int32 op on small intervals are sound, and exact for most") {
  int exact = 0, all = 0;
  for (const op code : integer_ops) {
    int exact_here = 0, all_here = 0, wrong = 0;
    for (i64 al = -6; al <= 6; ++al)
      for (i64 ah = al; ah <= 6; ++ah)
        for (i64 bl = -6; bl <= 6; ++bl)
          for (i64 bh = bl; bh <= 6; ++bh) {
            i64 lo = 1 << 20, hi = -(1 << 20);
            for (i64 a = al; a <= ah; ++a)
              for (i64 b = bl; b <= bh; ++b) {
                const i64 v = value_of(code, int32, a, b);
                lo = v < lo ? v : lo;
                hi = v > hi ? v : hi;
              }
            const interval found = bounds_of(code, int32, {al, ah}, {bl, bh});
            if (lo < found.lo || hi > found.hi) ++wrong;
            ++all_here;
            if (found == interval{lo, hi}) ++exact_here;
          }
    INFO(name(code) << ": exact for " << exact_here << " of " << all_here);
    CHECK(wrong == 0);
    CHECK(exact_here * 2 > all_here);
    exact += exact_here;
    all += all_here;
  }
  CHECK(exact * 100 >= all * 89);
}

TEST_CASE("bounds at the ends of the 64-bit types hold every value") {
  const u64 edges[] = {0, 1, 2, 63, 64, 0x7fffffffu, u64{1} << 62, ~u64{0} >> 1, u64{1} << 63, (u64{1} << 63) + 1, ~u64{0} - 1, ~u64{0}};
  constexpr int n = 12;
  for (const dtype t : {int64, uint64}) {
    i64 ordered[n]{};
    for (int i = 0; i < n; ++i) ordered[i] = static_cast<i64>(edges[is_signed(t) ? (i + 8) % n : i]);
    for (const op code : integer_ops)
      for (int al = 0; al < n; ++al)
        for (int ah = al; ah < n; ++ah)
          for (int bl = 0; bl < n; ++bl)
            for (int bh = bl; bh < n; ++bh) {
              const interval found = bounds_of(code, t, {ordered[al], ordered[ah]}, {ordered[bl], ordered[bh]});
              bool sound = true;
              for (int a = al; a <= ah; ++a)
                for (int b = bl; b <= bh; ++b)
                  sound = sound &&
                          contains(is_comparison(code) ? scalar_kind::bool_ : t.kind, found, value_of(code, t, ordered[a], ordered[b]));
              if (!sound)
                FAIL(name(code) << ' ' << name(t.kind) << ' ' << ordered[al] << ' ' << ordered[ah] << ' ' << ordered[bl] << ' '
                                << ordered[bh]);
            }
  }
  SUCCEED();
}

TEST_CASE("bounds of bool ops, casts, negations and multiply-adds hold every value") {
  const interval truths[] = {{0, 0}, {1, 1}, {0, 1}};
  for (const op code :
       {op::ADD, op::SUB, op::MUL, op::MAX, op::MIN, op::AND, op::OR, op::XOR, op::IDIV, op::MOD, op::CMPLT, op::CMPNE, op::SHL, op::SHR})
    for (const interval a : truths)
      for (const interval b : truths)
        for (i64 x = a.lo; x <= a.hi; ++x)
          for (i64 y = b.lo; y <= b.hi; ++y) {
            INFO(name(code));
            CHECK(contains(scalar_kind::bool_, bounds_of(code, bool_, a, b), value_of(code, bool_, x, y)));
          }
  const scalar_kind kinds[] = {scalar_kind::bool_, scalar_kind::int8,  scalar_kind::uint8,  scalar_kind::int16, scalar_kind::uint16,
                               scalar_kind::int32, scalar_kind::uint32, scalar_kind::int64, scalar_kind::uint64};
  for (const scalar_kind from : kinds)
    for (const scalar_kind to : kinds) {
      vector<i64> edges{min_value(from)};
      for (const i64 v : {i64{-300}, i64{-128}, i64{-1}, i64{0}, i64{1}, i64{127}, i64{255}, i64{256}, i64{70000}})
        if (wrap(from, v) == v && integer_less(from, edges.back(), v)) edges.push_back(v);
      if (integer_less(from, edges.back(), max_value(from))) edges.push_back(max_value(from));
      for (size_t l = 0; l < edges.size(); ++l)
        for (size_t h = l; h < edges.size(); ++h) {
          const interval source[] = {{edges[l], edges[h]}};
          for (const op code : {op::CAST, op::BITCAST, op::NEG}) {
            const dtype t{code == op::NEG ? from : to};
            const interval found = infer_bounds(code, t, dtype{from}, source, {});
            for (size_t i = l; i <= h; ++i) {
              INFO(name(code) << ' ' << name(from) << " to " << name(to) << ": " << edges[i]);
              CHECK(contains(t.kind, found, exec_alu(code, t, dtype{from}, {edges[i]})));
            }
          }
        }
    }
  const interval three[] = {{-2, 3}, {4, 5}, {-1, 1}};
  CHECK(infer_bounds(op::MULACC, int32, int32, three, {}) == interval{-11, 16});
  const interval large[] = {{0, 2147483647}, {2, 2}, {0, 0}};
  CHECK(infer_bounds(op::MULACC, int32, int32, large, {}) == full_range(int32));
}

TEST_CASE("bounds of floats hold every value, and of what may be NaN nothing is said") {
  const double values[] = {-scalar::infinity, -1e30, -65504, -2.5, -1, -0.0, 0.0, 0x1p-140, 0.75, 1, 3, 127.5, 65504, 16777217, 1e30, scalar::infinity, scalar::quiet_nan};
  constexpr size_t n = 17;  // the last one is in no range
  const scalar_kind floats[] = {scalar_kind::float16, scalar_kind::bfloat16, scalar_kind::float32, scalar_kind::float64};
  const auto within = [](interval range, i64 word) {
    const double v = double_of(word);
    return !has_float_bounds(range) || (!scalar::is_nan(v) && v >= double_of(range.lo) && v <= double_of(range.hi));
  };
  int wrong = 0;
  for (const scalar_kind from : floats) {
    i64 words[n]{};
    for (size_t i = 0; i < n; ++i) words[i] = word_of(round_to(from, values[i]));
    vector<interval> ranges{interval{}};
    vector<size_t> least{0}, end{n};
    for (size_t l = 0; l + 1 < n; ++l)
      for (size_t h = l; h + 1 < n; ++h) {
        ranges.push_back(float_bounds(double_of(words[l]), double_of(words[h])));
        least.push_back(l);
        end.push_back(h + 1);
      }
    for (size_t r = 0; r < ranges.size(); ++r) {
      for (int to = static_cast<int>(scalar_kind::bool_); to <= static_cast<int>(scalar_kind::float64); ++to) {
        const dtype t{static_cast<scalar_kind>(to)};
        const interval found = float_bounds_of(op::CAST, t, dtype{from}, ranges[r]);
        for (size_t i = least[r]; i < end[r]; ++i) {
          const i64 made = exec_alu(op::CAST, t, dtype{from}, {words[i]});
          wrong += !(is_float(t) ? within(found, made) : contains(t.kind, found, made));
        }
      }
      const interval negated = float_bounds_of(op::NEG, dtype{from}, dtype{from}, ranges[r]);
      for (size_t i = least[r]; i < end[r]; ++i) wrong += !within(negated, exec_alu(op::NEG, dtype{from}, dtype{from}, {words[i]}));
      for (size_t q = 0; q < ranges.size(); q += 5) {
        const interval chosen = float_bounds_of(op::WHERE, dtype{from}, bool_, {0, 1}, ranges[r], ranges[q]);
        for (size_t i = least[r]; i < end[r]; ++i) wrong += !within(chosen, words[i]);
        for (size_t i = least[q]; i < end[q]; ++i) wrong += !within(chosen, words[i]);
        for (const op code : {op::MAX, op::MIN, op::CMPLT, op::CMPNE, op::ADD, op::MUL}) {
          const dtype t = is_comparison(code) ? bool_ : dtype{from};
          const interval found = float_bounds_of(code, t, dtype{from}, ranges[r], ranges[q]);
          for (size_t i = least[r]; i < end[r]; i += 2)
            for (size_t j = least[q]; j < end[q]; ++j) {
              const i64 made = exec_alu(code, t, dtype{from}, {words[i], words[j]});
              wrong += !(is_float(t) ? within(found, made) : contains(t.kind, found, made));
            }
        }
      }
    }
  }
  for (const scalar_kind from : {scalar_kind::bool_, scalar_kind::int8, scalar_kind::int32, scalar_kind::int64, scalar_kind::uint64})
    for (const scalar_kind to : floats) {
      const i64 edges[] = {min_value(from), static_cast<i64>(from != scalar_kind::bool_ ? 5 : 0), max_value(from)};
      for (int l = 0; l < 3; ++l)
        for (int h = l; h < 3; ++h) {
          const interval found = float_bounds_of(op::CAST, dtype{to}, dtype{from}, {edges[l], edges[h]});
          for (int i = l; i <= h; ++i) wrong += !has_float_bounds(found) || !within(found, exec_alu(op::CAST, dtype{to}, dtype{from}, {edges[i]}));
        }
    }
  CHECK(wrong == 0);
}

TEST_CASE("comparisons of casts of indices are known") {
  graph g;
  const uop i = g.var("i", 0, 31), x = cast(i, float32), unknown = g.var("f", 0, 0, float32);
  CHECK(bounds(x < 32.0) == interval{1, 1});
  CHECK(bounds(x < 31.0) == interval{0, 1});
  CHECK(bounds(max(x, 4.0) < 4.0) == interval{0, 0});
  CHECK(bounds(max(unknown, 4.0) < 4.0) == interval{0, 1});
  CHECK(bounds(cast(x, int32)) == interval{0, 31});
  CHECK(bounds(cast(unknown, int8)) == interval{-128, 127});
}

TEST_CASE("bounds of index nodes") {
  graph g;
  const i64 loop[] = {0, 2, 10}, id[] = {7}, thread[] = {32, 0};
  CHECK(bounds(g.make(op::RANGE, int32, {}, loop)) == interval{2, 9});
  CHECK(bounds(g.make(op::RANGE, int32, {g.constant(int32, 0), g.constant(int32, 5)}, id)) == interval{0, 4});
  CHECK(bounds(g.make(op::SPECIAL, int32, {}, thread)) == interval{0, 31});
  const uop i = g.var("i", 0, 31), j = g.var("j", -5, 63);
  CHECK(bounds(i * 64 + j) == interval{-5, 2047});
  CHECK(bounds(where(i < 32, i, j)) == interval{0, 31});
  CHECK(bounds(where(i < 31, i, j)) == interval{-5, 63});
  CHECK(bounds(cast(i, uint8)) == interval{0, 31});
  CHECK(bounds(cast(j, uint8)) == interval{0, 255});
  CHECK(bounds(cast(i < 5, int32)) == interval{0, 1});
  const i64 words[] = {3, 1, 2};
  CHECK(bounds(g.make(op::VCONST, int32.with_lanes(3), {}, words)) == interval{1, 3});
}
