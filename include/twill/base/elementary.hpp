// exp, exp2, log, log2, sin and tanh for float32 and float64, each written once over a *number policy*, so that the
// constant folder, the interpreter, the inline executor and emitted code all compute the same bits.
//
// A policy P is stateless, for one float width, and every operation is a static member. The types have no operators.
//
//   P::width                                     32 or 64
//   P::real, P::integer, P::mask                 values; the integer is signed and of the same width
//   constant(like, double)                       a real; `like` is any real of the computation (a recorder finds its
//   integer_constant(like, long long)            graph through it). The double may be an infinity or a NaN.
//   add sub mul div neg abs sqrt                 IEEE, round to nearest even
//   fma(a, b, c)                                 a * b + c with ONE rounding
//   min(c, x), max(c, x)                         called with c never NaN; a NaN x must be returned
//   less(a, b) not_equal(a, b) -> mask           false / true when unordered
//   select(mask, a, b)                           a where the mask is set
//   iadd isub iand ior ixor                      wrapping
//   shift_left, shift_right_arithmetic, shift_right_logical (a, int n)      by a constant, 0 <= n < width
//   shift_left_by, shift_right_logical_by (a, integer n)                    by a value, 0 <= n < width
//   iless(a, b) -> mask, iselect(mask, a, b)
//   bits(real), from_bits(integer)               reinterpretation
//   to_integer(real), to_real(integer)           truncation of a value in range; round to nearest
//   P::wide, widen(real), narrow(wide::real)     float32 only: the policy for float64
//
// LAW (contraction): a product that feeds a sum is either exact or part of an explicit fma. So a compiler that contracts
// a * b + c across statements (g++ does by default) cannot change a result.
// A policy without a fused multiply-add may compute fma as two roundings: results then stay within the bounds plus one ulp.
#pragma once

#include "twill/base/elementary/exponential.hpp"
#include "twill/base/elementary/logarithm.hpp"
#include "twill/base/elementary/scalar_policy.hpp"
#include "twill/base/elementary/sine.hpp"
