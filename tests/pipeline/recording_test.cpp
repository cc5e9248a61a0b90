// Bad operands are found when a function is recorded: the first problem is kept, whatever follows, with its own figures.
#include "catch.hpp"
#include "twill/door/static_program.hpp"

using namespace twill;
using namespace twill::literals;

namespace {

// What recording f on float32 (2, 3), float32 (4, 5), bool (3), int64 (3), uint64 (3) complains about: a sentence.
template <class F>
constexpr text complaint(const F& f) {
  recorder r;
  const auto argument = [&](i64 slot, dtype type, const shape& dims) { return record_argument(r, slot, type, dims); };
  f(argument(0, float32, shape(2, 3)), argument(1, float32, shape(4, 5)), argument(2, bool_, shape(3)), argument(3, int64, shape(3)), argument(4, uint64, shape(3)));
  if (r.shape_problem && r.type_problem) return "both";
  if (r.shape_problem) return message(r.shape_problem);
  if (r.type_problem) return message(r.type_problem);
  return "nothing";
}

// The same in constant evaluation and at run time.
#define COMPLAINS(expected, ...)                                                                                                   \
  do {                                                                                                                             \
    constexpr auto f = []([[maybe_unused]] auto x, [[maybe_unused]] auto y, [[maybe_unused]] auto b, [[maybe_unused]] auto i,      \
                          [[maybe_unused]] auto u) { (void)(__VA_ARGS__); };                                                       \
    static_assert(complaint(f) == expected);                                                                                       \
    CHECK(complaint(f) == expected);                                                                                               \
  } while (false)

}  // namespace

TEST_CASE("recording: shapes that do not fit") {
  COMPLAINS("cannot broadcast (2, 3) with (4, 5): axis 1 is 3 and 5", x + y);
  COMPLAINS("cannot broadcast (2, 3) with (4, 5): axis 1 is 3 and 5", where(x < 1, x, y));
  COMPLAINS("matmul: (2, 3) with (4, 5): inner sizes are 3 and 4", matmul(x, y));
  COMPLAINS("cannot reshape (2, 3) into (4, 2): 6 elements, not 8", reshape<4, 2>(x));
  COMPLAINS("cannot reshape (2, 3) into (4, -1): 6 elements are no multiple of 4", reshape<4, -1>(x));
  COMPLAINS("cannot reshape (2, 3) into (-1, -1): only one size may be -1", reshape<-1, -1>(x));
  COMPLAINS("cannot expand (2, 3) to (2, 4): axis 1 is 3, not 1 or 4", expand<2, 4>(x));
  COMPLAINS("cannot expand (2, 3) to (3): rank 2 is more than 1", expand<3>(x));
  COMPLAINS("nothing", x + i);
}

TEST_CASE("recording: axes") {
  COMPLAINS("sum: axis 2 is out of range for rank 2 (shape (2, 3))", sum(x, 2_c));
  COMPLAINS("max: axis -3 is out of range for rank 2 (shape (2, 3))", max(x, -3_c));
  COMPLAINS("mean: axis -1 is given twice (shape (2, 3))", mean(x, 1_c, -1_c));
  COMPLAINS("argmax: axis 5 is out of range for rank 2 (shape (2, 3))", argmax(x, 5_c));
  COMPLAINS("flip: axis 2 is out of range for rank 2 (shape (2, 3))", flip(x, 2_c));
  COMPLAINS("permute: axis 0 is given twice (shape (2, 3))", permute<0, 0>(x));
  COMPLAINS("shrink: [1, 4) is no range of axis 1 (shape (2, 3))", shrink<pads{{0, 2}, {1, 4}}>(x));
  COMPLAINS("pad: axis 0 cannot grow by -1 and 0 (shape (2, 3))", pad<pads{{-1, 0}}>(x));
}

TEST_CASE("recording: dtypes") {
  COMPLAINS("-: not defined on bool", b - b);
  COMPLAINS("-: not defined on bool", -b);
  COMPLAINS("/: not defined on bool", b / b);
  COMPLAINS("+: int64 with uint64 has no common type, cast one of them", i + u);
  COMPLAINS("maximum: uint64 with int64 has no common type, cast one of them", maximum(u, i));
  COMPLAINS("%: needs integers, got float32", x % 2);
  COMPLAINS("floor_divide: needs integers, got float32", floor_divide(x, x));
  COMPLAINS("one_hot: needs integers, got float32", one_hot(x, 3_c));
  COMPLAINS("one_hot: needs integers, got bool", one_hot(b, 3_c));
  COMPLAINS("nothing", cast<i64>(u) + i);
}

TEST_CASE("recording: only the first problem is told") {
  COMPLAINS("cannot broadcast (2, 3) with (4, 5): axis 1 is 3 and 5", sum(x + y, 7_c));
  COMPLAINS("-: not defined on bool", matmul(b - b, y));
  COMPLAINS("sum: axis 2 is out of range for rank 2 (shape (2, 3))", (void)sum(x, 2_c), (void)(b - b), x + y);
  COMPLAINS("max: axis 0 of (0, 3) is empty, and there is no value for that", max(cast<int>(shrink<pads{{1, 1}, {0, 3}}>(x)), 0_c));
}

TEST_CASE("recording: numbers are values of the dtype beside them") {
  // A float16 beside 2.1 meets float16's 2.1, as NumPy has it; too large a number is infinite.
  const auto beside = [](dtype type, double value) {
    recorder r;
    const tracer c = record::beside(record_argument(r, 0, type, shape(2)), value);
    return double_of(r.nodes.arguments(c.id)[0]);
  };
  CHECK(beside(float16, 2.1) == round_to(scalar_kind::float16, 2.1));
  CHECK(beside(bfloat16, 2.1) == round_to(scalar_kind::bfloat16, 2.1));
  CHECK(beside(float32, 2.1) == static_cast<double>(2.1f));
  CHECK(beside(float32, 1e300) == __builtin_inf());
  CHECK(beside(float64, 2.1) == 2.1);
}

TEST_CASE("recording: shapes stay as the list of them grows") {
  // argmax records while it holds its argument's shape.
  for (int before = 0; before < 40; ++before) {
    recorder r;
    tracer x = record_argument(r, 0, float32, shape(2, 3, 4));
    for (int i = 0; i < before; ++i) x = x + 1.0f;
    CHECK(argmax(x, 1).shape() == shape(2, 4));
    CHECK(message(r.shape_problem) == "");
  }
}
