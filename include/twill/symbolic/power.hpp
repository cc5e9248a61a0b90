// Powers with exponents that are plain arithmetic, where that gives the same bits.
#pragma once

#include "twill/match/rewrite.hpp"

namespace twill {

namespace detail {
namespace power_rules {
using namespace twill::pattern;

constexpr term power(const term& base, const term& exponent) { return pattern::node(op::POW, base, exponent); }
constexpr term numbers(const term& a) { return pattern::detail::restricted(a, kinds::integer | kinds::floating); }
// Their squares and reciprocals are powers to the last bit: a float64 holds the square exactly, and no reciprocal of 24 bits
// lies next to the middle of two of them. A float64's own square can be a tie, which the power may round the other way.
constexpr term small_floats(const term& a) { return pattern::detail::restricted(a, kinds::floating & ~kinds::bit(scalar_kind::float64)); }

inline constexpr auto set = rules(
    rewrite("x ** 0", power(numbers(x), 0), 1).as(rule_kind::ring),                              // NaN too; a polynomial's constant
    rewrite("x ** 1", power(numbers(x), 1), x).as(rule_kind::ring),                              // a polynomial's linear term
    rewrite("1 ** x", power(numbers(1), x), 1).as(rule_kind::ring),
    rewrite("x ** 2", power(integers(x), 2), x * x).as(rule_kind::ring),                         // squared distance of two indices
    rewrite("x ** 3", power(integers(x), 3), x * x * x).as(rule_kind::ring),
    rewrite("float x ** 2", power(small_floats(x), 2), x * x).as(rule_kind::ring),               // variance
    rewrite("float x ** -1", power(small_floats(x), -1), pattern::node(op::RECIP, x)).as(rule_kind::ring));  // normalization
}  // namespace power_rules
}  // namespace detail

namespace symbolic_rules {
inline constexpr const auto& power = detail::power_rules::set;
}

}  // namespace twill
