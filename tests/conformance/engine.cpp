#include "engine.hpp"

#include "twill/symbolic/valid.hpp"

namespace conformance {

using namespace twill;

engine library() {
  return {[](uop u) { return twill::simplify(u); }, [](uop valid, uop u) { return twill::given_valid(valid, u); },
          [](uop valid) { return twill::simplify_valid(valid); }};
}

namespace {
rule_view rules_of(rule_choice chosen) { return chosen.simple ? symbolic_rules::simple.view() : symbolic.view(); }
rewrite_options options_of(rule_choice chosen) {
  rewrite_options out;
  out.bottom_up = chosen.bottom_up;
  return out;
}
}  // namespace

uop rewritten(uop root, rule_choice chosen) { return rewritten_inside(root, chosen, {root})[0]; }

std::vector<uop> rewritten_inside(uop root, rule_choice chosen, const std::vector<uop>& nodes) {
  const rule_view rules = rules_of(chosen);
  rewriter engine(*root.owner, rules, options_of(chosen));
  engine(root);
  std::vector<uop> out;
  for (const uop& u : nodes) out.push_back({root.owner, engine.result_of(u.id)});
  return out;
}

}  // namespace conformance
