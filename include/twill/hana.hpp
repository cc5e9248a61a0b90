// The edge to Boost.Hana, and the only header that includes it. Hana's integral constants are axes and sizes at every door
// without it (sint takes them by trait); this header adds what needs Hana's own types:
//
//   results      a kernel's function may return hana::make_tuple(a, b)
//   arguments    struct dense : tw::kernel_of<layer, decltype(hana::tuple_t<tw::f32<32, 64>, tw::f32<64, 10>>)> {};
//   rules        tw::to_hana(rules): a tuple of sets of one rule each, to be filtered, folded, and combined again
#pragma once

#include "twill/door/static_check.hpp"  // first: errors then name few files

#include <boost/hana/type.hpp>
#include <boost/hana/tuple.hpp>
#include <boost/hana/unpack.hpp>

#include "twill/door/kernel.hpp"
#include "twill/match/rule.hpp"

namespace twill {

// In the namespace of the operands, by whose type calls in the doors find it.
template <recording_operand... X, class Add>
constexpr void for_each_result(const boost::hana::tuple<X...>& results, const Add& add) {
  boost::hana::unpack(results, [&](const X&... x) { (add(x), ...); });
}

namespace detail {
template <auto Fn, class... Spec>
kernel<Fn, typename Spec::type...> kernel_of_specs(const boost::hana::tuple<Spec...>&);

template <size_t N>
constexpr rule_set<1> only_rule(const rule_set<N>& set, size_t i) {
  const rule& r = set.rules[i];
  const size_t count = static_cast<size_t>(r.left) + r.right + r.guard;
  rule_set<1> out;
  if (count > out.pool_size) malformed::pattern_is_too_long(r.name);
  for (size_t t = 0; t < count; ++t) out.pool[t] = set.pool[r.first + t];
  out.used = static_cast<u16>(count);
  out.rules[0] = r;
  out.rules[0].first = 0;
  out.enter(0);
  out.dispatch.finish();
  return out;
}
}  // namespace detail

// The kernel of Fn on arguments whose specs stand in a tuple of Hana types.
template <auto Fn, class Specs>
using kernel_of = decltype(detail::kernel_of_specs<Fn>(std::declval<const Specs&>()));

// The rules of a set in their order, each as a set of its own.
template <size_t N>
constexpr auto to_hana(const rule_set<N>& set) {
  return [&]<size_t... I>(std::index_sequence<I...>) {
    return boost::hana::make_tuple(detail::only_rule(set, I)...);
  }(std::make_index_sequence<N>{});
}
// And back: the rules of all sets in a Hana sequence, one after the other.
template <class Sequence>
constexpr auto from_hana(const Sequence& sets) {
  return boost::hana::unpack(sets, [](const auto&... set) { return combine(set...); });
}

}  // namespace twill
