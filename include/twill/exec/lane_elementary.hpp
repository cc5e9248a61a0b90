// Elementary functions of the inline executor's values: alu<op::EXP> and its kind.
#pragma once

#include "twill/base/elementary.hpp"
#include "twill/exec/lane_ops.hpp"
#include "twill/exec/vector_policy.hpp"

namespace twill {
inline namespace TWILL_ABI {
namespace lanes {

// The vector policy with the one-instruction maximum and minimum: of a number and a value that may be NaN.
template <class T, int N>
struct lane_policy : exec::vector_policy<T, N> {
  using real = typename exec::vector_policy<T, N>::real;
  TWILL_ALWAYS_INLINE static real max(const real& c, const real& x) {
    real r;
    greater_or_second(r, c, x);
    return r;
  }
  TWILL_ALWAYS_INLINE static real min(const real& c, const real& x) {
    real r;
    lesser_or_second(r, c, x);
    return r;
  }
};

inline constexpr size_t register_bytes = TWILL_VECTOR_BYTES < 16 ? 16 : TWILL_VECTOR_BYTES;

// Elementary functions, in pieces that fill a register.
template <op Code>
struct elementary_alu {
  template <class V> TWILL_ALWAYS_INLINE static void run(V& r, const V& a) {
    if constexpr (is_scalar<V>) r = value<elementary::scalar_policy<V>>(a);
    else if constexpr (sizeof(V) > register_bytes) {
      typename vector_of<element_of<V>, number<V>::count / 2>::type low, high;
      split(low, high, a);
      run(low, decltype(low){low});
      run(high, decltype(high){high});
      join(r, low, high, std::make_integer_sequence<int, number<V>::count>{});
    } else r = value<lane_policy<element_of<V>, number<V>::count>>(a);
  }
  template <class V> TWILL_ALWAYS_INLINE static void run_two(V& r, V& s, const V& a, const V& b) {
    if constexpr (is_scalar<V> || sizeof(V) > register_bytes || Code == op::SIN) {
      run(r, a);
      run(s, b);
    } else {
      using policy = exec::paired_policy<lane_policy<element_of<V>, number<V>::count>>;
      const typename policy::real both = value<policy>(typename policy::real{a, b});
      r = both.low;
      s = both.high;
    }
  }
  template <class P> TWILL_ALWAYS_INLINE static typename P::real value(const typename P::real& a) {
    if constexpr (Code == op::EXP) return elementary::exp<P>(a);
    else if constexpr (Code == op::EXP2) return elementary::exp2<P>(a);
    else if constexpr (Code == op::LOG) return elementary::log<P>(a);
    else if constexpr (Code == op::LOG2) return elementary::log2<P>(a);
    else if constexpr (Code == op::SIN) return elementary::sin<P>(a);
    else return elementary::tanh<P>(a);
  }
};
constexpr bool is_elementary(op code) {
  return code == op::EXP || code == op::EXP2 || code == op::LOG || code == op::LOG2 || code == op::SIN || code == op::TANH;
}
template <> struct alu<op::EXP> : elementary_alu<op::EXP> {};
template <> struct alu<op::EXP2> : elementary_alu<op::EXP2> {};
template <> struct alu<op::LOG> : elementary_alu<op::LOG> {};
template <> struct alu<op::LOG2> : elementary_alu<op::LOG2> {};
template <> struct alu<op::SIN> : elementary_alu<op::SIN> {};
template <> struct alu<op::TANH> : elementary_alu<op::TANH> {};

}  // namespace lanes
}  // namespace TWILL_ABI
}  // namespace twill
