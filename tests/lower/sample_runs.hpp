// Fills the buffers of a sample program and runs it with the interpreter.
#pragma once

#include "lower/sample_programs.hpp"
#include "twill/exec/interpreter.hpp"

namespace samples {

constexpr vector<vector<i64>> filled_buffers(const sample& s) {
  vector<vector<i64>> buffers;
  for (size_t b = 0; b < s.code.buffers.size(); ++b) {
    const buffer_info& info = s.code.buffers[b];
    if (info.local) break;
    vector<i64> words(static_cast<size_t>(info.elements));
    for (size_t e = 0; e < words.size(); ++e) words[e] = input_word(s, b, static_cast<i64>(e));
    buffers.push_back(words);
  }
  return buffers;
}

// All buffers as words after a run on words.
constexpr vector<vector<i64>> run_on_words(const sample& s) {
  vector<vector<i64>> buffers = filled_buffers(s);
  vector<span<i64>> spans;
  for (auto& b : buffers) spans.push_back({b.data(), b.size()});
  word_memory memory{span<const span<i64>>(spans)};
  interpret(view_of(s.code), memory, 0, s.code.parallel_count);
  return buffers;
}

// The buffers as memory for compiled code: each starts at an odd multiple of its element size, and ends where it ends.
class raw_buffers {
 public:
  explicit raw_buffers(const sample& s) : s_(s) {
    const vector<vector<i64>> filled = filled_buffers(s);
    for (size_t b = 0; b < filled.size(); ++b) {
      const scalar_kind kind = s.code.buffers[b].kind;
      const size_t bytes = static_cast<size_t>(byte_size(kind));
      vector<unsigned char> raw((filled[b].size() + 1) * bytes);
      for (size_t e = 0; e < filled[b].size(); ++e) {
        const u64 bits = raw_bits(kind, filled[b][e]);
        __builtin_memcpy(raw.data() + (e + 1) * bytes, &bits, bytes);
      }
      raw_.push_back(raw);
    }
    for (size_t b = 0; b < filled.size(); ++b) pointers_.push_back(raw_[b].data() + byte_size(s.code.buffers[b].kind));
  }
  void* const* arguments() const { return pointers_.data(); }
  vector<vector<i64>> words() const {
    vector<vector<i64>> all;
    for (size_t b = 0; b < raw_.size(); ++b) {
      const scalar_kind kind = s_.code.buffers[b].kind;
      const size_t bytes = static_cast<size_t>(byte_size(kind)), count = raw_[b].size() / bytes - 1;
      vector<i64> words(count);
      for (size_t e = 0; e < count; ++e) {
        u64 bits = 0;
        __builtin_memcpy(&bits, raw_[b].data() + (e + 1) * bytes, bytes);
        words[e] = word_of_raw_bits(kind, bits);
      }
      all.push_back(words);
    }
    return all;
  }

 private:
  const sample& s_;
  vector<vector<unsigned char>> raw_;
  vector<void*> pointers_;
};

// After a run on memory in pieces of `chunk` parallel indices (0: all at once).
inline vector<vector<i64>> run_on_memory(const sample& s, i64 chunk = 0) {
  raw_buffers raw(s);
  const i64 count = s.code.parallel_count, step = chunk > 0 ? chunk : count;
  for (i64 i = 0; i < count; i += step) interpret(view_of(s.code), raw.arguments(), i, i + step < count ? i + step : count);
  return raw.words();
}

}  // namespace samples
