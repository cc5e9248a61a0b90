// Functions with several results.
#pragma once

#include <utility>

#include "twill/tensor/tracer.hpp"

namespace twill {

// Several results of a function, in order. std::tuple and Hana tuples of operands serve as well.
template <class X, size_t N>
struct results {
  X items[N];
};
template <class X, class... Rest>
constexpr results<X, 1 + sizeof...(Rest)> outputs(const X& first, const Rest&... rest) {
  return {{first, rest...}};
}

namespace detail {

template <class R>
concept tuple_like = requires { std::tuple_size<R>::value; };

// Calls add for each operand of a result.
template <recording_operand X, class Add>
constexpr void for_each_result(const X& x, const Add& add) {
  add(x);
}
template <class X, size_t N, class Add>
constexpr void for_each_result(const results<X, N>& r, const Add& add) {
  for (const X& x : r.items) add(x);
}
template <tuple_like R, class Add>
constexpr void for_each_result(const R& r, const Add& add) {
  [&]<size_t... I>(std::index_sequence<I...>) {
    using std::get;
    (add(get<I>(r)), ...);
  }(std::make_index_sequence<std::tuple_size_v<R>>{});
}

// An output that is an argument, or is given twice, gets a copy of its own.
constexpr void add_output(vector<u32, 4>& outputs, recorder& r, const tracer& x) {
  u32 id = x.id;
  const auto taken = [&] {
    for (const u32 o : outputs)
      if (o == id) return true;
    return false;
  };
  i64 copy = 0;
  while (r.nodes.at(id).code == op::BUFFER || taken()) {
    const i64 a[]{copy++};
    id = x.make(op::CONTIGUOUS, x.type(), x.shape(), {&x, 1}, a).id;
  }
  outputs.push_back(id);
}

}  // namespace detail
}  // namespace twill
