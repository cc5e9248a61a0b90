// Where a fuzzer's decisions come from: a seeded generator, or the bytes that a coverage-guided fuzzer mutates.
#pragma once

#include "twill/base/types.hpp"

namespace fuzz {

using twill::i64;
using twill::u16;
using twill::u32;
using twill::u64;
using twill::u8;

// The finalizer of splitmix64 (Steele, Lea, Flood 2014).
constexpr u64 mixed(u64 v) {
  v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9;
  v = (v ^ v >> 27) * 0x94d049bb133111eb;
  return v ^ v >> 31;
}

class choices {
 public:
  constexpr explicit choices(u64 seed) : state_(seed) {}
  constexpr choices(const u8* data, twill::size_t size) : data_(data), size_(size) {}

  // Bytes that are used up go on as zeros: every choice is then the first one.
  constexpr u64 word(int bytes = 8) {
    if (data_ == nullptr) return mixed(state_ += 0x9e3779b97f4a7c15);
    u64 out = 0;
    for (int i = 0; i < bytes && at_ < size_; ++i) out = out << 8 | data_[at_++];
    return out;
  }
  constexpr u32 below(u32 n) {
    if (data_ != nullptr) return static_cast<u32>(word(n <= 256 ? 1 : 4) % n);
    return static_cast<u32>((word() >> 32) * n >> 32);
  }
  constexpr bool one_in(u32 n) { return below(n) == n - 1; }

 private:
  u64 state_ = 0;
  const u8* data_ = nullptr;
  twill::size_t size_ = 0, at_ = 0;
};

}  // namespace fuzz
