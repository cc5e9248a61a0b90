// Simplification: what must become what, in the compiler and at run time, and that no rule changes a value.
#include "catch.hpp"

#include <twill/symbolic.hpp>

namespace tw = twill;
using tw::i64;
using tw::u32;
using tw::u64;

namespace {

constexpr auto i = tw::var<"i">(0, 31);
constexpr auto j = tw::var<"j">(0, 63);
constexpr auto k = tw::var<"k">(-8, 7);
constexpr auto flat = i * 64 + j;
static_assert(tw::simplify(flat / 64) == i);
static_assert(tw::simplify(flat % 64) == j);
static_assert(tw::simplify((flat / 64) * 64 + flat % 64) == tw::simplify(flat));
static_assert(tw::simplify(flat < 2048) == true);
static_assert(tw::simplify(tw::where(flat < 2048, i, j)) == i);
static_assert(tw::simplify(tw::max(i + 100, j)) == i + 100);
static_assert(tw::simplify((i + j) + (i * 3)) == tw::simplify(i * 4 + j));
static_assert(tw::simplify((k * 4 + 3) / 4) != k);
static_assert(tw::simplify(k * 4 / 4) == k);
static_assert(tw::simplify(i / 4 / 8) == 0);
static_assert(tw::simplify(i + 0) == i && tw::simplify(i * 0) == 0 && tw::simplify(j + i) == tw::simplify(i + j));

bool simplifies_to(tw::uop from, tw::uop to) { return tw::simplify(from) == tw::simplify(to); }

struct random_source {
  u64 state;
  u32 operator()(u32 below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<u32>(state >> 33) % below;
  }
};

// A random expression over the variables, biased to what index arithmetic looks like.
tw::uop random_expression(tw::graph& g, random_source& r, tw::dtype type, const tw::uop* vars, u32 var_count, int size) {
  tw::vector<tw::uop> pool;
  for (u32 n = 0; n < var_count; ++n) pool.push_back(vars[n]);
  tw::vector<tw::uop> conditions;
  const auto constant = [&] {
    static constexpr i64 values[] = {0, 1, -1, 2, 3, 4, 5, 6, 8, 12, -2, -3, -4, 7, 16};
    return g.constant(type, values[r(tw::is_unsigned(type) ? 10 : 15)]);
  };
  for (int n = 0; n < size; ++n) {
    const tw::uop a = pool[r(static_cast<u32>(pool.size()))], b = r(2) != 0 ? constant() : pool[r(static_cast<u32>(pool.size()))];
    switch (r(14)) {
      case 0: case 1: case 2: pool.push_back(a + b); break;
      case 3: case 4: pool.push_back(a * (r(4) != 0 ? constant() : b)); break;
      case 5: case 6: pool.push_back(a / (r(8) != 0 ? constant() : b)); break;
      case 7: case 8: pool.push_back(a % (r(8) != 0 ? constant() : b)); break;
      case 9: pool.push_back(r(2) != 0 ? tw::max(a, b) : tw::min(a, b)); break;
      case 10: conditions.push_back(r(2) != 0 ? a < b : b < a); break;
      case 11: conditions.push_back(r(2) != 0 ? tw::not_equal(a, b) : a >= b); break;
      case 12:
        if (conditions.size() > 1) {
          const tw::uop p = conditions[r(static_cast<u32>(conditions.size()))], q = conditions[r(static_cast<u32>(conditions.size()))];
          conditions.push_back(r(3) == 0 ? !p : r(2) != 0 ? p & q : p | q);
        }
        break;
      default:
        if (!conditions.empty()) pool.push_back(tw::where(conditions[r(static_cast<u32>(conditions.size()))], a, b));
    }
  }
  if (!conditions.empty() && r(3) == 0) return conditions.back();
  return pool.back();
}

// Values, containment in the bounds, and that simplifying again changes nothing.
void check_random(tw::dtype type, u64 seed, int rounds, i64 lo, i64 hi) {
  random_source r{seed};
  for (int round = 0; round < rounds; ++round) {
    tw::graph g;
    const i64 a0 = lo + r(static_cast<u32>(hi - lo + 1)), b0 = lo + r(static_cast<u32>(hi - lo + 1));
    const tw::uop vars[] = {g.var("a", a0, a0 + r(7), type), g.var("b", b0, b0 + r(5), type)};
    const tw::uop e = random_expression(g, r, type, vars, 2, 3 + static_cast<int>(r(12)));
    const tw::uop s = tw::simplify(e);
    bool right = tw::simplify(s) == s;
    i64 bad_a = 0, bad_b = 0;
    for (i64 a = vars[0].lo(); a <= vars[0].hi(); ++a)
      for (i64 b = vars[1].lo(); b <= vars[1].hi(); ++b) {
        const tw::binding at[] = {{"a", a}, {"b", b}};
        const i64 before = tw::evaluate(e, tw::span<const tw::binding>(at, 2)), after = tw::evaluate(s, tw::span<const tw::binding>(at, 2));
        if (before != after || after < s.lo() || after > s.hi()) {
          right = false;
          bad_a = a;
          bad_b = b;
        }
      }
    if (right) continue;
    INFO("seed " << seed << " round " << round << " at a = " << bad_a << ", b = " << bad_b);
    INFO(tw::render(e).c_str());
    INFO(tw::render(s).c_str());
    CHECK(right);
    return;
  }
}

}  // namespace

TEST_CASE("index arithmetic at run time") {
  tw::graph g;
  const tw::uop row = g.var("row", 0, 4095), col = g.var("col", 0, 255);
  const tw::uop index = row * 256 + col;
  CHECK(simplifies_to((index / 256) * 256 + index % 256, index));
  CHECK(tw::simplify(index / 256) == row);
  CHECK(tw::simplify(index % 256) == col);
  CHECK(simplifies_to(index / 128, row * 2 + col / 128));
  CHECK(simplifies_to(index / 512, row / 2));
  CHECK(simplifies_to(index % 512, row % 2 * 256 + col));
  CHECK(simplifies_to((row + 3) + 4 + col - 7, row + col));
  CHECK(simplifies_to((col + 0) / 4 + (col + 1) / 4 + (col + 2) / 4 + (col + 3) / 4, col));
  CHECK(simplifies_to(row * 4 + 2 < 10, row < 2));
  CHECK(tw::simplify(tw::not_equal(row * 8, 118)).is_constant(1));
  CHECK(simplifies_to(row * 4 + col / 64 < 16, row < 4));
}

TEST_CASE("division truncates: negative operands keep their values") {
  tw::graph g;
  const tw::uop n = g.var("n", -10, 10), m = g.var("m", -5, -2);
  CHECK(tw::simplify(m / 10).is_constant(0));
  CHECK(tw::simplify(m % 36) == m);
  CHECK(tw::simplify((n * 4 + 3) / 4) != n);
  CHECK(tw::simplify(n / -4) == n / -4);
  CHECK(simplifies_to((n * 4) / -8, n / -2));
  CHECK(simplifies_to(n % -4, n % 4));
}

TEST_CASE("arithmetic that can wrap keeps its values") {
  tw::graph g;
  const tw::uop u = g.var("u", 0, 255, tw::uint8);
  CHECK_FALSE(tw::simplify(u + 10 < 5).is_constant());
  CHECK_FALSE(tw::simplify(u + 1 < u).is_constant());
  CHECK(simplifies_to((u + 200) + 100, u + 44));
}

TEST_CASE("floats keep their bits") {
  tw::graph g;
  const tw::uop f = g.var("f", 0, 0, tw::float32);
  CHECK(tw::simplify(f * 1.0) == f);
  CHECK(tw::simplify(f + -0.0) == f);
  CHECK(tw::simplify(f + 0.0) == f + 0.0);
  CHECK(tw::simplify(f * 0.0) == f * 0.0);
  CHECK(tw::simplify(tw::not_equal(f, f)) == tw::not_equal(f, f));
  CHECK(tw::simplify(f < f).is_constant(0));
}

TEST_CASE("casts") {
  tw::graph g;
  const tw::uop b = g.var("b", -128, 127, tw::int8);
  CHECK(tw::simplify(tw::cast(tw::cast(b, tw::int32), tw::int8)) == b);
  const tw::uop through = tw::cast(tw::cast(b, tw::float32), tw::uint8);
  CHECK(tw::simplify(through) == through);  // saturates, where int8 to uint8 wraps
}

TEST_CASE("values under a gate") {
  tw::graph g;
  const tw::uop a = g.var("a", 0, 15), b = g.var("b", 0, 15);
  CHECK(tw::given_valid(a < 4, a % 4) == a);
  CHECK(tw::given_valid((a < 8) & (b < 4), (a * 4 + b) / 4) == a);
  CHECK(tw::simplify_valid((a < 4) & (a < 8)) == (a < 4));
  for (const auto& [gate, value] : {std::pair{a >= 6, (a - 6) % 24}, std::pair{(a + b < 9) & (a >= 2), (a + b) % 9 + a / 2}}) {
    const tw::uop narrowed = tw::given_valid(gate, value), gate2 = tw::simplify_valid(gate);
    for (i64 x = 0; x <= 15; ++x)
      for (i64 y = 0; y <= 15; ++y) {
        const tw::binding at[] = {{"a", x}, {"b", y}};
        const tw::span<const tw::binding> there(at, 2);
        REQUIRE(tw::evaluate(gate, there) == tw::evaluate(gate2, there));
        if (tw::evaluate(gate, there) != 0) REQUIRE(tw::evaluate(value, there) == tw::evaluate(narrowed, there));
      }
  }
}

TEST_CASE("random expressions keep their values") {
  check_random(tw::int32, 1, 4000, 0, 20);
  check_random(tw::int32, 2, 4000, -12, 6);
  check_random(tw::int64, 3, 2000, -12, 6);
  check_random(tw::int8, 4, 4000, -128, 120);
  check_random(tw::uint8, 5, 4000, 0, 240);
  check_random(tw::int16, 6, 2000, -32768, 32000);
  check_random(tw::uint32, 7, 2000, 0, 50);
  check_random(tw::int32, 8, 2000, 2147483000, 2147483600);
}

TEST_CASE("long sums and deep chains") {
  tw::graph g;
  tw::uop sum = g.var("a", 0, 1, tw::int64);
  const tw::uop b = g.var("b", 0, 3, tw::int64);
  for (int n = 0; n < 100'000; ++n) sum = sum + b;
  CHECK(simplifies_to(sum, g.var("a", 0, 1, tw::int64) + b * 100'000));
}
