// All rules about values, and simplify: the same in the compiler and at run time.
#pragma once

#include "twill/symbolic/arithmetic.hpp"
#include "twill/symbolic/chain.hpp"
#include "twill/symbolic/compare.hpp"
#include "twill/symbolic/divmod.hpp"
#include "twill/symbolic/expr.hpp"
#include "twill/symbolic/floor.hpp"
#include "twill/symbolic/power.hpp"
#include "twill/symbolic/simple.hpp"
#include "twill/symbolic/vector.hpp"

namespace twill {

inline constexpr auto symbolic = combine(symbolic_rules::simple, symbolic_rules::divmod, symbolic_rules::floor, symbolic_rules::arithmetic, symbolic_rules::chain, symbolic_rules::compare, symbolic_rules::power, symbolic_rules::vector);

// The normal form of a node: equal values often become one node, and bounds get tighter.
constexpr uop simplify(uop root, const rewrite_options& options = {}) { return graph_rewrite(root, symbolic, options); }
template <size_t A>
constexpr auto simplify(const expr<A>& e, const rewrite_options& options = {}) {
  return graph_rewrite(e, symbolic, options);
}

}  // namespace twill
