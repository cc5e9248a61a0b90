// The same rules in the compiler: what a generated file of static_asserts needs.
#pragma once

#include <initializer_list>

#include "packing.hpp"
#include "twill/symbolic/symbolic.hpp"

namespace conformance {

// Is `simplified` what `original` becomes, node for node?
constexpr bool simplifies_to(std::initializer_list<twill::i64> original, std::initializer_list<twill::i64> simplified) {
  twill::graph g;
  const twill::vector<twill::i64> got = packed(twill::simplify(unpacked(g, {original.begin(), original.size()})));
  if (got.size() != simplified.size()) return false;
  for (size_t i = 0; i < got.size(); ++i)
    if (got[i] != simplified.begin()[i]) return false;
  return true;
}

}  // namespace conformance
