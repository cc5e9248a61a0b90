// Text that can be built in constant evaluation: a growable string, and names carried as template arguments.
#pragma once

#include "twill/base/vector.hpp"

namespace twill {

// A view of characters; std::string_view without its include cost. Converts to and from it where that header is present.
class text_view {
 public:
  constexpr text_view() = default;
  constexpr text_view(const char* s) : data_(s) {
    while (s[size_] != '\0') ++size_;
  }
  constexpr text_view(const char* s, size_t n) : data_(s), size_(n) {}
  template <class S>
    requires(!std::is_same_v<S, text_view> && !std::is_array_v<S> && requires(const S& s) {
      static_cast<const char*>(s.data());
      s.size();
    })
  constexpr text_view(const S& s) : data_(s.data()), size_(s.size()) {}
  constexpr const char* data() const { return data_; }
  constexpr size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr char operator[](size_t i) const { return data_[i]; }
  constexpr const char* begin() const { return data_; }
  constexpr const char* end() const { return data_ + size_; }
  constexpr bool contains(text_view part) const {
    for (size_t i = 0; i + part.size_ <= size_; ++i)
      if (text_view(data_ + i, part.size_) == part) return true;
    return false;
  }
  friend constexpr bool operator==(text_view a, text_view b) {
    if (a.size_ != b.size_) return false;
    for (size_t i = 0; i < a.size_; ++i)
      if (a.data_[i] != b.data_[i]) return false;
    return true;
  }
  template <class S>
    requires(!std::is_pointer_v<S> && std::is_constructible_v<S, const char*, size_t> && !std::is_same_v<S, text_view>)
  constexpr operator S() const {
    return S(data_, size_);
  }

 private:
  const char* data_ = "";
  size_t size_ = 0;
};

// A string that grows, always followed by a terminating zero. Streams to anything with write(), converts to std::string.
class text {
 public:
  constexpr text() { chars_.push_back('\0'); }
  constexpr text(const char* s) : text() { *this << text_view(s); }
  constexpr text(text_view s) : text() { *this << s; }
  constexpr const char* c_str() const { return chars_.data(); }
  constexpr const char* data() const { return chars_.data(); }
  constexpr size_t size() const { return chars_.size() - 1; }
  constexpr bool empty() const { return size() == 0; }
  constexpr char operator[](size_t i) const { return chars_[i]; }
  constexpr text_view view() const { return {data(), size()}; }
  constexpr bool contains(text_view part) const { return view().contains(part); }

  constexpr text& operator<<(char c) {
    chars_.back() = c;
    chars_.push_back('\0');
    return *this;
  }
  constexpr text& operator<<(const char* s) { return *this << text_view(s); }
  constexpr text& operator<<(const text& s) { return *this << s.view(); }
  constexpr text& operator<<(text_view s) {
    chars_.reserve(chars_.size() + s.size());
    chars_.pop_back();
    for (char c : s) chars_.push_back(c);
    chars_.push_back('\0');
    return *this;
  }
  template <class I>
    requires(std::is_integral_v<I> && !std::is_same_v<I, char> && !std::is_same_v<I, bool>)
  constexpr text& operator<<(I value) {
    char digits[24]{};
    int n = 0;
    bool negative = false;
    if constexpr (std::is_signed_v<I>) negative = value < 0;
    u64 rest = negative ? u64{0} - static_cast<u64>(value) : static_cast<u64>(value);
    do digits[n++] = static_cast<char>('0' + rest % 10);
    while ((rest /= 10) != 0);
    if (negative) *this << '-';
    while (n > 0) *this << digits[--n];
    return *this;
  }
  constexpr text& hex(u64 value, int width = 0) {
    char digits[24]{};
    int n = 0;
    do digits[n++] = "0123456789abcdef"[value & 15];
    while ((value >>= 4) != 0);
    for (int i = n; i < width; ++i) *this << '0';
    while (n > 0) *this << digits[--n];
    return *this;
  }

  friend constexpr bool operator==(const text& a, const text& b) { return a.view() == b.view(); }
  friend constexpr bool operator==(const text& a, const char* b) { return a.view() == text_view(b); }
  friend constexpr bool operator==(const text& a, text_view b) { return a.view() == b; }
  template <class S>
    requires(!std::is_pointer_v<S> && std::is_constructible_v<S, const char*, size_t> && !std::is_same_v<S, text_view>)
  constexpr operator S() const {
    return S(data(), size());
  }

 private:
  vector<char> chars_;
};

template <class Stream>
  requires requires(Stream& s, const char* p) { s.write(p, 1); s.flush(); }
Stream& operator<<(Stream& stream, const text& t) {
  stream.write(t.data(), static_cast<decltype(stream.width())>(t.size()));
  return stream;
}
template <class Stream>
  requires requires(Stream& s, const char* p) { s.write(p, 1); s.flush(); }
Stream& operator<<(Stream& stream, text_view t) {
  stream.write(t.data(), static_cast<decltype(stream.width())>(t.size()));
  return stream;
}

// A string literal as a template argument: var<"i">(0, 31).
template <size_t N>
struct fixed_string {
  char chars[N]{};
  consteval fixed_string(const char (&s)[N]) {
    for (size_t i = 0; i < N; ++i) chars[i] = s[i];
  }
  constexpr operator text_view() const { return {chars, N - 1}; }
};

}  // namespace twill
