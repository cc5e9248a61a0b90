// Sums and products of integers: constants to the right and together, like terms combined, constants distributed. True
// modulo 2^n, so they need no bounds.
#pragma once

#include "twill/symbolic/terms.hpp"

namespace twill {

namespace detail {

// Like terms anywhere in a longer sum: (a + b) + (a * 3 + c).
constexpr uop like_terms(const match& m, context&) {
  term_list terms;
  if (!terms.collect(m.root(), false)) return {};
  if (!terms.merged && terms.quotients > 0 && terms.remainders > 0) terms.join_quotients();
  if (!terms.merged && terms.quotients > 1) terms.join_unrolled();
  return terms.merged ? terms.build() : uop{};
}

namespace arithmetic_rules {
using namespace twill::pattern;
inline constexpr auto set = rules(
    rewrite("x + c + d", integers(x) + c0 + c1, x + (c0 + c1)),                    // (i + 3) + 4
    rewrite("x * c * d", integers(x) * c0 * c1, x * (c0 * c1)),                    // i * 4 * 16
    rewrite("x & c & d", integers(x) & c0 & c1, x & (c0 & c1)),
    rewrite("x | c | d", integers(x) | c0 | c1, x | (c0 | c1)),
    rewrite("x ^ c ^ d", integers(x) ^ c0 ^ c1, x ^ (c0 ^ c1)),
    rewrite("(x + c) + y", integers(x) + c0 + y, x + y + c0),                      // (i + 3) + j
    rewrite("(x * c) * y", integers(x) * c0 * y, x * y * c0),                      // (i * 3) * n
    rewrite("x + x", integers(x) + x, x * 2),
    rewrite("x * c + x", integers(x) * c0 + x, x * (c0 + 1)),                      // (i + j) + i * 3
    rewrite("x * c + x * d", integers(x) * c0 + x * c1, x * (c0 + c1)),
    rewrite("(y + x) + x", y + integers(x) + x, y + x * 2),
    rewrite("(y + x) + x * c", y + integers(x) + x * c0, y + x * (c0 + 1)),
    rewrite("(y + x * c) + x", y + integers(x) * c0 + x, y + x * (c0 + 1)),
    rewrite("(y + x * c) + x * d", y + integers(x) * c0 + x * c1, y + x * (c0 + c1)),
    rewrite("like terms", (anything + anything) + named(z, integers(anything)), like_terms),  // (a + b + c) + (a * 3 + d)
    rewrite("(x + y) * c", (integers(x) + y) * c0, x * c0 + y * c0),               // (i * 4 + j) * 8
    rewrite("where(c, a, b) + d", where(w, c0, c1) + c2, where(w, c0 + c2, c1 + c2)),
    rewrite("where(c, a, b) * d", where(w, c0, c1) * c2, where(w, c0 * c2, c1 * c2)));
}  // namespace arithmetic_rules
}  // namespace detail

namespace symbolic_rules {
inline constexpr const auto& arithmetic = detail::arithmetic_rules::set;
}

}  // namespace twill
