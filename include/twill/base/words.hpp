// A flat list of numbers with static storage: how results of constant evaluation that live in growing memory are kept.
#pragma once

#include "twill/base/vector.hpp"

namespace twill {

template <size_t N>
struct fixed_words {
  i64 items[N == 0 ? 1 : N]{};
  size_t count = 0;
  constexpr span<const i64> view() const { return {items, count}; }
};

// The capacity that a result is written to before its size is known; an oversize constant that nothing reads at run time
// is not emitted.
inline constexpr size_t words_capacity = 16384;

// Two constant expressions but one evaluation: write the result of pack() to a generous capacity, then copy what is used.
template <class Tag>
struct frozen_words {
  static constexpr auto generous = [] {
    fixed_words<words_capacity> out;
    const vector<i64> words = Tag::pack();
    for (const i64 w : words) out.items[out.count++] = w;
    return out;
  }();
  static constexpr auto value = [] {
    fixed_words<generous.count> out;
    for (const i64 w : generous.view()) out.items[out.count++] = w;
    return out;
  }();
};

// Reads a list written with push_back in the same order.
class word_reader {
 public:
  constexpr explicit word_reader(span<const i64> words) : words_(words) {}
  constexpr i64 next() { return words_[at_++]; }
  constexpr span<const i64> next(size_t count) {
    const span<const i64> out = words_.subspan(at_, count);
    at_ += count;
    return out;
  }

 private:
  span<const i64> words_;
  size_t at_ = 0;
};

}  // namespace twill
