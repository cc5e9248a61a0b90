// What single operations mean, computed without the library: for cases whose measured value is not what the library means.
#pragma once

#include <optional>
#include <vector>

#include "twill/ir/dtype.hpp"
#include "twill/ir/ops.hpp"

namespace conformance {

// v rounded once, to nearest even, to the float kind.
double rounded_to(twill::scalar_kind kind, long double v);
// Steps of the kind's numbers between a and b; huge where only one of them is a number, or they are infinities of both signs.
double distance(twill::scalar_kind kind, double a, double b);

// A float op, rounded once; nothing for an op that is not known here.
std::optional<double> float_reference(twill::op code, twill::scalar_kind kind, const std::vector<double>& a);
// Truncates, saturates, NaN is 0; of bool: other than 0. A constant word.
twill::i64 float_to_integer(twill::scalar_kind to, double v);
// The value whose bits in memory are those of a value of another kind. Constant words.
twill::i64 bitcast_reference(twill::scalar_kind to, twill::scalar_kind from, twill::i64 word);
// Division by zero and shift counts outside the width, as the library means them; nothing for what has only one meaning.
std::optional<twill::i64> integer_reference(twill::op code, twill::scalar_kind kind, const std::vector<twill::i64>& a);

}  // namespace conformance
