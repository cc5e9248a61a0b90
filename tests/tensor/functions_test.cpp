// The function library on the recording operand: shapes and dtypes of what is recorded, and the first problem of what is not.
#include <twill/tensor/functions.hpp>
#include <twill/tensor/tracer.hpp>

#include "catch.hpp"

namespace tw = twill;
using namespace tw::literals;

namespace {

struct result {
  tw::shape dims;
  tw::dtype type;
  tw::text said;  // the first problem
};

// What f gives on arguments of these dtypes and shapes.
struct operand_spec {
  tw::dtype type;
  tw::shape dims;
};
template <class F>
constexpr result recorded(F f, std::initializer_list<operand_spec> arguments) {
  tw::recorder r;
  tw::tracer x[3];
  size_t n = 0;
  for (const operand_spec& a : arguments) {
    x[n] = tw::record_argument(r, static_cast<tw::i64>(n), a.type, a.dims);
    ++n;
  }
  const tw::tracer out = f(x[0], x[1], x[2]);
  result y;
  y.dims = out.shape();
  y.type = out.type();
  y.said = message(r.shape_problem);
  if (r.type_problem) y.said = message(r.type_problem);
  return y;
}
constexpr bool gives(const result& r, const tw::shape& dims, tw::dtype type) { return r.said.empty() && r.dims == dims && r.type == type; }

// Each property holds in constant evaluation and at run time.
#define PROPERTY(...)            \
  do {                           \
    static_assert(__VA_ARGS__);  \
    CHECK(__VA_ARGS__);          \
  } while (false)

constexpr auto add = [](auto a, auto b, auto) { return a + b; };
constexpr auto subtract = [](auto a, auto b, auto) { return a - b; };
constexpr auto modulo = [](auto a, auto b, auto) { return a % b; };
constexpr auto divide = [](auto a, auto b, auto) { return a / b; };
constexpr auto product = [](auto a, auto b, auto) { return tw::matmul(a, b); };

}  // namespace

TEST_CASE("operands broadcast and promote") {
  PROPERTY(gives(recorded(add, {{tw::float32, {2, 3}}, {tw::float32, {3}}}), {2, 3}, tw::float32));
  PROPERTY(gives(recorded(add, {{tw::int32, {4, 1}}, {tw::float32, {1, 5}}}), {4, 5}, tw::float32));
  PROPERTY(gives(recorded(add, {{tw::int8, {}}, {tw::uint8, {7}}}), {7}, tw::int16));
  PROPERTY(gives(recorded(add, {{tw::float16, {2}}, {tw::bfloat16, {2}}}), {2}, tw::float32));
  PROPERTY(gives(recorded(add, {{tw::float32, {0, 3}}, {tw::float32, {1, 3}}}), {0, 3}, tw::float32));
  PROPERTY(gives(recorded(divide, {{tw::int32, {3}}, {tw::int32, {3}}}), {3}, tw::int32));
  PROPERTY(gives(recorded([](auto a, auto b, auto) { return a < b; }, {{tw::int32, {3}}, {tw::float32, {3}}}), {3}, tw::bool_));
}

TEST_CASE("numbers are weak") {
  PROPERTY(gives(recorded([](auto a, auto, auto) { return a * 2.0; }, {{tw::float16, {3}}}), {3}, tw::float16));
  PROPERTY(gives(recorded([](auto a, auto, auto) { return a * 2.5; }, {{tw::int32, {3}}}), {3}, tw::float32));
  PROPERTY(gives(recorded([](auto a, auto, auto) { return 1 - a; }, {{tw::uint8, {3}}}), {3}, tw::uint8));
  PROPERTY(gives(recorded([](auto a, auto, auto) { return a + 1; }, {{tw::bool_, {3}}}), {3}, tw::int32));
  PROPERTY(gives(recorded([](auto a, auto, auto) { return tw::where(a, 1, 2.5f); }, {{tw::bool_, {3}}}), {3}, tw::float32));
  PROPERTY(gives(recorded([](auto a, auto, auto) { return tw::where(a > 0, a, 0); }, {{tw::float64, {3}}}), {3}, tw::float64));
}

TEST_CASE("reductions, matmul and friends") {
  PROPERTY(gives(recorded([](auto a, auto, auto) { return tw::sum(a); }, {{tw::float32, {2, 3}}}), {}, tw::float32));
  PROPERTY(gives(recorded([](auto a, auto, auto) { return tw::sum(a, 0, -1); }, {{tw::int8, {2, 3, 4}}}), {3}, tw::int32));
  PROPERTY(gives(recorded([](auto a, auto, auto) { return tw::sum(a, 1_c, tw::keepdim); }, {{tw::float16, {2, 3}}}), {2, 1}, tw::float16));
  PROPERTY(gives(recorded([](auto a, auto, auto) { return tw::mean(a, 0); }, {{tw::int32, {2, 3}}}), {3}, tw::float32));
  PROPERTY(gives(recorded([](auto a, auto, auto) { return tw::max(a, -1); }, {{tw::bool_, {2, 3}}}), {2}, tw::bool_));
  PROPERTY(gives(recorded([](auto a, auto, auto) { return tw::argmax(a, 1); }, {{tw::float32, {2, 3}}}), {2}, tw::int32));
  PROPERTY(gives(recorded([](auto a, auto, auto) { return tw::argmin(a); }, {{tw::float32, {2, 3}}}), {}, tw::int32));
  PROPERTY(gives(recorded([](auto a, auto, auto) { return tw::sum(a, 0); }, {{tw::float32, {0, 3}}}), {3}, tw::float32));
  PROPERTY(gives(recorded(product, {{tw::float32, {2, 3}}, {tw::float32, {3, 4}}}), {2, 4}, tw::float32));
  PROPERTY(gives(recorded(product, {{tw::float32, {3}}, {tw::float32, {3}}}), {}, tw::float32));
  PROPERTY(gives(recorded(product, {{tw::float32, {5, 1, 2, 3}}, {tw::float32, {7, 3, 4}}}), {5, 7, 2, 4}, tw::float32));
  PROPERTY(gives(recorded(product, {{tw::float16, {2, 1}}, {tw::float16, {1, 4}}}), {2, 4}, tw::float16));
  PROPERTY(gives(recorded([](auto a, auto, auto) { return tw::one_hot(a, 10); }, {{tw::uint8, {4}}}), {4, 10}, tw::int32));
  PROPERTY(gives(recorded([](auto a, auto, auto) { return a + tw::arange(3) + tw::full({2, 3}, 0.5f); }, {{tw::float32, {3}}}), {2, 3}, tw::float32));
}

TEST_CASE("movement") {
  PROPERTY(gives(recorded([](auto a, auto, auto) { return tw::reshape(a, tw::shape(-1, 2)); }, {{tw::float32, {2, 3}}}), {3, 2}, tw::float32));
  PROPERTY(gives(recorded([](auto a, auto, auto) { return tw::transpose(a); }, {{tw::float32, {2, 3, 4}}}), {2, 4, 3}, tw::float32));
  PROPERTY(gives(recorded([](auto a, auto, auto) { return tw::permute(a, {2, 0, 1}); }, {{tw::float32, {2, 3, 4}}}), {4, 2, 3}, tw::float32));
  PROPERTY(gives(recorded([](auto a, auto, auto) { return tw::pad(a, {{1, 2}}); }, {{tw::float32, {3}}}), {6}, tw::float32));
  PROPERTY(gives(recorded([](auto a, auto, auto) { return tw::shrink(a, {{1, 2}, {0, 0}}); }, {{tw::float32, {3, 3}}}), {1, 0}, tw::float32));
  PROPERTY(gives(recorded([](auto a, auto, auto) { return tw::flip(a, 0, -1); }, {{tw::float32, {3, 3}}}), {3, 3}, tw::float32));
  PROPERTY(gives(recorded([](auto a, auto, auto) { return tw::expand(a, tw::shape(5, 3)); }, {{tw::float32, {3}}}), {5, 3}, tw::float32));
}

TEST_CASE("the first problem is reported, with its numbers") {
  PROPERTY(recorded(add, {{tw::float32, {32, 64}}, {tw::float32, {64, 10}}}).said == "cannot broadcast (32, 64) with (64, 10): axis 1 is 64 and 10");
  PROPERTY(recorded(add, {{tw::float32, {0, 3}}, {tw::float32, {2, 3}}}).said == "cannot broadcast (0, 3) with (2, 3): axis 0 is 0 and 2");
  PROPERTY(recorded([](auto a, auto b, auto) { const auto p = tw::matmul(a, b); return p + tw::sum(a, 7); }, {{tw::float32, {32, 64}}, {tw::float32, {32, 10}}}).said ==
           "matmul: (32, 64) with (32, 10): inner sizes are 64 and 32");
  PROPERTY(recorded([](auto a, auto, auto) { return tw::sum(a, 2); }, {{tw::float32, {4, 6}}}).said == "sum: axis 2 is out of range for rank 2 (shape (4, 6))");
  PROPERTY(recorded([](auto a, auto, auto) { return tw::softmax(a, -3); }, {{tw::float32, {4, 6}}}).said == "max: axis -3 is out of range for rank 2 (shape (4, 6))");
  PROPERTY(recorded([](auto a, auto, auto) { return tw::reshape(a, tw::shape(5, 5)); }, {{tw::float32, {4, 6}}}).said ==
           "cannot reshape (4, 6) into (5, 5): 24 elements, not 25");
  PROPERTY(recorded([](auto a, auto, auto) { return tw::max(a, 0); }, {{tw::int32, {0, 6}}}).said == "max: axis 0 of (0, 6) is empty, and there is no value for that");
  PROPERTY(recorded(subtract, {{tw::bool_, {3}}, {tw::bool_, {3}}}).said == "-: not defined on bool");
  PROPERTY(recorded([](auto a, auto, auto) { return -a; }, {{tw::bool_, {3}}}).said == "-: not defined on bool");
  PROPERTY(recorded(modulo, {{tw::float32, {3}}, {tw::float32, {3}}}).said == "%: needs integers, got float32");
  PROPERTY(recorded(add, {{tw::int64, {3}}, {tw::uint64, {3}}}).said == "+: int64 with uint64 has no common type, cast one of them");
  PROPERTY(recorded([](auto a, auto, auto) { return tw::one_hot(a, 3); }, {{tw::float32, {3}}}).said == "one_hot: needs integers, got float32");
}

TEST_CASE("equal expressions are one node") {
  tw::recorder r;
  const tw::tracer a = tw::record_argument(r, 0, tw::float32, tw::shape(3));
  CHECK(tw::exp(a + 1).id == tw::exp(a + 1).id);
  CHECK(tw::exp(a + 1).id != tw::exp(a + 2).id);
}
