// Points at which expressions are compared: those of the corpus's samples, and more.
#pragma once

#include <string>
#include <vector>

#include "evaluator.hpp"
#include "json.hpp"

namespace conformance {

// A sample's values in the order of the variables. One that it does not name can't matter, and gets its least value.
std::vector<twill::i64> sampled_point(const std::vector<variable>& variables, const json& names, const json& values);
// The whole domain where it is small, else points at random, the same ones for the same id.
std::vector<std::vector<twill::i64>> points_of(const std::vector<variable>& variables, const std::string& id);
// Every combination of values at which exact and inexact rules for floats part: zeros, infinities, NaN, large and tiny
// ones, and the ends of integers. The first three variables vary.
std::vector<std::vector<twill::i64>> special_points(const std::vector<variable>& variables);
// " at {a: 1, b: 2}"
std::string shown_point(const std::vector<variable>& variables, const std::vector<twill::i64>& point);

}  // namespace conformance
