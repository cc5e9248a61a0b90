// A 128-bit name for a run of bytes: the key of the compile caches and the checksum of their files. Not cryptographic: it
// guards against accidents; the cache directory's owner and mode guard against other users.
#pragma once

#include <cstring>

#include "twill/base/hash.hpp"
#include "twill/base/text.hpp"

namespace twill {

struct digest {
  u64 high = 0;
  u64 low = 0;
  friend constexpr bool operator==(const digest&, const digest&) = default;
};

// Two independent 64-bit states over words of eight bytes, the last one padded with zeros, then the length.
inline digest digest_of(const char* bytes, size_t size, digest seed = {}) {
  u64 high = hash_combine(0x7477696c6c2d6869u, seed.high);
  u64 low = hash_combine(0x7477696c6c2d6c6fu, seed.low);
  for (size_t at = 0; at < size; at += 8) {
    u64 word = 0;
    std::memcpy(&word, bytes + at, size - at < 8 ? size - at : 8);
    high = hash_combine(high, word);
    low = hash_combine(low, word << 32 | word >> 32);
  }
  return {hash_combine(high, size), hash_combine(low, ~u64{size})};
}
inline digest digest_of(text_view bytes, digest seed = {}) { return digest_of(bytes.data(), bytes.size(), seed); }

inline text to_text(const digest& d) {
  text out;
  out.hex(d.high, 16).hex(d.low, 16);
  return out;
}

}  // namespace twill
