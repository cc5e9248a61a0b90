// Values and gates under a gate: what must become what, and that nothing changes where the gate holds.
#include <string>

#include "catch.hpp"
#include "twill/ir/evaluate.hpp"
#include "twill/symbolic/valid.hpp"

using namespace twill;

namespace {

struct variables {
  uop x, y, z;
};
constexpr variables variables_of(graph& g) { return {g.var("x", 0, 15), g.var("y", -4, 7), g.var("z", 0, 3)}; }

template <class F>
constexpr bool index_becomes(F make, const char* expected) {
  graph g;
  const auto [valid, index] = make(variables_of(g));
  return render(given_valid(valid, index)) == text_view(expected);
}
template <class F>
constexpr bool gate_becomes(F make, const char* expected) {
  graph g;
  return render(simplify_valid(make(variables_of(g)))) == text_view(expected);
}
struct gated {
  uop valid, index;
};

static_assert(index_becomes([](variables v) { return gated{v.x < 4, v.x % 4}; }, "x"));
static_assert(index_becomes([](variables v) { return gated{v.x + v.z * 3 < 3, v.x / 3 + v.z}; }, "0"));
static_assert(gate_becomes([](variables v) { return (v.x < 4) & (v.x < 8); }, "(x<4)"));

struct index_example {
  gated (*make)(variables);
  const char* expected;
};
const index_example indices[] = {
    {[](variables v) { return gated{v.x < 4, v.x % 4}; }, "x"},
    {[](variables v) { return gated{v.x >= 12, v.x / 4}; }, "3"},
    {[](variables v) { return gated{!(v.x < 12), v.x / 4}; }, "3"},
    {[](variables v) { return gated{v.y >= 0, v.y % 8}; }, "y"},                                           // a sign from the gate
    {[](variables v) { return gated{(v.x < 8) & (v.y >= 0) & (v.y < 4), (v.x * 4 + v.y) / 4}; }, "x"},       // several clauses
    {[](variables v) { return gated{v.x + v.z * 3 < 10, (v.x + v.z * 3) % 10}; }, "(x+(z*3))"},              // a clause of a sum, as one
    {[](variables v) { return gated{v.x + v.z * 8 < 8, v.z}; }, "0"},                                        // and of its terms
    {[](variables v) { return gated{(v.x + v.z * 8 < 9) & (v.x >= 1), v.z}; }, "0"},                         // in either order
    {[](variables v) { return gated{v.x * -2 + v.z < -24, v.x / 13}; }, "1"},                                // a negative factor
    {[](variables v) { return gated{v.x / 4 < 1, v.x / 4 + v.x % 4}; }, "x"},                                // x / 4 as a bound of x
    {[](variables v) { return gated{v.x % 8 < 4, v.x % 8 / 4}; }, "0"},
    {[](variables v) { return gated{v.x / 2 % 3 < 1, v.x / 2 % 3 + v.z}; }, "z"},
    {[](variables v) { return gated{v.x < v.z, v.x / 3}; }, "0"},                                            // of two variables: x <= 2
    {[](variables v) { return gated{equal_to(v.x, 5), v.x * 3 + v.z}; }, "(z+15)"},
    {[](variables v) { return gated{not_equal(v.z, 3), (v.x * 3 + v.z) / 3}; }, "x"},                        // all but the last
    {[](variables v) { return gated{v.x < v.y, where(v.x < v.y, v.x, v.z)}; }, "x"},                         // the clause itself
    {[](variables v) { return gated{!((v.x < 8) | (v.z < 2)), v.x / 8 + v.z / 2}; }, "2"},                   // neither
    {[](variables v) { return gated{(v.x < 2) & (v.x >= 6), v.x % 4}; }, "(x%4)"},                           // never holds: as it is
};
struct gate_example {
  uop (*make)(variables);
  const char* expected;
};
const gate_example gates[] = {
    {[](variables v) { return (v.x < 4) & (v.x < 8); }, "(x<4)"},
    {[](variables v) { return (v.x < 8) & (v.x < 4) & (v.z < 4); }, "(x<4)"},
    {[](variables v) { return (v.x < 8) & (v.x + v.z < 11); }, "(x<8)"},                          // implied
    {[](variables v) { return (v.x < 3) & ((v.x + v.z * 3) / 3 < 2); }, "((z<2)&(x<3))"},          // simpler where the other holds
    {[](variables v) { return (v.x < 3) & (v.x % 4 >= 3); }, "False"},                            // never
    {[](variables v) { return (v.x < 2) & (v.x >= 6); }, "False"},
    {[](variables v) { return (v.x < v.z) & (v.x < 3); }, "(x<z)"},
    {[](variables v) { return v.x < 16; }, "True"},
};

void check_everywhere(uop valid, uop index) {
  const uop given = given_valid(valid, index), less = simplify_valid(valid);
  const bool never = never_holds(less);
  bool right = simplify_valid(less) == less;
  for (i64 x = 0; x <= 15; ++x)
    for (i64 y = -4; y <= 7; y += y % 2 == 0 ? 1 : 3)
      for (i64 z = 0; z <= 3; ++z) {
        const binding at[] = {{"x", x}, {"y", y}, {"z", z}};
        const bool holds = evaluate(valid, at) != 0;
        right = right && holds == (evaluate(less, at) != 0) && (!holds || evaluate(index, at) == evaluate(given, at)) && !(holds && never);
      }
  INFO(render(index).c_str() << " to " << render(given).c_str() << " where " << render(valid).c_str() << ", " << render(less).c_str());
  CHECK(right);
}

}  // namespace

TEST_CASE("an index under a gate") {
  for (const index_example& each : indices) {
    graph g;
    const gated made = each.make(variables_of(g));
    CHECK(std::string(render(given_valid(made.valid, made.index)).c_str()) == each.expected);
    check_everywhere(made.valid, made.index);
  }
}

TEST_CASE("a gate without what it implies") {
  for (const gate_example& each : gates) {
    graph g;
    const uop made = each.make(variables_of(g));
    CHECK(std::string(render(simplify_valid(made)).c_str()) == each.expected);
    CHECK(never_holds(made) == (std::string(each.expected) == "False"));
    check_everywhere(made, g.var("x", 0, 15) * 4 % 24 / 3);
  }
}

TEST_CASE("random gates and indices") {
  u64 state = 7;
  const auto random = [&](u32 below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<u32>(state >> 33) % below;
  };
  for (int round = 0; round < 80; ++round) {
    graph g;
    const variables v = variables_of(g);
    const auto value = [&] {
      const uop terms[] = {v.x, v.y, v.z, v.x + v.y * 2, v.x * 3 + v.z - 7, v.y + v.z * 5, v.x % 6, v.y / 2, max(v.x, v.y)};
      const uop a = terms[random(9)], b = terms[random(9)];
      switch (random(5)) {
        case 0: return a + b;
        case 1: return a / (1 + static_cast<i64>(random(6)));
        case 2: return a % (1 + static_cast<i64>(random(6)));
        case 3: return a - b;
        default: return a;
      }
    };
    const auto clause = [&] {
      const i64 c = static_cast<i64>(random(14)) - 3;
      switch (random(6)) {
        case 0: return value() < c;
        case 1: return value() >= c;
        case 2: return value() < value();
        case 3: return not_equal(value(), c);
        case 4: return equal_to(value() % 5, c);
        default: return (value() < c) | (value() >= c + 3);
      }
    };
    uop valid = clause();
    for (u32 n = random(3); n > 0; --n) valid = valid & (random(5) == 0 ? !clause() : clause());
    check_everywhere(valid, (value() + value() * 2) % 7 + where(clause(), value() / 3, value()));
  }
}

TEST_CASE("gates of many clauses take bounded time") {
  graph g;
  uop valid = g.constant(bool_, 1), index = g.constant(int32, 0);
  for (int n = 0; n < 400; ++n) {
    text name("v");
    name << n;
    const uop v = g.var(name.view(), 0, 100);
    valid = valid & (v < 50);
    index = index + v % 50;
  }
  CHECK(given_valid(valid, index).owner == &g);
  CHECK(simplify_valid(valid).owner == &g);
}
