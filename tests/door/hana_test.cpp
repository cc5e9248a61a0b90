// The edge to Boost.Hana: constants as axes and sizes, tuples of results, specs and arguments, rule sets as sequences.
#include <twill/array.hpp>
#include <twill/hana.hpp>
#include <twill/symbolic.hpp>
#include <twill/tensor.hpp>

#include <boost/hana.hpp>
#include <string>
#include <vector>

#include "catch.hpp"

namespace tw = twill;
namespace hana = boost::hana;
using namespace tw::literals;

namespace {

inline constexpr auto spread = [](auto x) {
  return hana::make_tuple(tw::max(x, hana::int_c<-1>), tw::min(x, hana::int_c<-1>), tw::sum(x));
};
struct spread_kernel : tw::kernel<spread, tw::f32<2, 3>> {};
static_assert(spread_kernel::result_count == 3 && spread_kernel::result_shape_of<1> == tw::shape(2));
static_assert(spread_kernel::result_shape_of<2> == tw::shape());

inline constexpr auto layer = [](auto x, auto w, auto b) { return tw::relu(tw::matmul(x, w) + b); };
inline constexpr auto specs = hana::tuple_t<tw::f32<3, 4>, tw::f32<4, 5>, tw::f32<5>>;
struct dense : tw::kernel_of<layer, decltype(specs)> {};
static_assert(dense::result_shape == tw::shape(3, 5));
static_assert(std::is_base_of_v<tw::kernel<layer, tw::f32<3, 4>, tw::f32<4, 5>, tw::f32<5>>, dense>);

namespace sets {
using namespace tw::pattern;
constexpr auto rules = tw::rules(tw::rewrite("double as add", x * 2, x + x),
                                 tw::rewrite("divide twice", x / c0 / c1, x / fold(c0 * c1), c0 > 0 && c1 > 0),
                                 tw::rewrite("drop mod in range", x % c0, x, lo(x) >= 0 && hi(x) < c0));
}  // namespace sets
using sets::rules;
constexpr auto v = tw::var<"v">(0, 9);

}  // namespace

TEST_CASE("Hana's constants are axes and sizes") {
  const tw::array<float, 2, 3> a{1, 2, 3, 4, 5, 6};
  const tw::array<float, 2> s = tw::sum(a, hana::int_c<1>);
  CHECK((s(0) == 6 && s(1) == 15));
  const tw::array<float, 3> t = tw::sum(a, hana::size_c<0>);
  CHECK(t(2) == 9);
  const tw::array<float, 2, 3> f = tw::flip(a, hana::llong_c<-1>);
  CHECK(f(0, 0) == 3);
  const tw::array<int, 2, 4> hot = tw::one_hot(tw::array<int, 2>{3, 1}, hana::size_c<4>);
  CHECK((hot(0, 3) == 1 && hot(1, 1) == 1));
  static_assert(tw::shape(hana::int_c<2>, hana::size_c<3>) == tw::shape(2, 3));
  static_assert(tw::shapetracker(4, 8).reshape(hana::int_c<32>).shape() == tw::shape(32));
  const tw::tensor x = tw::tensor::arange(6).reshape({hana::int_c<2>, 3});
  CHECK(tw::sum(x, hana::int_c<0>).to_vector<int>() == std::vector<int>{3, 5, 7});
}

TEST_CASE("a function may return a Hana tuple") {
  const std::vector<float> in{1, 5, 3, -2, 0, 8};
  std::vector<float> most(2), least(2), total(1);
  spread_kernel::run(most, least, total, in);
  CHECK(most == std::vector<float>{5, 8});
  CHECK(least == std::vector<float>{1, -2});
  CHECK(total[0] == 15);
  // On tensors the tuple comes back as it is.
  const auto results = spread(tw::tensor::from(in, {2, 3}));
  hana::unpack(results, [](const auto&... r) { tw::realize(r...); });
  CHECK(results[hana::size_c<1>].to_vector<float>() == least);
  CHECK(tw::emit_kernels(tw::lang::cpp, "spread", spread, tw::f32<2, 3>{}).size() == spread_kernel::launches);
}

TEST_CASE("specs in a tuple name a kernel, arguments may stand in one") {
  const std::vector<float> in(12, 1), w(20, 2), b(5, 3);
  std::vector<float> out(15, -1);
  hana::unpack(hana::make_tuple(out.data(), in.data(), w.data(), b.data()), [](auto... pointers) { dense::run(pointers...); });
  for (const float value : out) CHECK(value == 11);
}

TEST_CASE("rule sets are sequences") {
  constexpr auto sequence = tw::to_hana(rules);
  static_assert(decltype(hana::size(sequence))::value == 3);
  static_assert(tw::graph_rewrite(v * 2, sequence[hana::size_c<0>]) == v + v);
  static_assert(tw::graph_rewrite(v / 3 / 5, sequence[hana::size_c<0>]) == v / 3 / 5);
  constexpr auto fewer = tw::from_hana(hana::drop_front(sequence));
  static_assert(fewer.size() == 2 && tw::graph_rewrite(v / 3 / 5, fewer) == v / 15);
  static_assert(tw::graph_rewrite(v * 2, fewer) == v * 2 && tw::graph_rewrite(v % 10, fewer) == v);
  std::string names;
  hana::for_each(sequence, [&](const auto& one) { names += std::string(one.rules[0].name) + ';'; });
  CHECK(names == "double as add;divide twice;drop mod in range;");
  CHECK(tw::list(fewer)[1].text == "x % c0 -> x if !(lo(x) < 0) & (hi(x) < c0)");
  static_assert(decltype(hana::size(tw::to_hana(tw::symbolic)))::value == tw::symbolic.size());
}
