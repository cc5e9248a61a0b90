// Rules whose right side or guard is a function, and why: what an algebra of patterns cannot say.
#pragma once

#include <cstring>

#include "twill/match/pattern.hpp"

namespace proofs {

struct procedural_rule {
  const char* name;
  const char* reason;
};
inline constexpr procedural_rule procedural_rules[] = {
    {"fold constants", "of any operation: the value is computed by ir/arithmetic.hpp, which is what operations mean"},
    {"one value by bounds", "of any operation: asks for the bounds of the root, which has no name"},
    {"cast to itself", "compares two dtypes, which patterns do not name"},
    {"cast of a lossless cast", "asks which of three dtypes hold which, which patterns do not name"},
    {"x * c + x, doubling", "asks whether a float constant's mantissa leaves room for one more, which guards of integers cannot"},
    {"x * c + x * d, doublings", "asks about the mantissas of two float constants, which guards of integers cannot"},
    {"max(-x, -y) * -1", "looks at terms of sums of up to 16 terms below an extremum"},
    {"(x % c) / d", "asks what the dividend is not: a sum with a constant that would stay outside"},
    {"normal form of a sum", "looks at all terms of a sum of up to 16 terms"},
    {"(x + y) * c", "looks at all terms of a sum of up to 16 terms"},
    {"normal form of a product", "looks at all operands of a chain of up to 16, and at their order"},
    {"normal form of and", "looks at all operands of a chain of up to 16, and at their order"},
    {"normal form of or", "looks at all operands of a chain of up to 16, and at their order"},
    {"normal form of max", "looks at all operands of a chain of up to 16, and at their order"},
    {"normal form of min", "looks at all operands of a chain of up to 16, and at their order"},
    {"sum < c", "looks at all terms of a sum of up to 16 terms and at the range of parts of it"},
    {"c < sum", "looks at all terms of a sum of up to 16 terms and at the range of parts of it"},
    {"sum != c", "needs the greatest common divisor of all factors of a sum of up to 16 terms"},
    {"x + y < x + z", "compares all terms of two sums of up to 16 terms"},
    {"sum / c", "looks at all terms of a sum of up to 16 terms and at the range of parts of it"},
    {"sum floordiv c", "looks at all terms of a sum of up to 16 terms and at the range of parts of it"},
    {"fold vector constants", "of any operation, lane by lane: patterns do not speak of lanes"},
    {"elements", "picks lanes, of which patterns do not speak"},
    {"vector of elements", "joins lanes, of which patterns do not speak"},
};
inline const char* procedural_reason(const char* rule) {
  for (const procedural_rule& p : procedural_rules)
    if (std::strcmp(p.name, rule) == 0) return p.reason;
  return nullptr;
}

// Rules for which the solver gives up on unbounded integers or wide bit-vectors: checked at 8 and 12 bits, and proved here. Of
// floats: for a dtype that it gives up on; checked with all values of float16 and bfloat16 and with special ones of the others.
struct checked_rule {
  const char* name;
  unsigned floats;  // kinds that the solver is not asked about
  const char* proof;
};
inline constexpr checked_rule checked_rules[] = {
    {"(x * c) floordiv d", 0, "with g = gcd(c, d), floor(x c / d) = floor(x (c / g) / (d / g)), both being the floor of one rational number"},
    {"(x * c) floormod d", 0, "with g = gcd(c, d), x c - d floor(x c / d) = g (x (c / g) - (d / g) floor(x (c / g) / (d / g)))"},
    {"x ** 1", twill::kinds::floating, "the power is off by less than 2^-49 of an ulp before it is rounded, and x itself is representable, so it rounds to x"},
    {"float x ** 2", twill::kinds::floating, "float64 holds the square of a number of 24 bits exactly, so both round one exact value once"},
    {"float x ** -1", twill::kinds::floating, "both round 1 / x once: no reciprocal of a number of 24 bits is so near the middle of two that an error of 2^-50 matters"},
    {"x * 2 + x", twill::kinds::bit(twill::scalar_kind::float64) | twill::kinds::bit(twill::scalar_kind::float32), "proved for float16 and bfloat16; 2x is exact or infinite, so the sum rounds 3x once, as the product does"},
    {"x * 4 + x * 2", twill::kinds::bit(twill::scalar_kind::float64) | twill::kinds::bit(twill::scalar_kind::float32), "proved for float16 and bfloat16; both products are exact or infinite, so the sum rounds 6x once, as the product does"},
    {"x * 3 + x", twill::kinds::bit(twill::scalar_kind::float64) | twill::kinds::bit(twill::scalar_kind::float32), "proved for float16 and bfloat16; 3x is off by at most half an ulp of it, so 3x + x is nearer to 4x, which is exact, than half an ulp of 4x, or as far and 4x is the even one"},
    {"x - x != x * y", twill::kinds::bit(twill::scalar_kind::float64), "proved for narrower floats; where x is finite x - x is 0, and else it is NaN, which differs from everything, as x * y, infinite or NaN, differs from 0"},
};
inline const char* written_proof(const char* rule, twill::scalar_kind k = twill::scalar_kind::void_) {
  for (const checked_rule& c : checked_rules)
    if (std::strcmp(c.name, rule) == 0 && (k == twill::scalar_kind::void_ || (c.floats >> static_cast<unsigned>(k) & 1) != 0)) return c.proof;
  return nullptr;
}

}  // namespace proofs
