// Primitives of the function library: each checks shapes and dtypes, inserts broadcasts and casts, and appends nodes.
//
// The tensor graph: BUFFER (arguments: slot, sizes…), CONST (rank 0, stands beside any shape), IOTA (argument: n; shape (n),
// the index), ALU and CAST (sources of one shape, or CONST), REDUCE_AXIS (arguments: op, axes…; reduced axes keep size 1),
// the movement ops (arguments: RESHAPE and EXPAND the new sizes, PERMUTE the axes, PAD and SHRINK two numbers an axis, FLIP
// 0 or 1 an axis), CONTIGUOUS (a realization point), SINK (the outputs).
#pragma once

#include "twill/ir/arithmetic.hpp"
#include "twill/tensor/operand.hpp"

namespace twill::record {

template <recording_operand X>
constexpr X constant(const X& like, dtype type, double value) {
  i64 word = 0;
  if (is_float(type)) word = word_of(round_to(type.kind, value));
  else word = wrap(type.kind, static_cast<i64>(value));
  return like.make(op::CONST, type, {}, {}, {&word, 1});
}
template <recording_operand X>
constexpr X integer_constant(const X& like, dtype type, i64 value) {
  if (is_float(type)) return record::constant(like, type, static_cast<double>(value));
  const i64 word = wrap(type.kind, value);
  return like.make(op::CONST, type, {}, {}, {&word, 1});
}

namespace detail {
constexpr vector<i64, 8> words_of(const shape& s) {
  vector<i64, 8> out;
  for (const sint& n : s) out.push_back(n.bits);
  return out;
}
}  // namespace detail

template <recording_operand X>
constexpr X reshape(const X& x, const shape& to) {
  inferred r = infer_reshape(x.shape(), to);
  if (r.problem) return x.fail(r.problem, r.shape);
  if (r.shape == x.shape()) return x;
  return x.make(op::RESHAPE, x.type(), r.shape, {&x, 1}, detail::words_of(r.shape));
}

template <recording_operand X>
constexpr X expand(const X& x, const shape& to) {
  inferred r = infer_expand(x.shape(), to);
  if (r.problem) return x.fail(r.problem, r.shape);
  if (r.shape == x.shape()) return x;
  shape aligned = x.shape();
  while (aligned.rank() < r.shape.rank()) aligned.insert(0, 1);
  const X same_rank = record::reshape(x, aligned);
  return x.make(op::EXPAND, x.type(), r.shape, {&same_rank, 1}, detail::words_of(r.shape));
}

template <recording_operand X>
constexpr X permute(const X& x, span<const sint> order) {
  inferred r = infer_permute(x.shape(), order);
  if (r.problem) return x.fail(r.problem, r.shape);
  vector<i64, 8> axes;
  bool identity = true;
  for (size_t i = 0; i < order.size(); ++i) {
    axes.push_back(order[i].bits < 0 ? order[i].bits + static_cast<i64>(order.size()) : order[i].bits);
    identity = identity && axes[i] == static_cast<i64>(i);
  }
  if (identity) return x;
  return x.make(op::PERMUTE, x.type(), r.shape, {&x, 1}, axes);
}

template <recording_operand X>
constexpr X transpose(const X& x, sint a = -2, sint b = -1) {
  inferred r = infer_transpose(x.shape(), a, b);
  if (r.problem) return x.fail(r.problem, r.shape);
  const i64 rank = static_cast<i64>(x.shape().rank());
  vector<sint, 8> order;
  for (i64 i = 0; i < rank; ++i) order.push_back(i);
  const size_t i = static_cast<size_t>(a.bits < 0 ? a.bits + rank : a.bits), j = static_cast<size_t>(b.bits < 0 ? b.bits + rank : b.bits);
  const sint kept = order[i];
  order[i] = order[j];
  order[j] = kept;
  return record::permute(x, order);
}

template <recording_operand X>
constexpr X pad(const X& x, span<const padding> amounts) {
  inferred r = infer_pad(x.shape(), amounts);
  if (r.problem) return x.fail(r.problem, r.shape);
  if (r.shape == x.shape()) return x;
  vector<i64, 8> words;
  for (const padding& p : amounts) words.push_back(p.before.bits), words.push_back(p.after.bits);
  return x.make(op::PAD, x.type(), r.shape, {&x, 1}, words);
}

template <recording_operand X>
constexpr X shrink(const X& x, span<const bounds_of_axis> ranges) {
  inferred r = infer_shrink(x.shape(), ranges);
  if (r.problem) return x.fail(r.problem, r.shape);
  if (r.shape == x.shape()) return x;
  vector<i64, 8> words;
  for (const bounds_of_axis& p : ranges) words.push_back(p.begin.bits), words.push_back(p.end.bits);
  return x.make(op::SHRINK, x.type(), r.shape, {&x, 1}, words);
}

template <recording_operand X>
constexpr X flip(const X& x, span<const sint> axes) {
  inferred r = infer_flip(x.shape(), axes);
  if (r.problem) return x.fail(r.problem, r.shape);
  const i64 rank = static_cast<i64>(x.shape().rank());
  vector<i64, 8> words(static_cast<size_t>(rank), 0);
  for (const sint& a : axes) words[static_cast<size_t>(a.bits < 0 ? a.bits + rank : a.bits)] = 1;
  return x.make(op::FLIP, x.type(), r.shape, {&x, 1}, words);
}

template <recording_operand X>
constexpr X contiguous(const X& x) {
  return x.make(op::CONTIGUOUS, x.type(), x.shape(), {&x, 1}, {});
}

template <recording_operand X>
constexpr X cast(const X& x, dtype to) {
  if (x.type() == to) return x;
  return x.make(op::CAST, to, x.shape(), {&x, 1}, {});
}
template <recording_operand X>
constexpr X as_float(const X& x) {
  return is_float(x.type()) ? x : record::cast(x, float32);
}
template <recording_operand X>
constexpr X as_bool(const X& x) {
  return is_bool(x.type()) ? x : record::cast(x, bool_);
}

template <recording_operand X>
constexpr X unary(op code, const X& x) {
  return x.make(code, x.type(), x.shape(), {&x, 1}, {});
}

// x in the given shape; a CONST stands beside every shape as it is.
template <recording_operand X>
constexpr X broadcast(const X& x, const shape& to) {
  return x.is_constant() && x.shape().rank() == 0 ? x : record::expand(x, to);
}

// code on operands of one dtype; broadcasts.
template <recording_operand X>
constexpr X elementwise(op code, const X& a, const X& b) {
  inferred r = infer_broadcast(a.shape(), b.shape());
  if (r.problem) return a.fail(r.problem, r.shape);
  const X sources[]{record::broadcast(a, r.shape), record::broadcast(b, r.shape)};
  return a.make(code, is_comparison(code) ? bool_ : b.type(), r.shape, sources, {});
}

// The common dtype of a and b, or a dtype problem.
template <recording_operand X>
constexpr dtype common_type(const X& a, const X& b, text_view operation) {
  const dtype t = promote(a.type(), b.type());
  if (!(t == void_type)) return t;
  a.fail(make_dtype_problem(dtype_problem_code::needs_cast, operation, a.type(), b.type()));
  return a.type();
}

template <recording_operand X>
constexpr X binary(op code, const X& a, const X& b, text_view operation) {
  const dtype t = common_type(a, b, operation);
  return record::elementwise(code, record::cast(a, t), record::cast(b, t));
}

// A number or a literal beside x, as an operand. Numbers take x's dtype, except that an integer or bool operand beside a
// floating-point number makes it float32, and a bool one beside an integer makes it int32.
template <class T>
constexpr dtype weak_type(dtype beside) {
  if constexpr (std::is_same_v<T, bool>) return beside;
  else if constexpr (std::is_floating_point_v<T>) return is_float(beside) ? beside : float32;
  else return is_bool(beside) ? int32 : beside;
}
template <recording_operand X>
constexpr const X& beside(const X&, const X& y) {
  return y;
}
template <recording_operand X, weak_number T>
constexpr X beside(const X& like, T value) {
  const dtype t = weak_type<T>(like.type());
  if constexpr (std::is_floating_point_v<T>) return record::constant(like, t, static_cast<double>(value));
  else return record::integer_constant(like, t, static_cast<i64>(value));
}
template <recording_operand X>
constexpr X beside(const X& like, const literal& l) {
  if (l.what == literal::kind::arange) {
    const i64 n = l.dims[0].bits;
    return like.make(op::IOTA, l.type, l.dims, {}, {&n, 1});
  }
  return record::expand(is_float(l.type) ? record::constant(like, l.type, l.value) : record::integer_constant(like, l.type, l.integer), l.dims);
}

// The element that a reduction by code starts from.
constexpr i64 identity_word(op code, dtype t) {
  switch (code) {
    case op::MUL: return is_float(t) ? word_of(1.0) : 1;
    case op::AND: return is_bool(t) ? 1 : wrap(t.kind, -1);
    case op::MAX: return is_float(t) ? word_of(-__builtin_inf()) : min_value(t.kind);
    case op::MIN: return is_float(t) ? word_of(__builtin_inf()) : max_value(t.kind);
    default: return is_float(t) ? word_of(0.0) : 0;
  }
}

// Reduces by code over the axes (all of them when empty and all is set).
template <recording_operand X>
constexpr X reduce(op code, const X& x, span<const sint> axes, bool keep, text_view operation) {
  const bool no_identity = (code == op::MAX || code == op::MIN) && !is_float(x.type());
  inferred kept = infer_reduce(operation, x.shape(), axes, true, no_identity);
  inferred r = infer_reduce(operation, x.shape(), axes, keep, no_identity);
  if (r.problem) return x.fail(r.problem, r.shape);
  bool empty = false;
  vector<i64, 8> words{static_cast<i64>(code)};
  const inferred_axes which = infer_axes(x.shape(), axes, operation);
  for (size_t axis = 0; axis < x.shape().rank(); ++axis) {
    bool reduced = false;
    for (const u32 a : which.axes) reduced = reduced || a == axis;
    if (!reduced) continue;
    empty = empty || x.shape()[axis].bits == 0;
    if (x.shape()[axis].bits != 1) words.push_back(static_cast<i64>(axis));
  }
  if (empty) {
    const i64 word = identity_word(code, x.type());
    return record::expand(x.make(op::CONST, x.type(), {}, {}, {&word, 1}), r.shape);
  }
  if (words.size() == 1) return record::reshape(x, r.shape);
  return record::reshape(x.make(op::REDUCE_AXIS, x.type(), kept.shape, {&x, 1}, words), r.shape);
}

}  // namespace twill::record
