// Shapes as types, for the doors at which the C++ compiler knows them.
#pragma once

#include "twill/shape/infer.hpp"

namespace twill {

template <i64... Sizes>
struct dims {
  static constexpr size_t rank = sizeof...(Sizes);
  static constexpr i64 elements = (i64{1} * ... * Sizes);
  static constexpr twill::shape value() { return twill::shape({sint(Sizes)...}); }
};

// Soft questions about shapes, for constraints.
template <class A, class B>
concept broadcastable = infer_broadcast(A::value(), B::value()).ok();
template <class A, class B>
concept matmul_compatible = infer_matmul(A::value(), B::value()).ok();
template <class From, class To>
concept reshapeable = infer_reshape(From::value(), To::value()).ok();

}  // namespace twill
