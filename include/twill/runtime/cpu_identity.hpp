// What -march=native means on this machine, as a digest: a kernel built for one processor must not be loaded on another one
// that shares the cache (a home directory on a network, a container moved to an older machine).
#pragma once

#include "twill/runtime/digest.hpp"
#include "twill/runtime/posix.hpp"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace twill {

// x86: family and model, the feature words of leaves 1, 7 and 0x80000001, and from leaf 0xd the size of the register state
// that the system switched on (AVX-512 can be there and be off). /proc/cpuinfo says the same but some kernels take 10 ms to
// open it. Elsewhere: its first processor, without the lines that change from moment to moment.
inline digest cpu_identity() {
#if defined(__x86_64__) || defined(__i386__)
  u32 a = 0, b = 0, c = 0, d = 0;
  u32 words[12]{};
  if (__get_cpuid(1, &a, &b, &c, &d)) words[0] = a, words[1] = c, words[2] = d;  // b holds the number of the core
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) words[3] = b, words[4] = c, words[5] = d;
  if (__get_cpuid_count(7, 1, &a, &b, &c, &d)) words[6] = a, words[7] = d;
  if (__get_cpuid_count(0xd, 0, &a, &b, &c, &d)) words[8] = a, words[9] = b;
  if (__get_cpuid(0x80000001u, &a, &b, &c, &d)) words[10] = c, words[11] = d;
  return digest_of(reinterpret_cast<const char*>(words), sizeof words);
#else
  vector<char> all;
  const posix::unique_fd file = posix::open_file("/proc/cpuinfo", O_RDONLY);
  if (file) posix::read_all(file.get(), all);
  digest out = digest_of("cpuinfo");
  size_t start = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i] != '\n') continue;
    const text_view line(all.data() + start, i - start);
    if (line.empty()) break;
    if (!line.contains("MHz") && !line.contains("BogoMIPS")) out = digest_of(line, out);
    start = i + 1;
  }
  return out;
#endif
}

}  // namespace twill
