#include "json.hpp"

#include <cerrno>
#include <cstdlib>

namespace conformance {

// Recursive descent; nesting is limited, so that no input overflows the stack.
class json_reader {
 public:
  explicit json_reader(std::string_view text) : text_(text) {}

  json whole() {
    json out = value(0);
    skip_spaces();
    if (at_ != text_.size()) fail("text after the value");
    return out;
  }

 private:
  static constexpr int deepest = 500;

  [[noreturn]] void fail(const std::string& problem) const {
    throw data_error("not JSON: " + problem + " at column " + std::to_string(at_ + 1));
  }
  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r' || text_[at_] == '\n')) ++at_;
  }
  bool take(char c) {
    skip_spaces();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail(std::string("expected '") + c + '\'');
  }
  bool take_word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  json value(int depth) {
    if (depth > deepest) fail("nested too deeply");
    skip_spaces();
    if (at_ >= text_.size()) fail("unexpected end");
    json out;
    switch (text_[at_]) {
      case '{': object(out, depth); return out;
      case '[': array(out, depth); return out;
      case '"':
        out.type_ = json::kind::string;
        out.text_ = string();
        return out;
      default: break;
    }
    if (take_word("null")) return out;
    if (take_word("true") || take_word("false")) {
      out.type_ = json::kind::boolean;
      out.boolean_ = text_[at_ - 2] == 'u';
      return out;
    }
    out.type_ = json::kind::number;
    out.text_ = number();
    return out;
  }
  void array(json& out, int depth) {
    out.type_ = json::kind::array;
    ++at_;
    if (take(']')) return;
    do out.items_.push_back(value(depth + 1));
    while (take(','));
    expect(']');
  }
  void object(json& out, int depth) {
    out.type_ = json::kind::object;
    ++at_;
    if (take('}')) return;
    do {
      skip_spaces();
      if (at_ >= text_.size() || text_[at_] != '"') fail("expected a field's name");
      out.names_.push_back(string());
      expect(':');
      out.items_.push_back(value(depth + 1));
    } while (take(','));
    expect('}');
  }
  std::string number() {
    const size_t start = at_;
    const auto digits = [&] {
      const size_t first = at_;
      while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
      if (at_ == first) fail("unexpected character");
    };
    if (text_[at_] == '-') ++at_;
    digits();
    if (at_ < text_.size() && text_[at_] == '.') {
      ++at_;
      digits();
    }
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      ++at_;
      if (at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+')) ++at_;
      digits();
    }
    return std::string(text_.substr(start, at_ - start));
  }
  unsigned hex4() {
    unsigned code = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = at_ < text_.size() ? text_[at_] : '\0';
      const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
      if (digit < 0) fail("bad \\u escape");
      code = code * 16 + static_cast<unsigned>(digit);
    }
    return code;
  }
  // Code points are written as UTF-8; halves of a pair each on their own, which no name in the corpus needs.
  static void append_utf8(std::string& out, unsigned code) {
    if (code < 0x80) {
      out += static_cast<char>(code);
    } else if (code < 0x800) {
      out += static_cast<char>(0xc0 | code >> 6);
      out += static_cast<char>(0x80 | (code & 0x3f));
    } else {
      out += static_cast<char>(0xe0 | code >> 12);
      out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
      out += static_cast<char>(0x80 | (code & 0x3f));
    }
  }
  std::string string() {
    std::string out;
    for (++at_;;) {
      if (at_ >= text_.size()) fail("string without an end");
      const char c = text_[at_++];
      if (c == '"') return out;
      if (static_cast<unsigned char>(c) < 0x20) fail("control character in a string");
      if (c != '\\') {
        out += c;
        continue;
      }
      const char escape = at_ < text_.size() ? text_[at_++] : '\0';
      switch (escape) {
        case '"':
        case '\\':
        case '/': out += escape; break;
        case 'b': out += '\b'; break;
        case 'f': out += '\f'; break;
        case 'n': out += '\n'; break;
        case 'r': out += '\r'; break;
        case 't': out += '\t'; break;
        case 'u': append_utf8(out, hex4()); break;
        default: fail("bad escape");
      }
    }
  }

  std::string_view text_;
  size_t at_ = 0;
};

namespace {
std::string shortened(const json& value) {
  std::string text = value.dump();
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return text;
}
}  // namespace

json json::parse(std::string_view text) { return json_reader(text).whole(); }

bool json::boolean() const {
  if (type_ != kind::boolean) throw data_error("expected true or false, found " + shortened(*this));
  return boolean_;
}
std::int64_t json::integer() const {
  const bool whole = type_ == kind::number && text_.find_first_of(".eE") == std::string::npos;
  if (!whole) throw data_error("expected an integer, found " + shortened(*this));
  errno = 0;
  const std::int64_t value =
      text_[0] == '-' ? std::strtoll(text_.c_str(), nullptr, 10) : static_cast<std::int64_t>(std::strtoull(text_.c_str(), nullptr, 10));
  if (errno != 0) throw data_error("an integer of more than 64 bits: " + text_);
  return value;
}
const std::string& json::string() const {
  if (type_ != kind::string) throw data_error("expected a string, found " + shortened(*this));
  return text_;
}
const std::vector<json>& json::items() const {
  if (type_ != kind::array) throw data_error("expected an array, found " + shortened(*this));
  return items_;
}
const json& json::operator[](size_t i) const {
  if (i >= items().size()) throw data_error("expected at least " + std::to_string(i + 1) + " elements in " + shortened(*this));
  return items_[i];
}
const json& json::operator[](std::string_view field) const {
  const json* found = find(field);
  if (found == nullptr) throw data_error("no field \"" + std::string(field) + "\" in " + shortened(*this));
  return *found;
}
const json* json::find(std::string_view field) const {
  if (type_ != kind::object) throw data_error("expected an object, found " + shortened(*this));
  for (size_t i = 0; i < names_.size(); ++i)
    if (names_[i] == field) return &items_[i];
  return nullptr;
}
bool json::flag(std::string_view field) const {
  const json* found = find(field);
  return found != nullptr && found->is_bool() && found->boolean_;
}

std::string json::dump() const {
  switch (type_) {
    case kind::null: return "null";
    case kind::boolean: return boolean_ ? "true" : "false";
    case kind::number: return text_;
    case kind::string: return quoted(text_);
    default: break;
  }
  std::string out(type_ == kind::array ? "[" : "{");
  for (size_t i = 0; i < items_.size(); ++i) {
    if (i != 0) out += ",";
    if (type_ == kind::object) out += quoted(names_[i]) + ":";
    out += items_[i].dump();
  }
  return out + (type_ == kind::array ? "]" : "}");
}

std::string quoted(std::string_view text) {
  std::string out("\"");
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      constexpr char digits[] = "0123456789abcdef";
      out += "\\u00";
      out += digits[c >> 4];
      out += digits[c & 15];
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace conformance
