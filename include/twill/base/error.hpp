// Errors. The core returns problems as values; the doors raise them: as exceptions where those exist, otherwise through
// a replaceable handler followed by abort.
#pragma once

#include <exception>

#include "twill/base/config.hpp"
#include "twill/base/text.hpp"

namespace twill {

// Base of every exception of the library; what() is one sentence with the operation, the shapes and the numbers.
class error : public std::exception {
 public:
  explicit error(text message) : message_(static_cast<text&&>(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  text message_;
};
struct shape_error : error { using error::error; };      // shapes, axes, element counts
struct dtype_error : error { using error::error; };      // dtypes that an operation does not take
struct alias_error : error { using error::error; };      // output overlapping an input
struct argument_error : error { using error::error; };   // null pointers, bad settings
struct compile_error : error { using error::error; };    // the host compiler failed
struct rewrite_error : error { using error::error; };    // a rule set does not terminate
struct graph_error : error { using error::error; };      // a graph that breaks the rules of its stage

using error_handler = void (*)(const char* message);
inline error_handler& current_error_handler() {
  static error_handler handler = nullptr;
  return handler;
}
// Installs the function that is called, before abort, where exceptions are switched off. Returns the previous one.
inline error_handler set_error_handler(error_handler handler) {
  const error_handler previous = current_error_handler();
  current_error_handler() = handler;
  return previous;
}

template <class E>
[[noreturn]] void raise(text message) {
#if TWILL_EXCEPTIONS
  throw E(static_cast<text&&>(message));
#else
  if (current_error_handler() != nullptr) current_error_handler()(message.c_str());
  __builtin_abort();
#endif
}

}  // namespace twill
