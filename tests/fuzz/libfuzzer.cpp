// The same expressions from the bytes that libFuzzer mutates: build the target twill_libfuzzer with clang.
#include <cstdio>
#include <cstdlib>

#include "fuzz/run.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static fuzz::run run(fuzz::all_rules(), 0);
  if (run.alone(fuzz::choices(data, size))) return 0;
  const fuzz::shrunk& least = run.found.least;
  std::printf("FAILED: %s: %s\n\n%s", fuzz::name(least.why.what), least.why.why.c_str(), to_cpp(least.what, least.why.at).c_str());
  std::fflush(stdout);
  std::abort();
}
