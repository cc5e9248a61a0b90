// JSON as the corpus uses it: values read from one line each, and strings written.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace conformance {

// What a file says that it must not: no JSON, or not the schema's.
struct data_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class json {
 public:
  enum class kind { null, boolean, number, string, array, object };

  // Throws data_error with the column.
  static json parse(std::string_view text);

  kind type() const { return type_; }
  bool is_null() const { return type_ == kind::null; }
  bool is_bool() const { return type_ == kind::boolean; }
  bool is_number() const { return type_ == kind::number; }
  bool is_string() const { return type_ == kind::string; }
  bool is_array() const { return type_ == kind::array; }
  bool is_object() const { return type_ == kind::object; }

  // These throw data_error where the value is of another kind.
  bool boolean() const;
  std::int64_t integer() const;  // from -2^63 to 2^64 - 1, the upper half as its bit pattern
  const std::string& string() const;
  const std::vector<json>& items() const;
  size_t size() const { return items().size(); }
  const json& operator[](size_t i) const;
  const json& operator[](std::string_view field) const;
  // nullptr where there is no such field.
  const json* find(std::string_view field) const;
  bool flag(std::string_view field) const;  // present and true

  // The value as JSON again.
  std::string dump() const;

 private:
  friend class json_reader;
  kind type_ = kind::null;
  bool boolean_ = false;
  std::string text_;  // of a string, or a number's digits
  std::vector<json> items_;
  std::vector<std::string> names_;  // of an object's items
};

// A JSON string literal.
std::string quoted(std::string_view text);

}  // namespace conformance
