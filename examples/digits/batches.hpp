// Batches of a fixed size from any number of rows.
#pragma once

#include <array>
#include <cstdint>
#include <numeric>

#include "data.hpp"
#include "model.hpp"

namespace digits {

struct batch {
  std::array<float, batch_size * pixels> images{};
  std::array<int, batch_size> digits;

  batch() { digits.fill(-1); }  // of no class: adds nothing to the loss
  void set(size_t position, const dataset& from, size_t row) {
    std::copy_n(from.image(row), pixels, images.data() + position * pixels);
    digits[position] = from.digits[row];
  }
};

// The same numbers with every standard library.
class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : state_(seed) {}
  std::uint64_t operator()() {  // splitmix64
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  size_t below(size_t n) { return static_cast<size_t>((*this)() % n); }
  float between(float low, float high) { return low + (high - low) * static_cast<float>((*this)() >> 40) * 0x1p-24f; }

 private:
  std::uint64_t state_;
};

// An endless stream of rows, shuffled again each time that all were taken; a batch is the next batch_size of them.
class training_batches {
 public:
  training_batches(const dataset& rows, std::uint64_t seed) : rows_(&rows), order_(rows.size()), random_(seed) {
    std::iota(order_.begin(), order_.end(), size_t{0});
  }
  batch next() {
    batch out;
    for (size_t i = 0; i < batch_size; ++i) {
      if (taken_ % order_.size() == 0)
        for (size_t k = order_.size(); k > 1; --k) std::swap(order_[k - 1], order_[random_.below(k)]);
      out.set(i, *rows_, order_[taken_++ % order_.size()]);
    }
    return out;
  }

 private:
  const dataset* rows_;
  std::vector<size_t> order_;
  random_numbers random_;
  size_t taken_ = 0;
};

// Calls use(batch, first row, rows in it) for all rows in order. The last batch is filled up with blank rows.
template <class Use>
void for_each_batch(const dataset& rows, const Use& use) {
  for (size_t first = 0; first < rows.size(); first += batch_size) {
    const size_t count = std::min<size_t>(batch_size, rows.size() - first);
    batch b;
    for (size_t i = 0; i < count; ++i) b.set(i, rows, first + i);
    use(b, first, count);
  }
}

}  // namespace digits
