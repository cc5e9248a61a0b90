// Float rules keep every bit; what is left alone has an input at which the shorter form would differ.
#include "catch.hpp"

#include <twill/symbolic.hpp>

namespace tw = twill;
using tw::i64;
using tw::uop;

namespace {

const double infinity = __builtin_inf(), not_a_number = __builtin_nan("");

// Variables take integer values, so floats are put in as constants.
i64 value(uop u, uop x, uop y, double a, double b) {
  const tw::replacement at[] = {{x, u.owner->constant(tw::float32, a)}, {y, u.owner->constant(tw::float32, b)}};
  return tw::evaluate_constant(tw::substitute(u, tw::span<const tw::replacement>(at, 2)), {}).word;
}
bool same_bits(i64 a, i64 b) { return a == b || (tw::double_of(a) != tw::double_of(a) && tw::double_of(b) != tw::double_of(b)); }
// Float values at which float laws break.
const double edges[] = {0.0, -0.0, 1.0, -1.0, 0x1.99999ap-4, 3.0, -2.5, 7.25, infinity, -infinity, not_a_number, 0x1.fffffep127, -0x1.fffffep127, 0x1p-126, 0x1p-149, -0x1.8p-148, 0x1.921fb6p1};

uop square_root(uop a) { return tw::alu(tw::op::SQRT, a); }
uop exp_2(uop a) { return tw::alu(tw::op::EXP2, a); }
uop log_2(uop a) { return tw::alu(tw::op::LOG2, a); }

}  // namespace

TEST_CASE("exact float rules") {
  tw::graph g;
  const uop x = g.var("x", 0, 0, tw::float32), y = g.var("y", 0, 0, tw::float32);
  const auto f = [&](double v) { return g.constant(tw::float32, v); };
  const std::pair<uop, uop> pairs[] = {
      {x * -2.5 * -1.0, x * 2.5},
      {(x + x) * (x * -1.0), x * (x * -2.0)},
      {x * 3.0 * (y * -1.0), x * -3.0 * y},
      {x * 2.0 + x * 4.0, x * 6.0},
      {x * 2.0 + x, x * 3.0},
      {x * 3.0 + x, x * 4.0},
      {(x * 2.0 + x) + x, x * 4.0},
      {x * f(not_a_number), f(not_a_number)},
      {tw::where(f(not_a_number) < x, x, y), y},
      {tw::where(x < f(not_a_number), x, y), y},
      {tw::where(x < f(-infinity), x, y), y},
      {exp_2(f(-2)), f(0.25)},
      {log_2(f(0)), f(-infinity)},
      {tw::alu(tw::op::SIN, f(0)), f(0)},
      {y * exp_2(f(3)), y * 8.0},
  };
  for (const auto& [from, to] : pairs) {
    INFO(tw::render(from).c_str());
    const uop made = tw::simplify(from);
    INFO(tw::render(made).c_str());
    CHECK(made == tw::simplify(to));
    bool same = true;
    for (const double a : edges)
      for (const double b : edges) same = same && same_bits(value(from, x, y, a, b), value(made, x, y, a, b));
    CHECK(same);
  }
  // x * 3 + x: all that is left of the rounding of x * 3 is less than half a unit of x * 4, or a tie that goes back to it.
  bool exact = true;
  for (i64 bits = 0x3f800000; bits < 0x40000000; bits += 97) {
    const double v = static_cast<double>(__builtin_bit_cast(float, static_cast<tw::u32>(bits)));
    exact = exact && value(x * 3.0 + x, x, y, v, 0) == value(x * 4.0, x, y, v, 0);
    if (bits > 0x3f800000 + 97 * 400 && bits < 0x3fffff00 - 97 * 400) bits += 97 * 150;
  }
  CHECK(exact);
  // Doublings of two signs, and factors that round, stay apart.
  CHECK(tw::simplify(x * 4.0 + x * -2.0) != x * 2.0);
  CHECK(tw::simplify(x * 2.0 + x * 3.0) != x * 5.0);
}

// Real algebra makes these shorter (tinygrad does); the bits would differ somewhere.
TEST_CASE("float forms that are not exact stay") {
  tw::graph g;
  const uop x = g.var("x", 0, 0, tw::float32), y = g.var("y", 0, 0, tw::float32);
  const auto f = [&](double v) { return g.constant(tw::float32, v); };
  struct form {
    const char* id;  // of the case in the measured data
    uop from, shorter;
  };
  const uop nothing = x + x * -1.0;
  const form forms[] = {
      {"float/0003", nothing * 3.5, f(0)},
      {"float/0029", (x + x) + x * 0.0, x * 2.0},
      {"float/0039", (x + 3.0) * 0.0 + square_root(x * x), square_root(x * x)},
      {"float/0104", square_root(nothing), f(0)},
      {"float/0137", x * 0.0 + y * 0.5, y * 0.5},
      {"float/0158", log_2(nothing) + x * -0.0, f(-infinity)},
      {"float/0194", y * 0.0 + tw::where(tw::not_equal(x, f(-2.5)), f(1), y), tw::where(tw::not_equal(x, f(-2.5)), f(1), y)},
      {"float/0214", exp_2(nothing), f(1)},
      {"float/0215", x * 0.5 + x * f(-infinity), x * f(-infinity)},
      {"float/0216", x * -2.5 + x * -2.5, x * -5.0},
      {"float/0228", x * 0x1.4484cp-100 + x * 0.0, x * 0x1.4484cp-100},
      {"float/0252", tw::max(x + x * 0.0, x * -1.0), tw::max(x, x * -1.0)},
      {"float/0262", square_root(y * 0.0 + y * 0.5), square_root(y * 0.5)},
      {"float/0295", x * 2.0 + x * 0x1.99999ap-4, x * 0x1.0ccccep1},
      {"float/0272", x + 0.0, x},
      {"float/0299", tw::max(nothing, x * x), tw::max(f(0), x * x)},
  };
  for (const form& each : forms) {
    INFO(each.id);
    bool differ = false;
    for (const double a : edges)
      for (const double b : edges) differ = differ || !same_bits(value(each.from, x, y, a, b), value(each.shorter, x, y, a, b));
    CHECK(differ);
    CHECK(tw::simplify(each.from) != tw::simplify(each.shorter));
  }
}
