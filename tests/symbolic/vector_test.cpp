// Constants and elements of vectors.
#include "catch.hpp"

#include <twill/symbolic.hpp>

using namespace twill;

namespace {

constexpr uop lanes(graph& g, std::initializer_list<i64> words, dtype type = int32) {
  return g.make(op::VCONST, type.with_lanes(static_cast<u16>(words.size())), {}, span<const i64>(words.begin(), words.size()));
}
constexpr uop gep(uop of, std::initializer_list<i64> which) {
  return of.owner->make(op::GEP, of.type().with_lanes(static_cast<u16>(which.size())), {of}, span<const i64>(which.begin(), which.size()));
}
constexpr uop vectorize(std::initializer_list<uop> of) {
  const uop first = *of.begin();
  return first.owner->make(op::VECTORIZE, first.type().with_lanes(static_cast<u16>(of.size())), of);
}

constexpr bool folds() {
  graph g;
  const dtype four = int32.with_lanes(4);
  const uop iota = lanes(g, {0, 1, 2, 3});
  return simplify(iota * g.constant(four, 64)) == lanes(g, {0, 64, 128, 192}) && simplify(iota + lanes(g, {3, 2, 1, 0})) == g.constant(four, 3) &&
         simplify(iota < g.constant(four, 2)) == lanes(g, {1, 1, 0, 0}, bool_) && simplify(iota / g.constant(four, 4)) == g.constant(four, 0) &&
         simplify(cast(iota, int8.with_lanes(4))) == lanes(g, {0, 1, 2, 3}, int8) &&
         simplify(lanes(g, {250, 10}, uint8) + g.constant(uint8.with_lanes(2), 10)) == lanes(g, {4, 20}, uint8) &&
         simplify(where(lanes(g, {1, 0}, bool_), g.constant(int32.with_lanes(2), 5), lanes(g, {6, 7}))) == lanes(g, {5, 7}) &&
         simplify(bitcast(lanes(g, {-1, 1}), uint32.with_lanes(2))) == lanes(g, {4294967295, 1}, uint32);
}
constexpr bool folds_floats() {
  graph g;
  const i64 words[] = {word_of(0.5), word_of(-0.0)}, doubled[] = {word_of(1), word_of(-0.0)};
  const dtype two = float32.with_lanes(2);
  return simplify(g.make(op::VCONST, two, {}, words) * g.constant(two, 2.0)) == g.make(op::VCONST, two, {}, doubled) &&
         simplify(cast(g.make(op::VCONST, two, {}, words), int32.with_lanes(2))) == g.constant(int32.with_lanes(2), 0) &&
         // A sum with 0.0 is not its other operand: -0.0 + 0.0 is 0.0.
         simplify(g.make(op::VCONST, two, {}, words) + g.constant(two, 0.0)).argument(1) == word_of(0.0);
}
constexpr bool picks() {
  graph g;
  const uop a = g.var("a", 0, 9), b = g.var("b", 0, 9), c = g.var("c", 0, 9), v = g.var("v", 0, 9, int32.with_lanes(4));
  return simplify(gep(lanes(g, {7, 8, 9, 10}), {1, 3})) == lanes(g, {8, 10}) && simplify(gep(lanes(g, {7, 8}), {1})) == g.constant(int32, 8) &&
         simplify(gep(g.constant(int32.with_lanes(4), 3), {2})) == g.constant(int32, 3) && simplify(gep(vectorize({a, b, c}), {2})) == c &&
         simplify(gep(vectorize({a, b, c}), {2, 0})) == vectorize({c, a}) && simplify(gep(gep(v, {3, 1, 0}), {2, 0})) == gep(v, {0, 3}) &&
         simplify(gep(v, {0, 1, 2, 3})) == v && simplify(gep(v, {1, 0, 2, 3})) == gep(v, {1, 0, 2, 3});
}
constexpr bool joins() {
  graph g;
  const uop a = g.var("a", 0, 9), b = g.var("b", 0, 9), v = g.var("v", 0, 9, int32.with_lanes(4));
  return simplify(vectorize({g.constant(int32, 4), g.constant(int32, 5)})) == lanes(g, {4, 5}) &&
         simplify(vectorize({g.constant(int32, 4), g.constant(int32, 4)})) == g.constant(int32.with_lanes(2), 4) && simplify(vectorize({a})) == a &&
         simplify(vectorize({a, b})) == vectorize({a, b}) && simplify(vectorize({gep(v, {2}), gep(v, {0})})) == gep(v, {2, 0}) &&
         simplify(vectorize({gep(v, {0}), gep(v, {1}), gep(v, {2}), gep(v, {3})})) == v && simplify(vectorize({gep(v, {0}), a})) == vectorize({gep(v, {0}), a});
}
static_assert(folds());
static_assert(folds_floats());
static_assert(picks());
static_assert(joins());

}  // namespace

TEST_CASE("vector constants fold lane by lane") {
  CHECK(folds());
  CHECK(folds_floats());
}
TEST_CASE("elements of vectors") { CHECK(picks()); }
TEST_CASE("vectors of elements") { CHECK(joins()); }
