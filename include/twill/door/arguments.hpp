// Reading and checking a kernel's arguments at run time, before anything is written.
#pragma once

#include "twill/shape/infer.hpp"
#include "twill/tensor/operand.hpp"

namespace twill {

namespace detail {

struct memory_range {
  const void* begin = nullptr;
  size_t bytes = 0;
  constexpr bool overlaps(const memory_range& other) const {
    if (bytes == 0 || other.bytes == 0) return false;
    const char *a = static_cast<const char*>(begin), *b = static_cast<const char*>(other.begin);
    return a < b + other.bytes && b < a + bytes;
  }
};

template <class P, class Element>
concept pointer_to = std::is_pointer_v<P> && std::is_same_v<std::remove_cv_t<std::remove_pointer_t<P>>, Element>;
template <class C, class Element>
concept contiguous_of = requires(C& c) {
  { c.data() } -> pointer_to<Element>;
  c.size();
};

// The memory of argument number `position`, of at least `needed` elements. Anything with data() and size(), an array, or a
// pointer, which is taken at its word. Raises argument_error for a null pointer and shape_error for too few elements.
template <class Element, class A>
void* argument_pointer(A&& a, i64 position, i64 needed, text_view callee) {
  using plain = std::remove_cvref_t<A>;
  const Element* p = nullptr;
  if constexpr (std::is_same_v<plain, decltype(nullptr)>) {
  } else if constexpr (pointer_to<plain, Element>) {
    p = a;
  } else if constexpr (std::is_array_v<plain>) {
    static_assert(std::is_same_v<std::remove_cv_t<std::remove_all_extents_t<plain>>, Element>, "the argument's element type is not the kernel's");
    p = reinterpret_cast<const Element*>(&a);
    raise_if(check_argument(position, needed, static_cast<i64>(sizeof(a) / sizeof(Element)), callee));
  } else {
    static_assert(contiguous_of<plain, Element>, "an argument must be a pointer, an array, or have data() and size(), with the kernel's element type");
    p = a.data();
    raise_if(check_argument(position, needed, static_cast<i64>(a.size()), callee));
  }
  if (p == nullptr && needed != 0) {
    text message;
    message << "argument " << position << " of the " << callee << " is null, but it needs " << needed << " elements";
    raise<argument_error>(static_cast<text&&>(message));
  }
  return const_cast<void*>(static_cast<const void*>(p));
}

[[noreturn]] inline void raise_alias(text_view what, i64 output, i64 other) {
  text message;
  message << "output " << output << " overlaps " << what << " " << other
          << ": an output may only equal an input that is read at the very index that is written";
  raise<alias_error>(static_cast<text&&>(message));
}

}  // namespace detail
}  // namespace twill
