// Shape inference at value level: for every operation, from the operands' shapes the result's shape or the problem.
// Arrays, the recording operand and tensors all ask here.
#pragma once

#include "twill/shape/problem.hpp"

namespace twill {

// With a problem, shape is a stand-in of a plausible rank so that a recorder can go on and report the first problem only.
struct inferred {
  twill::shape shape;
  twill::problem problem;
  constexpr bool ok() const { return !problem; }
};

// Axes in [0, rank), in the order given.
struct inferred_axes {
  vector<u32, 8> axes;
  twill::problem problem;
  constexpr bool ok() const { return !problem; }
};

// Sizes are not negative and the element count fits int64.
constexpr problem check_shape(const shape& s, text_view operation = "shape") {
  if (detail::product_of(s.data(), s.rank()).fits) return {};
  for (size_t i = 0; i < s.rank(); ++i)
    if (s[i].bits < 0) return detail::make_problem(problem_code::negative_size, operation, s, {}, static_cast<i64>(i), s[i].bits);
  return detail::make_problem(problem_code::count_overflow, operation, s);
}

// One axis, counted from the end when negative. Law: ok() iff -rank <= axis < rank.
constexpr inferred_axes infer_axis(const shape& s, sint axis, text_view operation) {
  inferred_axes out;
  const i64 rank = static_cast<i64>(s.rank());
  const i64 a = axis.bits;
  if (a < -rank || a >= rank) out.problem = detail::make_problem(problem_code::axis_range, operation, s, {}, a);
  else out.axes.push_back(static_cast<u32>(a < 0 ? a + rank : a));
  return out;
}

// Several axes, none twice.
constexpr inferred_axes infer_axes(const shape& s, span<const sint> axes, text_view operation) {
  inferred_axes out;
  const i64 rank = static_cast<i64>(s.rank());
  out.axes.reserve(axes.size());
  u64 seen = 0;
  for (const sint& axis : axes) {
    const i64 a = axis.bits < 0 ? axis.bits + rank : axis.bits;
    if (a < 0 || a >= rank) {
      out.problem = detail::make_problem(problem_code::axis_range, operation, s, {}, axis.bits);
      return out;
    }
    bool twice = false;
    if (a < 64) twice = (seen >> a & 1) != 0, seen |= u64{1} << a;
    else
      for (u32 other : out.axes) twice = twice || other == static_cast<u32>(a);
    if (twice) {
      out.problem = detail::make_problem(problem_code::axis_twice, operation, s, {}, axis.bits);
      return out;
    }
    out.axes.push_back(static_cast<u32>(a));
  }
  return out;
}

// Right-aligned; a size 1 stretches to any size, 0 included. The problem names the rightmost mismatch, counted in the
// aligned result, and the two operands that disagree there.
constexpr inferred infer_broadcast(span<const shape> operands) {
  inferred out;
  size_t rank = 0;
  for (const shape& s : operands) rank = s.rank() > rank ? s.rank() : rank;
  out.shape.resize(rank, 1);
  for (size_t axis = rank; axis-- > 0;) {
    i64 size = 1;
    size_t from = 0;
    for (size_t k = 0; k < operands.size(); ++k) {
      const shape& s = operands[k];
      const size_t missing = rank - s.rank();
      if (axis < missing) continue;
      const i64 here = s[axis - missing].bits;
      if (here == 1 || here == size) continue;
      if (size != 1) {
        if (!out.problem)
          out.problem = detail::make_problem(problem_code::broadcast, "broadcast", operands[from], s, static_cast<i64>(axis), size, here);
        continue;
      }
      size = here;
      from = k;
    }
    out.shape[axis] = size;
  }
  if (!out.problem) out.problem = check_shape(out.shape, "broadcast");
  return out;
}
constexpr inferred infer_broadcast(const shape& a, const shape& b) {
  if (a == b) return {a, check_shape(a, "broadcast")};
  const shape both[]{a, b};
  return infer_broadcast(span<const shape>(both));
}
constexpr inferred infer_broadcast(const shape& a, const shape& b, const shape& c) {
  const shape all[]{a, b, c};
  return infer_broadcast(span<const shape>(all));
}

// NumPy's matmul: the last axis of a with the last but one of b; one-dimensional operands lend an axis that the result
// does not keep; axes before the last two broadcast.
constexpr inferred infer_matmul(const shape& a, const shape& b, text_view operation = "matmul") {
  inferred out;
  const size_t ra = a.rank(), rb = b.rank();
  if (ra == 0 || rb == 0) {
    out.problem = detail::make_problem(problem_code::matmul_scalar, operation, a, b);
    return out;
  }
  const size_t batch_a = ra > 2 ? ra - 2 : 0, batch_b = rb > 2 ? rb - 2 : 0;
  const size_t batch = batch_a > batch_b ? batch_a : batch_b;
  out.shape.resize(batch, 1);
  const i64 inner_a = a[ra - 1].bits, inner_b = b[rb == 1 ? 0 : rb - 2].bits;
  if (inner_a != inner_b) out.problem = detail::make_problem(problem_code::matmul_inner, operation, a, b, 0, inner_a, inner_b);
  for (size_t axis = batch; axis-- > 0;) {
    const i64 x = axis + batch_a < batch ? 1 : a[axis + batch_a - batch].bits;
    const i64 y = axis + batch_b < batch ? 1 : b[axis + batch_b - batch].bits;
    if (x != y && x != 1 && y != 1 && !out.problem)
      out.problem = detail::make_problem(problem_code::matmul_batch, operation, a, b, static_cast<i64>(axis), x, y);
    out.shape[axis] = x == 1 ? y : x;
  }
  if (ra > 1) out.shape.push_back(a[ra - 2]);
  if (rb > 1) out.shape.push_back(b[rb - 1]);
  if (!out.problem) out.problem = check_shape(out.shape, operation);
  return out;
}

// One size may be -1: what the others leave. With no elements there is nothing to infer it from, so that is refused.
constexpr inferred infer_reshape(const shape& from, const shape& to) {
  using detail::make_problem;
  inferred out;
  out.shape = to;
  const i64 count = from.elements();
  size_t unknown = to.rank();
  for (size_t i = 0; i < to.rank(); ++i) {
    if (to[i].bits >= 0) continue;
    if (to[i].bits != -1) {
      out.problem = make_problem(problem_code::negative_size, "reshape", to, {}, static_cast<i64>(i), to[i].bits);
      return out;
    }
    if (unknown != to.rank()) {
      out.problem = make_problem(problem_code::reshape_two_unknown, "reshape", from, to);
      return out;
    }
    unknown = i;
  }
  if (unknown != to.rank()) out.shape[unknown] = 1;
  const detail::product rest = detail::product_of(out.shape.data(), out.shape.rank());
  if (!rest.fits) out.problem = make_problem(problem_code::count_overflow, "reshape", to);
  else if (unknown == to.rank()) {
    if (rest.value != count) out.problem = make_problem(problem_code::reshape_count, "reshape", from, to, 0, count, rest.value);
  } else if (count == 0 || rest.value == 0) {
    if (count == 0) out.problem = make_problem(problem_code::reshape_undetermined, "reshape", from, to, static_cast<i64>(unknown));
    else out.problem = make_problem(problem_code::reshape_count, "reshape", from, to, 0, count, 0);
  } else if (count % rest.value != 0) {
    out.problem = make_problem(problem_code::reshape_no_multiple, "reshape", from, to, 0, count, rest.value);
  } else {
    out.shape[unknown] = count / rest.value;
  }
  return out;
}

constexpr inferred infer_permute(const shape& s, span<const sint> order) {
  inferred out;
  inferred_axes axes = infer_axes(s, order, "permute");
  out.problem = axes.problem;
  if (!out.problem && order.size() != s.rank())
    out.problem = detail::make_problem(problem_code::axis_count, "permute", s, {}, 0, static_cast<i64>(order.size()));
  out.shape = s;
  if (!out.problem)
    for (size_t i = 0; i < s.rank(); ++i) out.shape[i] = s[axes.axes[i]];
  return out;
}

// Exchanges two axes.
constexpr inferred infer_transpose(const shape& s, sint a = -2, sint b = -1) {
  inferred out;
  out.shape = s;
  const inferred_axes x = infer_axis(s, a, "transpose"), y = infer_axis(s, b, "transpose");
  out.problem = x.problem ? x.problem : y.problem;
  if (!out.problem) {
    out.shape[x.axes[0]] = s[y.axes[0]];
    out.shape[y.axes[0]] = s[x.axes[0]];
  }
  return out;
}

// Right-aligned; an axis of size 1 or a new outer one takes any size, -1 keeps the size.
constexpr inferred infer_expand(const shape& from, const shape& to) {
  using detail::make_problem;
  inferred out;
  out.shape = to;
  if (from.rank() > to.rank()) {
    out.problem = make_problem(problem_code::expand_rank, "expand", from, to);
    return out;
  }
  const size_t fresh = to.rank() - from.rank();
  for (size_t i = to.rank(); i-- > 0;) {
    const i64 old = i < fresh ? 1 : from[i - fresh].bits, wanted = to[i].bits;
    if (old == wanted) continue;
    if (wanted == -1 && i >= fresh) {
      out.shape[i] = old;
      continue;
    }
    if (wanted < 0) out.problem = make_problem(problem_code::negative_size, "expand", to, {}, static_cast<i64>(i), wanted);
    else if (old != 1) out.problem = make_problem(problem_code::expand_axis, "expand", from, to, static_cast<i64>(i), old, wanted);
    if (out.problem) return out;
  }
  out.problem = check_shape(out.shape, "expand");
  return out;
}

constexpr inferred infer_pad(const shape& s, span<const padding> amounts) {
  using detail::make_problem;
  inferred out;
  out.shape = s;
  if (amounts.size() != s.rank()) {
    out.problem = make_problem(problem_code::axis_count, "pad", s, {}, 0, static_cast<i64>(amounts.size()));
    return out;
  }
  for (size_t i = 0; i < s.rank(); ++i) {
    const i64 before = amounts[i].before.bits, after = amounts[i].after.bits;
    i64 size = s[i].bits;
    if (before < 0 || after < 0 || __builtin_add_overflow(size, before, &size) || __builtin_add_overflow(size, after, &size)) {
      out.problem = make_problem(problem_code::pad_negative, "pad", s, {}, static_cast<i64>(i), before, after);
      return out;
    }
    out.shape[i] = size;
  }
  out.problem = check_shape(out.shape, "pad");
  return out;
}

constexpr inferred infer_shrink(const shape& s, span<const bounds_of_axis> ranges) {
  using detail::make_problem;
  inferred out;
  out.shape = s;
  if (ranges.size() != s.rank()) {
    out.problem = make_problem(problem_code::axis_count, "shrink", s, {}, 0, static_cast<i64>(ranges.size()));
    return out;
  }
  for (size_t i = 0; i < s.rank(); ++i) {
    const i64 begin = ranges[i].begin.bits, end = ranges[i].end.bits;
    if (begin < 0 || begin > end || end > s[i].bits) {
      out.problem = make_problem(problem_code::shrink_range, "shrink", s, {}, static_cast<i64>(i), begin, end);
      return out;
    }
    out.shape[i] = end - begin;
  }
  return out;
}

constexpr inferred infer_flip(const shape& s, span<const sint> axes) { return {s, infer_axes(s, axes, "flip").problem}; }

// keep: reduced axes stay with size 1. A reduction without an identity (needs_element) refuses an empty axis.
constexpr inferred infer_reduce(text_view operation, const shape& s, span<const sint> axes, bool keep = false, bool needs_element = false) {
  inferred out;
  const inferred_axes which = infer_axes(s, axes, operation);
  out.problem = which.problem;
  vector<bool, 8> gone(s.rank(), false);
  for (u32 axis : which.axes) {
    gone[axis] = true;
    if (needs_element && s[axis].bits == 0 && !out.problem)
      out.problem = detail::make_problem(problem_code::empty_reduction, operation, s, {}, static_cast<i64>(axis));
  }
  for (size_t i = 0; i < s.rank(); ++i) {
    if (!gone[i]) out.shape.push_back(s[i]);
    else if (keep) out.shape.push_back(1);
  }
  return out;
}
// Over all axes.
constexpr inferred infer_reduce_all(text_view operation, const shape& s, bool keep = false, bool needs_element = false) {
  inferred out;
  for (size_t i = 0; i < s.rank(); ++i) {
    if (needs_element && s[i].bits == 0 && !out.problem)
      out.problem = detail::make_problem(problem_code::empty_reduction, operation, s, {}, static_cast<i64>(i));
    if (keep) out.shape.push_back(1);
  }
  return out;
}

// All windows over the last axes: (..., positions..., window...). Steps and dilations default to 1.
constexpr inferred infer_windows(const shape& s, const shape& window, span<const sint> steps = {}, span<const sint> dilations = {}) {
  using detail::make_problem;
  inferred out;
  out.shape = s;
  const size_t n = window.rank();
  if (n > s.rank() || (!steps.empty() && steps.size() != n) || (!dilations.empty() && dilations.size() != n)) {
    const size_t given = n > s.rank() ? n : !steps.empty() && steps.size() != n ? steps.size() : dilations.size();
    out.problem = make_problem(problem_code::axis_count, "windows", s, {}, 0, static_cast<i64>(given));
    return out;
  }
  for (size_t k = 0; k < n; ++k) {
    const size_t axis = s.rank() - n + k;
    const i64 size = s[axis].bits, taps = window[k].bits, step = steps.empty() ? 1 : steps[k].bits,
              dilation = dilations.empty() ? 1 : dilations[k].bits;
    if (taps <= 0 || step <= 0 || dilation <= 0) {
      out.problem = make_problem(problem_code::window_step, "windows", s, {}, static_cast<i64>(axis), taps <= 0 ? taps : step <= 0 ? step : dilation);
      return out;
    }
    i64 reach = 0;
    if (__builtin_mul_overflow(taps - 1, dilation, &reach) || reach >= size) {
      out.problem = make_problem(problem_code::window_fit, "windows", s, window, static_cast<i64>(axis), size, reach < INT64_MAX ? reach + 1 : reach);
      return out;
    }
    out.shape[axis] = (size - reach - 1) / step + 1;
  }
  for (size_t k = 0; k < n; ++k) out.shape.push_back(window[k]);
  out.problem = check_shape(out.shape, "windows");
  return out;
}

// The shapes must be the same: assignment broadcasts nothing.
constexpr inferred infer_assign(const shape& value, const shape& destination) {
  inferred out;
  out.shape = destination;
  if (!(value == destination)) out.problem = detail::make_problem(problem_code::assign, "assign", value, destination);
  return out;
}

constexpr inferred infer_concatenate(span<const shape> parts, sint axis = 0, text_view operation = "concatenate") {
  inferred out;
  if (parts.empty()) return out;
  out.shape = parts[0];
  const inferred_axes which = infer_axis(parts[0], axis, operation);
  out.problem = which.problem;
  if (out.problem) return out;
  const size_t along = which.axes[0];
  for (size_t k = 1; k < parts.size(); ++k) {
    if (parts[k].rank() != parts[0].rank()) {
      out.problem = detail::make_problem(problem_code::rank_mismatch, operation, parts[0], parts[k]);
      return out;
    }
    for (size_t i = parts[0].rank(); i-- > 0;) {
      if (i == along || parts[k][i] == parts[0][i]) continue;
      out.problem = detail::make_problem(problem_code::concatenate, operation, parts[0], parts[k], static_cast<i64>(i), parts[0][i].bits, parts[k][i].bits);
      return out;
    }
    i64 size = out.shape[along].bits;
    if (__builtin_add_overflow(size, parts[k][along].bits, &size)) size = INT64_MAX;
    out.shape[along] = size;
  }
  out.problem = check_shape(out.shape, operation);
  return out;
}

// Removes axes of size 1.
constexpr inferred infer_squeeze(const shape& s, span<const sint> axes) {
  inferred out = infer_reduce("squeeze", s, axes);
  if (!out.problem)
    for (const sint& axis : axes) {
      const i64 a = axis.bits < 0 ? axis.bits + static_cast<i64>(s.rank()) : axis.bits;
      if (s[static_cast<size_t>(a)].bits == 1 || out.problem) continue;
      out.problem = detail::make_problem(problem_code::squeeze_axis, "squeeze", s, {}, a, s[static_cast<size_t>(a)].bits);
    }
  return out;
}
// A new axis of size 1 before the given one; -1 appends.
constexpr inferred infer_unsqueeze(const shape& s, sint axis) {
  inferred out;
  out.shape = s;
  const i64 rank = static_cast<i64>(s.rank()), a = axis.bits < 0 ? axis.bits + rank + 1 : axis.bits;
  if (a < 0 || a > rank) out.problem = detail::make_problem(problem_code::axis_range, "unsqueeze", s, {}, axis.bits);
  else out.shape.insert(static_cast<size_t>(a), 1);
  return out;
}

// A kernel's argument holds enough elements.
constexpr problem check_argument(i64 position, i64 needed, i64 given, text_view callee = "kernel") {
  if (given >= needed) return {};
  return detail::make_problem(problem_code::argument_size, callee, {}, {}, position, needed, given);
}

}  // namespace twill
