// Warnings to the user that must not be repeated for every kernel.
#pragma once

#include <pthread.h>

#include "twill/runtime/posix.hpp"

namespace twill {

enum class warning : u8 {
  interpreting,  // there is no compiler: the caller falls back to the interpreter
  cache,         // the disk cache that was asked for is of no use
  count_,
};

// One line on standard error, the first time in the process for each kind.
inline void warn_once(warning kind, text_view message) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static bool given[static_cast<size_t>(warning::count_)]{};
  ::pthread_mutex_lock(&mutex);
  const bool first = !given[static_cast<size_t>(kind)];
  given[static_cast<size_t>(kind)] = true;
  ::pthread_mutex_unlock(&mutex);
  if (!first) return;
  text line("twill: ");
  line << message << '\n';
  posix::write_all(2, line.data(), line.size());
}

}  // namespace twill
