// What is judged. Its definitions are the only ones that need the symbolic rules, which take long to compile.
#pragma once

#include <vector>

#include "twill/ir/uop.hpp"

namespace conformance {

// The library's functions, unless a test of the judges puts wrong ones in their place.
struct engine {
  twill::uop (*simplify)(twill::uop);
  twill::uop (*given_valid)(twill::uop valid, twill::uop u);
  twill::uop (*simplify_valid)(twill::uop valid);
};
engine library();

// Which of the library's rules, and in which order nodes are visited.
struct rule_choice {
  bool simple = false;  // those of symbolic/simple.hpp, not all
  bool bottom_up = false;
};
twill::uop rewritten(twill::uop root, rule_choice chosen);
// What each of these nodes becomes where root is rewritten; nodes that root does not need stay.
std::vector<twill::uop> rewritten_inside(twill::uop root, rule_choice chosen, const std::vector<twill::uop>& nodes);

}  // namespace conformance
