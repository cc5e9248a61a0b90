// tw::array: expressions, conversions, lifetimes, aliasing.
#include <twill/array.hpp>

#include <cmath>
#include <string>
#include <type_traits>

#include "catch.hpp"

namespace tw = twill;
using namespace tw::literals;

namespace {

template <class E, class T, tw::i64... Sizes>
constexpr bool evaluates_to = std::is_same_v<decltype(tw::eval(std::declval<E>())), tw::array<T, Sizes...>>;

using a23 = tw::array<float, 2, 3>;
using i3 = tw::array<int, 3>;

}  // namespace

TEST_CASE("the type of a value") {
  const a23 a{1, 2, 3, 4, 5, 6};
  const i3 i{1, -2, 3};
  const auto sum = a + i;
  static_assert(evaluates_to<decltype(sum), float, 2, 3>);
  static_assert(evaluates_to<decltype(i * 2), int, 3>);
  static_assert(evaluates_to<decltype(i * 2.5), float, 3>);
  static_assert(evaluates_to<decltype(a < 3), bool, 2, 3>);
  static_assert(evaluates_to<decltype(tw::argmax(a, 1_c)), int, 2>);
  static_assert(evaluates_to<decltype(tw::mean(i)), float>);
  static_assert(evaluates_to<decltype(tw::cast<double>(a)), double, 2, 3>);
  static_assert(!tw::broadcastable<tw::dims<2, 3>, tw::dims<2>> && tw::matmul_compatible<tw::dims<2, 3>, tw::dims<3, 4>>);
  CHECK(tw::eval(sum)(1, 1) == 3);
}

TEST_CASE("expressions compute") {
  const a23 a{1, 2, 3, 4, 5, 6};
  const tw::array<float, 3> b{10, 20, 30};
  const a23 c = a * 2.0f + b;
  CHECK(c(0, 0) == 12);
  CHECK(c(1, 2) == 42);
  const tw::array<float, 2, 2> m = tw::matmul(a, tw::transpose(a));
  CHECK(m(0, 1) == 32);
  const auto w = tw::eval(tw::where(a > 3, a, 0));
  CHECK(w(0, 2) == 0);
  CHECK(w(1, 0) == 4);
  const auto both = tw::eval((a == 3) == (a != 4));
  CHECK(both(0, 2));
  const auto hot = tw::eval(tw::one_hot(tw::array<int, 2>{2, 0}, 3_c));
  CHECK((hot(0, 2) == 1 && hot(1, 0) == 1 && hot(0, 0) == 0));
  const auto r = tw::eval(tw::arange<4>() * 3 + tw::full<2, 4>(1));
  CHECK((r(0, 0) == 1 && r(1, 3) == 10));
  const tw::array<float> s = tw::sum(a);
  CHECK(s() == 21);
  const auto p = tw::eval(tw::softmax(a));
  CHECK(p(0, 2) == Approx(0.66524096));
}

TEST_CASE("elements convert on assignment, as in C++") {
  const tw::array<float, 3> f{1.9f, -1.9f, 3e9f};
  const i3 i = f + 0.0f;
  CHECK((i(0) == 1 && i(1) == -1 && i(2) == 2147483647));  // truncates, saturates
  const i3 same = f;
  CHECK((same(0) == 1 && same(1) == -1 && same(2) == 2147483647));
  tw::array<signed char, 3> small;
  small = tw::array<int, 3>{300, -1, 127};
  CHECK((small(0) == 44 && small(1) == -1 && small(2) == 127));  // wraps
  const tw::array<double, 3> d = tw::array<int, 3>{1, 2, 3} / 2;
  CHECK((d(0) == 0 && d(1) == 1 && d(2) == 1));  // integers divide as integers
}

TEST_CASE("an expression owns its temporaries") {
  const auto make = [] { return a23{1, 2, 3, 4, 5, 6}; };
  const auto e = tw::exp(make() * 0.0f) + make();
  const a23 v = e;
  CHECK((v(0, 0) == 2 && v(1, 2) == 7));
}

TEST_CASE("assignment in place") {
  a23 a{1, 2, 3, 4, 5, 6};
  a = a * 2 + a;
  CHECK(a(1, 2) == 18);
  a += 1;
  a /= 2;
  CHECK(a(0, 0) == 2);
  tw::array<float, 3, 3> m{1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::string said;
  try {
    m = tw::transpose(m) + 1;
  } catch (const tw::alias_error& e) {
    said = e.what();
  }
  CHECK(said == "output 0 overlaps operand 0: an output may only equal an input that is read at the very index that is written");
  CHECK(m(0, 1) == 2);
  m = tw::eval(tw::transpose(m) + 1);
  CHECK(m(0, 1) == 5);
}

TEST_CASE("rank 0, size 1 and size 0") {
  tw::array<float> s{3};
  s = s * s;
  CHECK(s() == 9);
  const tw::array<float, 0, 4> none;
  const tw::array<float, 4> zero = tw::sum(none, 0_c);
  CHECK(zero(3) == 0);
  const tw::array<float, 0, 4> still = none + zero;
  CHECK(still.size() == 0);
  const tw::array<float, 1, 4> row{1, 2, 3, 4};
  const tw::array<float, 5, 1> column = tw::array<float, 5, 1>::filled(10);
  const tw::array<float, 5, 4> table = row + column;
  CHECK(table(4, 3) == 14);
}
