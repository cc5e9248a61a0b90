// Rules with faults that the fuzzer must find: unsound for negative numbers, unsound under wrapping, never ending, and an
// unsound procedural one.
#pragma once

#include "fuzz/check.hpp"

namespace fuzz {

namespace wrong {
using namespace twill::pattern;
constexpr uop sum_instead(const twill::match& m, twill::context&) { return m[x].type() == twill::int16 ? m[x] + m[y] : uop{}; }
inline constexpr auto floor_rule = twill::rules(twill::rewrite("(x + c) / c", (integers(x) + c0) / c0, x / c0 + 1));
inline constexpr auto wrap_rule = twill::rules(twill::rewrite("x + c < y + c", integers(x) + c0 < y + c0, x < y).as(twill::rule_kind::ring));
inline constexpr auto zero_rule = twill::rules(twill::rewrite("x * 0.0", floats(x) * 0.0, 0.0));
inline constexpr auto step_rule = twill::rules(twill::rewrite("x - y", node(op::SUB, x, y), sum_instead));
inline constexpr auto endless_rule = twill::rules(twill::rewrite("swap", max(x, min(y, z)), max(y, min(x, z))));

template <const auto& Set>
subject only() {
  return {[](uop u, const twill::rewrite_options& options) { return twill::graph_rewrite(u, Set, options); }, Set.view(), false};
}
}  // namespace wrong

struct fixture {
  const char* name;
  subject rules;
  const char* expression;  // of rules, in C++
  int nodes;               // of the least case
};
inline vector<fixture> fixtures() {
  using namespace wrong;
  vector<fixture> out;
  out.push_back({"floor", only<floor_rule>(), "fuzz::wrong::only<fuzz::wrong::floor_rule>()", 4});
  out.push_back({"wrap", only<wrap_rule>(), "fuzz::wrong::only<fuzz::wrong::wrap_rule>()", 6});
  out.push_back({"zero", only<zero_rule>(), "fuzz::wrong::only<fuzz::wrong::zero_rule>()", 3});
  out.push_back({"step", only<step_rule>(), "fuzz::wrong::only<fuzz::wrong::step_rule>()", 3});
  out.push_back({"endless", only<endless_rule>(), "fuzz::wrong::only<fuzz::wrong::endless_rule>()", 5});
  return out;
}

}  // namespace fuzz
