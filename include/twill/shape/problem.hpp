// What is wrong with the operands of an operation, as a plain value, and the sentence that says so. One record serves
// the compile-time doors (its figures become template arguments) and the run-time ones (its sentence is thrown).
#pragma once

#include "twill/shape/shape.hpp"

namespace twill {

enum class problem_code : u8 {
  none,
  broadcast,           // first, second, axis, sizes
  matmul_inner,        // first, second, sizes
  matmul_batch,        // first, second, axis, sizes
  matmul_scalar,       // first, second
  reshape_count,       // first, second, counts
  reshape_two_unknown, // first, second
  reshape_no_multiple, // first, second, counts
  reshape_undetermined,// first, second, axis
  negative_size,       // first, axis, size
  count_overflow,      // first
  axis_range,          // first, axis
  axis_twice,          // first, axis
  axis_count,          // first, count
  expand_axis,         // first, second, axis, sizes
  expand_rank,         // first, second
  pad_negative,        // first, axis, amounts
  shrink_range,        // first, axis, bounds
  window_fit,          // first, second, axis, sizes
  window_step,         // first, axis, step
  assign,              // first (value), second (destination)
  concatenate,         // first, second, axis, sizes
  empty_reduction,     // first, axis
  squeeze_axis,        // first, axis, size
  index_range,         // first, axis, index
  argument_size,       // index of the argument, needed, given
  not_strided,         // first, number of views
  address_overflow,    // first
  rank_mismatch,       // first, second
};

// Sizes in a plain array: usable in template arguments. Ranks over 8 keep their rank and their first 8 sizes.
struct plain_shape {
  i64 sizes[8]{};
  u32 rank = 0;
  constexpr plain_shape() = default;
  constexpr plain_shape(const shape& s) : rank(static_cast<u32>(s.rank())) {
    for (u32 i = 0; i < rank && i < 8; ++i) sizes[i] = s[i].bits;
  }
  friend constexpr bool operator==(const plain_shape&, const plain_shape&) = default;
  friend constexpr text& operator<<(text& out, const plain_shape& s) {
    out << '(';
    for (u32 i = 0; i < s.rank && i < 8; ++i) {
      if (i > 0) out << ", ";
      out << s.sizes[i];
    }
    if (s.rank > 8) out << ", ...";
    return out << ')';
  }
};

struct problem {
  problem_code code = problem_code::none;
  char operation[23]{};      // the user's word for the operation: "sum", "matmul"
  plain_shape first, second;
  i64 axis = 0;
  i64 figures[2]{};          // the two sizes or counts in question
  constexpr explicit operator bool() const { return code != problem_code::none; }
  friend constexpr bool operator==(const problem&, const problem&) = default;
};

namespace detail {
constexpr problem make_problem(problem_code code, text_view operation, const shape& first, const shape& second = {}, i64 axis = 0,
                               i64 figure0 = 0, i64 figure1 = 0) {
  problem p;
  p.code = code;
  for (size_t i = 0; i < operation.size() && i + 1 < sizeof(p.operation); ++i) p.operation[i] = operation[i];
  p.first = first;
  p.second = second;
  p.axis = axis;
  p.figures[0] = figure0;
  p.figures[1] = figure1;
  return p;
}
}  // namespace detail

// The sentence for p: the operation, the shapes and the figures, in the same words in all modes. Empty for no problem.
constexpr text message(const problem& p) {
  text out;
  const text_view name(p.operation);
  const i64 x = p.figures[0], y = p.figures[1];
  switch (p.code) {
    case problem_code::none: break;
    case problem_code::broadcast:
      out << "cannot broadcast " << p.first << " with " << p.second << ": axis " << p.axis << " is " << x << " and " << y;
      break;
    case problem_code::matmul_inner:
      out << name << ": " << p.first << " with " << p.second << ": inner sizes are " << x << " and " << y;
      break;
    case problem_code::matmul_batch:
      out << name << ": " << p.first << " with " << p.second << ": batch axis " << p.axis << " is " << x << " and " << y;
      break;
    case problem_code::matmul_scalar:
      out << name << ": " << p.first << " with " << p.second << ": both need at least one axis";
      break;
    case problem_code::reshape_count:
      out << "cannot reshape " << p.first << " into " << p.second << ": " << x << " elements, not " << y;
      break;
    case problem_code::reshape_two_unknown:
      out << "cannot reshape " << p.first << " into " << p.second << ": only one size may be -1";
      break;
    case problem_code::reshape_no_multiple:
      out << "cannot reshape " << p.first << " into " << p.second << ": " << x << " elements are no multiple of " << y;
      break;
    case problem_code::reshape_undetermined:
      out << "cannot reshape " << p.first << " into " << p.second << ": with 0 elements the size of axis " << p.axis << " is not determined";
      break;
    case problem_code::negative_size:
      out << name << ": axis " << p.axis << " of " << p.first << " has size " << x;
      break;
    case problem_code::count_overflow:
      out << name << ": " << p.first << " has more than " << INT64_MAX << " elements";
      break;
    case problem_code::axis_range:
      out << name << ": axis " << p.axis << " is out of range for rank " << p.first.rank << " (shape " << p.first << ")";
      break;
    case problem_code::axis_twice:
      out << name << ": axis " << p.axis << " is given twice (shape " << p.first << ")";
      break;
    case problem_code::axis_count:
      out << name << ": " << x << " given for rank " << p.first.rank << " (shape " << p.first << ")";
      break;
    case problem_code::expand_axis:
      out << "cannot expand " << p.first << " to " << p.second << ": axis " << p.axis << " is " << x << ", not 1 or " << y;
      break;
    case problem_code::expand_rank:
      out << "cannot expand " << p.first << " to " << p.second << ": rank " << p.first.rank << " is more than " << p.second.rank;
      break;
    case problem_code::pad_negative:
      out << name << ": axis " << p.axis << " cannot grow by " << x << " and " << y << " (shape " << p.first << ")";
      break;
    case problem_code::shrink_range:
      out << name << ": [" << x << ", " << y << ") is no range of axis " << p.axis << " (shape " << p.first << ")";
      break;
    case problem_code::window_fit:
      out << name << ": a window of " << y << " does not fit axis " << p.axis << " of size " << x << " (shape " << p.first << ")";
      break;
    case problem_code::window_step:
      out << name << ": sizes, steps and dilations must be positive, axis " << p.axis << " has " << x << " (shape " << p.first << ")";
      break;
    case problem_code::assign:
      out << "cannot assign " << p.first << " to " << p.second;
      break;
    case problem_code::concatenate:
      out << name << ": " << p.first << " with " << p.second << ": axis " << p.axis << " is " << x << " and " << y;
      break;
    case problem_code::empty_reduction:
      out << name << ": axis " << p.axis << " of " << p.first << " is empty, and there is no value for that";
      break;
    case problem_code::squeeze_axis:
      out << name << ": axis " << p.axis << " of " << p.first << " is " << x << ", not 1";
      break;
    case problem_code::index_range:
      out << name << ": " << x << " is out of range for axis " << p.axis << " (shape " << p.first << ")";
      break;
    case problem_code::argument_size:
      out << "argument " << p.axis << " of the " << name << " needs " << x << " elements, got " << y;
      break;
    case problem_code::not_strided:
      out << name << ": " << p.first << " is made of " << x << " views, which no strides describe";
      break;
    case problem_code::address_overflow:
      out << name << ": addresses within " << p.first << " do not fit 64 bits";
      break;
    case problem_code::rank_mismatch:
      out << name << ": " << p.first << " and " << p.second << " differ in rank";
      break;
  }
  return out;
}

// Does nothing without a problem; otherwise throws shape_error at run time and stops constant evaluation.
constexpr void raise_if(const problem& p) {
  if (p) raise<shape_error>(message(p));
}

constexpr i64 shape::elements() const {
  const detail::product p = detail::product_of(data(), rank());
  if (!p.fits) {
    for (size_t i = 0; i < rank(); ++i)
      if ((*this)[i].bits < 0)
        raise_if(detail::make_problem(problem_code::negative_size, "shape", *this, {}, static_cast<i64>(i), (*this)[i].bits));
    raise_if(detail::make_problem(problem_code::count_overflow, "shape", *this));
  }
  return p.value;
}

}  // namespace twill
