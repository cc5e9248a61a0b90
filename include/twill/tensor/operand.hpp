// What the function library records on. Two types do: `tracer` (shapes known to the C++ compiler) and `tensor` (run time);
// array expressions are lifted: each library function applied to one becomes a node of its type (door/array.hpp).
#pragma once

#include "twill/ir/dtype.hpp"
#include "twill/ir/ops.hpp"
#include "twill/shape/infer.hpp"

namespace twill {

// A recording operand has: shape(), type(), is_constant(); make(op, dtype, shape, sources, arguments), which appends a node
// beside it; fail(problem), which reports a shape or dtype problem: at once (tensor), or when the recording ends (tracer).
template <class X>
concept recording_operand = requires { typename std::remove_cvref_t<X>::twill_recording_operand; };

// An array or an expression over arrays: shape and dtype are in the type.
template <class X>
concept array_operand = requires { typename std::remove_cvref_t<X>::twill_array_operand; };

template <class X>
concept operand = recording_operand<X> || array_operand<X>;

// A C++ number beside an operand: weakly typed.
template <class T>
concept weak_number = std::is_arithmetic_v<std::remove_cvref_t<T>>;

// Compile-time integers: own literals (1_c), std::integral_constant, Boost.Hana's.
template <long long V>
struct constant {
  static constexpr long long value = V;
  using value_type = long long;
  constexpr operator long long() const { return V; }
  constexpr constant<-V> operator-() const { return {}; }
};
namespace literals {
template <char... Digits>
constexpr auto operator""_c() {
  constexpr long long value = [] {
    long long v = 0;
    for (const char d : {Digits...})
      if (d != '\'') v = v * 10 + (d - '0');
    return v;
  }();
  return constant<value>{};
}
}  // namespace literals

// Reductions keep the reduced axes with size 1 when called with `keepdim`.
struct keepdim_t {};
inline constexpr keepdim_t keepdim{};

// A constant tensor that is not yet part of a recording: arange(10), full({2, 3}, 1.5f). Becomes one beside an operand.
struct literal {
  enum class kind : u8 { full, arange };
  kind what = kind::full;
  twill::shape dims;
  dtype type = float32;
  double value = 0;       // of full
  i64 integer = 0;        // of full with an integer or bool type
};

// What is wrong with dtypes, as a value; the counterpart of a shape problem.
enum class dtype_problem_code : u8 { none, needs_cast, no_bool, needs_integer };
struct dtype_problem {
  dtype_problem_code code = dtype_problem_code::none;
  char operation[23]{};
  dtype first, second;
  constexpr explicit operator bool() const { return code != dtype_problem_code::none; }
};
constexpr dtype_problem make_dtype_problem(dtype_problem_code code, text_view operation, dtype first, dtype second = {}) {
  dtype_problem p;
  p.code = code;
  for (size_t i = 0; i < operation.size() && i + 1 < sizeof(p.operation); ++i) p.operation[i] = operation[i];
  p.first = first;
  p.second = second;
  return p;
}
constexpr text message(const dtype_problem& p) {
  text out;
  out << text_view(p.operation) << ": ";
  switch (p.code) {
    case dtype_problem_code::none: break;
    case dtype_problem_code::needs_cast: out << to_text(p.first) << " with " << to_text(p.second) << " has no common type, cast one of them"; break;
    case dtype_problem_code::no_bool: out << "not defined on bool"; break;
    case dtype_problem_code::needs_integer: out << "needs integers, got " << to_text(p.first); break;
  }
  return out;
}

}  // namespace twill
