// Shape and dtype problems as compile errors: the figures are types, so that compilers print them on the first error's
// lines; the sentence is a string in a template argument, which g++ prints whole.
#pragma once

#include <utility>

#include "twill/shape/static_shape.hpp"
#include "twill/tensor/operand.hpp"

namespace twill {

template <size_t N>
struct words {
  char text[N]{};
};
template <i64 Axis>
struct on_axis;
template <i64... Sizes>
struct sizes_are;

// Never true: their names and arguments are what a compiler prints.
template <auto Says, class... Figures> inline constexpr bool shapes_broadcast = false;
template <auto Says, class... Figures> inline constexpr bool matmul_shapes_fit = false;
template <auto Says, class... Figures> inline constexpr bool element_counts_agree = false;
template <auto Says, class... Figures> inline constexpr bool axis_is_in_range = false;
template <auto Says, class... Figures> inline constexpr bool assignable_shapes = false;
template <auto Says, class... Figures> inline constexpr bool shapes_are_valid = false;
template <auto Says, class... Figures> inline constexpr bool dtypes_are_valid = false;

namespace detail {

template <plain_shape S>
struct dims_of {
  template <size_t... I>
  static auto list(std::index_sequence<I...>) -> dims<S.sizes[I]...>;
  using type = decltype(list(std::make_index_sequence<S.rank>{}));
};

// clang prints the types of a failed requirement and would cut the sentence; g++ prints the sentence.
template <class Tag>
constexpr auto sentence_of() {
#if defined(__clang__)
  return 0;
#else
  words<128> out;
  text said = message(Tag::problem);
  if (said.empty()) said = message(Tag::type_problem);
  for (size_t i = 0; i < said.size() && i + 1 < sizeof(out.text); ++i) out.text[i] = said[i];
  return out;
#endif
}

// Tag::problem (of shapes) or Tag::type_problem is known at compile time. One static_assert for each kind of problem.
template <class Tag>
constexpr void refuse() {
  constexpr problem p = Tag::problem;
  using first = typename dims_of<p.first>::type;
  using second = typename dims_of<p.second>::type;
  constexpr auto says = sentence_of<Tag>();
  if constexpr (p.code == problem_code::none) {
    static_assert(dtypes_are_valid<says>, "the dtypes do not fit the operation: no common type, bool arithmetic, or floats where integers are needed");
  } else if constexpr (p.code == problem_code::broadcast) {
    static_assert(shapes_broadcast<says, first, second, on_axis<p.axis>, sizes_are<p.figures[0], p.figures[1]>>, "cannot broadcast: the sizes of an axis differ and neither is 1");
  } else if constexpr (p.code == problem_code::matmul_inner || p.code == problem_code::matmul_batch || p.code == problem_code::matmul_scalar) {
    static_assert(matmul_shapes_fit<says, first, second, sizes_are<p.figures[0], p.figures[1]>>, "matmul: the inner sizes must be equal");
  } else if constexpr (p.code == problem_code::reshape_count || p.code == problem_code::reshape_no_multiple || p.code == problem_code::reshape_two_unknown) {
    static_assert(element_counts_agree<says, first, second, sizes_are<p.figures[0], p.figures[1]>>, "cannot reshape: the element counts differ");
  } else if constexpr (p.code == problem_code::axis_range || p.code == problem_code::axis_twice) {
    static_assert(axis_is_in_range<says, first, on_axis<p.axis>, sizes_are<static_cast<i64>(p.first.rank)>>, "axis out of range for the rank (or given twice)");
  } else if constexpr (p.code == problem_code::assign) {
    static_assert(assignable_shapes<says, first, second>, "cannot assign: the shapes differ, and assignment does not broadcast");
  } else {
    static_assert(shapes_are_valid<says, first, second, on_axis<p.axis>, sizes_are<p.figures[0], p.figures[1]>>, "the shapes do not fit the operation");
  }
}

}  // namespace detail
}  // namespace twill
