// The corpus's numbers and dtypes: integers and bools as JSON has them, floating constants as strings in C's hexadecimal.
#pragma once

#include <string>

#include "json.hpp"
#include "twill/ir/arithmetic.hpp"

namespace conformance {

// "float32", "int8x4": values and vectors of them. Throws data_error for others.
twill::dtype read_dtype(const std::string& name);
// "float32*:256@local", "imagef(10,10,4)": a dtype of the schema that is not read here.
bool is_memory_dtype(const std::string& name);
// "0x1.8p+1", "nan", "-inf", or an integer.
double read_double(const json& value);
// A value as a constant word of the kind; what the kind does not hold is converted to it as by CAST.
twill::i64 read_word(const json& value, twill::scalar_kind kind);
// A constant word as JSON.
std::string written(twill::scalar_kind kind, twill::i64 word);

// The corpus's equality of floats: both NaN, or equal, or within 1e-5 of each other.
bool nearly_equal(double a, double b);
// Equal words, or floats that are nearly equal.
bool same_value(twill::scalar_kind kind, twill::i64 a, twill::i64 b);

}  // namespace conformance
