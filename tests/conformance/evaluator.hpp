// Values of expressions at many points: an expression is laid out once, then run, one word for each lane of each node.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "twill/ir/uop.hpp"

namespace conformance {

// The variables of some expressions of one graph: its DEFINE_VARs, SPECIALs and RANGEs.
struct variable {
  std::string name;  // a RANGE's is ridx0, ridx1, …
  twill::uop node;
};
std::vector<variable> variables_of(const std::vector<twill::uop>& roots);
// The variable's place, or variables.size().
size_t find_variable(const std::vector<variable>& variables, const std::string& name);
// A word of each variable, within its bounds; floats are any, often special.
std::vector<twill::i64> random_point(const std::vector<variable>& variables, std::mt19937_64& random);

class evaluator {
 public:
  // Throws twill::argument_error for an op that has no value, or a variable that is not among these.
  evaluator(twill::uop root, const std::vector<variable>& variables);

  // The words of root's lanes, given one of each variable.
  const std::vector<twill::i64>& operator()(const std::vector<twill::i64>& point);
  // Did a MAX see a NaN at the last point?
  bool met_nan_in_max() const { return met_nan_in_max_; }

 private:
  static constexpr size_t no_variable = ~size_t{0};
  struct step {
    twill::uop node;
    size_t first_lane;  // of its values
    size_t variable;
    std::vector<size_t> sources;  // places of their first lanes
  };
  void run(const step& s);

  std::vector<step> steps_;
  std::vector<twill::i64> values_;
  std::vector<twill::i64> result_;
  bool met_nan_in_max_ = false;
};

}  // namespace conformance
