// The corpus's patterns as patterns of the library, built at run time.
#pragma once

#include <string>
#include <vector>

#include "json.hpp"
#include "twill/ir/uop.hpp"
#include "twill/match/pattern.hpp"

namespace conformance {

struct read_pattern {
  std::vector<twill::pattern::term> terms;  // matched one after the other
  std::vector<std::string> names;           // by slot
  std::string inexpressible;                // not empty: why there are no terms
};

// The pattern as it is to be tried at root. Of its sets of ops those are left out that no node has; where it is too long
// even so, those that no node has at that depth below root, and alternatives at the root become terms of their own.
read_pattern pattern_of(const json& pattern, twill::uop root);

}  // namespace conformance
