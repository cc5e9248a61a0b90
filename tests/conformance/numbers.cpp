#include "numbers.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace conformance {

using namespace twill;

dtype read_dtype(const std::string& name) {
  for (int i = 0; i <= static_cast<int>(scalar_kind::float64); ++i) {
    const scalar_kind kind = static_cast<scalar_kind>(i);
    const std::string scalar(twill::name(kind));
    if (name == scalar) return {kind};
    if (name.size() <= scalar.size() + 1 || name.compare(0, scalar.size() + 1, scalar + 'x') != 0) continue;
    const std::string lanes = name.substr(scalar.size() + 1);
    if (lanes.size() <= 4 && lanes.find_first_not_of("0123456789") == std::string::npos && lanes != "0")
      return dtype{kind}.with_lanes(static_cast<u16>(std::atoi(lanes.c_str())));
  }
  throw data_error("unknown dtype " + quoted(name));
}

bool is_memory_dtype(const std::string& name) { return name.find('*') != std::string::npos || name.compare(0, 5, "image") == 0; }

double read_double(const json& value) {
  if (value.is_number()) return static_cast<double>(value.integer());
  const std::string& text = value.string();
  char* end = nullptr;
  const double out = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') throw data_error("expected a number in hexadecimal, nan or inf, found " + quoted(text));
  return out;
}

i64 read_word(const json& value, scalar_kind kind) {
  if (value.is_string()) return cast_word(kind, scalar_kind::float64, word_of(read_double(value)));
  if (value.is_bool()) return cast_word(kind, scalar_kind::bool_, value.boolean());
  const i64 word = value.integer();
  const bool wide = word < 0 && value.dump()[0] != '-';
  return cast_word(kind, wide ? scalar_kind::uint64 : scalar_kind::int64, word);
}

std::string written(scalar_kind kind, i64 word) {
  if (is_bool(kind)) return word != 0 ? "true" : "false";
  if (kind == scalar_kind::uint64) return std::to_string(static_cast<u64>(word));
  if (!is_float(kind)) return std::to_string(word);
  const double value = double_of(word);
  if (scalar::is_nan(value)) return "\"nan\"";
  if (!scalar::is_finite(value)) return value > 0 ? "\"inf\"" : "\"-inf\"";
  char digits[40];
  std::snprintf(digits, sizeof digits, "\"%a\"", value);
  return digits;
}

bool nearly_equal(double a, double b) {
  if (scalar::is_nan(a) || scalar::is_nan(b)) return scalar::is_nan(a) && scalar::is_nan(b);
  if (!scalar::is_finite(a) || !scalar::is_finite(b)) return word_of(a) == word_of(b);
  const double larger = std::fmax(std::fabs(a), std::fabs(b));
  return std::fabs(a - b) <= 1e-5 * larger;
}

bool same_value(scalar_kind kind, i64 a, i64 b) { return a == b || (is_float(kind) && nearly_equal(double_of(a), double_of(b))); }

}  // namespace conformance
