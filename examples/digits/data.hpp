// Images and their digits, read from a file and divided into training and test rows.
#pragma once

#include <algorithm>
#include <charconv>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace digits {

inline constexpr int image_size = 64, brightest = 16, last_digit = 9;
inline constexpr size_t test_every = 5;  // row i is a test row when i % 5 == 4

struct dataset {
  std::vector<float> pixels;  // 64 a row, from 0 to 1
  std::vector<int> digits;

  size_t size() const { return digits.size(); }
  const float* image(size_t row) const { return pixels.data() + row * image_size; }
  void add(const float* image, int digit) {
    pixels.insert(pixels.end(), image, image + image_size);
    digits.push_back(digit);
  }
};

// What is wrong with a file: FILE:LINE:COLUMN: …, lines and columns (of characters) counted from 1.
struct malformed_file : std::runtime_error {
  malformed_file(const std::string& file, size_t line, size_t column, const std::string& what)
      : std::runtime_error(file + ":" + std::to_string(line) + ":" + std::to_string(column) + ": " + what) {}
};

namespace detail {

// The text of a field as it may be printed: short, and without characters that a terminal would act on.
inline std::string quoted(std::string_view field) {
  std::string out = "\"";
  for (const char c : field.substr(0, 20)) out += c >= ' ' && c <= '~' ? c : '?';
  return out + (field.size() > 20 ? "…\"" : "\"");
}

inline std::string_view trimmed(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t' || s.back() == '\r')) s.remove_suffix(1);
  return s;
}

// One field; `fail(what)` does not return.
template <class Fail>
int parse_field(std::string_view field, int number, const Fail& fail) {
  const bool is_digit = number == image_size;
  const int limit = is_digit ? last_digit : brightest;
  const std::string which =
      is_digit ? "the digit, a whole number from 0 to 9" : "pixel " + std::to_string(number + 1) + ", a whole number from 0 to 16";
  if (field.empty()) fail("nothing where there should be " + which);
  int value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  const bool all_read = end == field.data() + field.size();
  if (error == std::errc::invalid_argument || !all_read) fail(quoted(field) + " is not a number that can be " + which);
  if (error == std::errc::result_out_of_range || value < 0 || value > limit) fail(quoted(field) + " is out of range for " + which);
  return value;
}

}  // namespace detail

// Lines of 64 pixels and a digit, separated by commas. Throws malformed_file; std::runtime_error for a file that cannot be read.
inline dataset read_digits(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  dataset out;
  std::string text;
  size_t line = 0;
  while (in && in.peek() != std::ifstream::traits_type::eof() && std::getline(in, text)) {
    ++line;
    const auto fail = [&](size_t at, const std::string& what) { throw malformed_file(file, line, at + 1, what); };
    float image[image_size];
    int digit = 0, field = 0;
    for (size_t start = 0; start <= text.size(); ++field) {
      const size_t end = std::min(text.find(',', start), text.size());
      if (field > image_size) fail(start, "more than 65 columns");
      const std::string_view value = detail::trimmed(std::string_view(text).substr(start, end - start));
      if (end == text.size() && field < image_size) {
        if (field == 0 && value.empty()) fail(0, "an empty line");
        fail(end, "the line ends after " + std::to_string(field + 1) + " of 65 columns");
      }
      const size_t at = value.empty() ? start : static_cast<size_t>(value.data() - text.data());
      const int parsed = detail::parse_field(value, field, [&](const std::string& what) { fail(at, what); });
      if (field == image_size) digit = parsed;
      else image[field] = static_cast<float>(parsed) / brightest;
      start = end + 1;
    }
    out.add(image, digit);
  }
  if (!in.eof() || in.bad()) throw std::runtime_error(file + ": cannot be read");
  if (line == 0) throw malformed_file(file, 1, 1, "the file is empty");
  if (out.size() < test_every)
    throw malformed_file(file, line, 1, "the file ends after " + std::to_string(line) + (line == 1 ? " row" : " rows") + ", but training and testing need at least 5");
  return out;
}

struct divided_dataset {
  dataset train, test;
};
inline divided_dataset divide(const dataset& all) {
  divided_dataset out;
  for (size_t i = 0; i < all.size(); ++i) (i % test_every == test_every - 1 ? out.test : out.train).add(all.image(i), all.digits[i]);
  return out;
}

}  // namespace digits
