// The function library: written once, over a recording operand, and used by arrays, kernels and tensors.
// Shapes broadcast as in NumPy; axes may be negative; dtypes promote by the seed's lattice, numbers are weak.
#pragma once

#include "twill/tensor/record.hpp"

namespace twill {

namespace detail {

// Applying a library function: on recording operands its body runs; if an array operand is among the arguments the
// application is lifted into a node of the array expression's type (specialized in door/array.hpp).
template <class F, class... A>
struct lifted;

// Functions that take axes or sizes beside their operand. On arrays those decide the type, so they cannot be numbers.
template <class F>
concept takes_settings = requires { typename F::settings; };

template <class F, class... A>
constexpr auto apply(A&&... arguments) {
  if constexpr ((array_operand<A> || ...)) {
    if constexpr (takes_settings<F> && (weak_number<A> || ...)) {
      static_assert(!takes_settings<F>, "axes and sizes of arrays are compile-time constants: write 1_c");
      return [](const auto& operand, const auto&...) { return operand; }(arguments...);
    } else {
      return lifted<F, A...>::make(static_cast<A&&>(arguments)...);
    }
  } else {
    return F::body(arguments...);
  }
}

// What may stand where an axis is asked for: an integer, or a compile-time integer.
template <class T>
concept axis_argument = (size_like<T> && (std::is_integral_v<std::remove_cvref_t<T>> || std::is_class_v<std::remove_cvref_t<T>>)) ||
                        std::is_same_v<std::remove_cvref_t<T>, keepdim_t>;
template <class T>
concept beside_operand = operand<T> || weak_number<T> || std::is_same_v<std::remove_cvref_t<T>, literal>;
template <class A, class B>
concept one_operand = (operand<A> && beside_operand<B>) || (beside_operand<A> && operand<B>);

struct reduced_axes {
  vector<sint, 8> axes;
  bool keep = false;
};
template <class... A>
constexpr reduced_axes read_axes(size_t rank, const A&... arguments) {
  reduced_axes out;
  bool any = false;
  [[maybe_unused]] const auto read = [&](const auto& a) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(a)>, keepdim_t>) out.keep = true;
    else {
      out.axes.push_back(sint(a));
      any = true;
    }
  };
  (read(arguments), ...);
  if (!any)
    for (size_t i = 0; i < rank; ++i) out.axes.push_back(static_cast<i64>(i));
  return out;
}

// The operand among two arguments.
template <class A, class B>
constexpr const auto& operand_of(const A& a, const B& b) {
  if constexpr (recording_operand<A>) return a;
  else return b;
}

template <op Code, fixed_string Name, bool Bool = true>
struct binary_function {
  template <class A, class B>
  static constexpr auto body(const A& a, const B& b) {
    const auto& like = operand_of(a, b);
    const auto x = record::beside(like, a), y = record::beside(like, b);
    const dtype t = record::common_type(x, y, Name);
    const auto p = record::cast(x, t), q = record::cast(y, t);
    if (!is_bool(t)) return record::elementwise(Code, p, q);
    if constexpr (!Bool) like.fail(make_dtype_problem(dtype_problem_code::no_bool, Name, t));
    constexpr op as_bool = Code == op::ADD || Code == op::MAX ? op::OR : Code == op::MUL || Code == op::MIN ? op::AND : Code;
    return record::elementwise(as_bool, p, q);
  }
};
struct add_f : binary_function<op::ADD, "+"> {};
struct subtract_f : binary_function<op::SUB, "-", false> {};
struct multiply_f : binary_function<op::MUL, "*"> {};
struct maximum_f : binary_function<op::MAX, "maximum"> {};
struct minimum_f : binary_function<op::MIN, "minimum"> {};
struct less_f : binary_function<op::CMPLT, "<"> {};
struct not_equal_f : binary_function<op::CMPNE, "!="> {};

// op on integers, or on floats by way of the given ones.
template <op Integer, op Float, fixed_string Name>
struct division_function {
  template <class A, class B>
  static constexpr auto body(const A& a, const B& b) {
    const auto& like = operand_of(a, b);
    const auto x = record::beside(like, a), y = record::beside(like, b);
    const dtype t = record::common_type(x, y, Name);
    if (is_bool(t)) like.fail(make_dtype_problem(dtype_problem_code::no_bool, Name, t));
    if constexpr (Float == op::NULL_OP) {
      if (is_float(t)) like.fail(make_dtype_problem(dtype_problem_code::needs_integer, Name, t));
      return record::elementwise(Integer, record::cast(x, t), record::cast(y, t));
    } else {
      return record::elementwise(is_float(t) ? Float : Integer, record::cast(x, t), record::cast(y, t));
    }
  }
};
struct divide_f : division_function<op::IDIV, op::FDIV, "/"> {};
struct modulo_f : division_function<op::MOD, op::NULL_OP, "%"> {};
struct floor_divide_f : division_function<op::FLOORDIV, op::NULL_OP, "floor_divide"> {};
struct floor_mod_f : division_function<op::FLOORMOD, op::NULL_OP, "floor_mod"> {};
struct true_divide_f {
  template <class A, class B>
  static constexpr auto body(const A& a, const B& b) {
    const auto& like = operand_of(a, b);
    const auto x = record::as_float(record::beside(like, a)), y = record::as_float(record::beside(like, b));
    return record::binary(op::FDIV, x, y, "true_divide");
  }
};

struct not_f {
  static constexpr auto body(const auto& x) { return record::elementwise(op::CMPNE, record::as_bool(x), record::integer_constant(x, bool_, 1)); }
};
struct negate_f {
  static constexpr auto body(const auto& x) {
    if (is_bool(x.type())) x.fail(make_dtype_problem(dtype_problem_code::no_bool, "-", x.type()));
    return record::unary(op::NEG, x);
  }
};
template <op Code>
struct float_function {
  static constexpr auto body(const auto& x) { return record::unary(Code, record::as_float(x)); }
};
struct exp_f : float_function<op::EXP> {};
struct exp2_f : float_function<op::EXP2> {};
struct log_f : float_function<op::LOG> {};
struct log2_f : float_function<op::LOG2> {};
struct sin_f : float_function<op::SIN> {};
struct sqrt_f : float_function<op::SQRT> {};
struct recip_f : float_function<op::RECIP> {};
struct tanh_f : float_function<op::TANH> {};
struct sigmoid_f {
  static constexpr auto body(const auto& x) { return recip_f::body(add_f::body(exp_f::body(negate_f::body(record::as_float(x))), 1)); }
};
struct relu_f {
  static constexpr auto body(const auto& x) { return maximum_f::body(x, 0); }
};

template <class C, class A, class B>
constexpr const auto& operand_of(const C& c, const A& a, const B& b) {
  if constexpr (recording_operand<A>) return a;
  else if constexpr (recording_operand<B>) return b;
  else return c;
}
struct where_f {
  template <class C, class A, class B>
  static constexpr auto body(const C& c, const A& a, const B& b) {
    const auto& like = operand_of(c, a, b);
    const auto condition = record::as_bool(record::beside(like, c));
    // Two numbers beside a condition take their own types, not bool's.
    auto x = [&] {
      if constexpr (recording_operand<A> || recording_operand<B> || !weak_number<A>) return record::beside(like, a);
      else return value(like, a);
    }();
    auto y = [&] {
      if constexpr (recording_operand<A> || recording_operand<B> || !weak_number<B>) return record::beside(like, b);
      else return value(like, b);
    }();
    const dtype t = record::common_type(x, y, "where");
    const inferred r = infer_broadcast(condition.shape(), x.shape(), y.shape());
    if (r.problem) return like.fail(r.problem, r.shape);
    const std::remove_cvref_t<decltype(condition)> sources[]{record::broadcast(condition, r.shape), record::broadcast(record::cast(x, t), r.shape),
                                                             record::broadcast(record::cast(y, t), r.shape)};
    return like.make(op::WHERE, t, r.shape, sources, {});
  }

 private:
  template <class X, weak_number T>
  static constexpr X value(const X& like, T v) {
    if constexpr (std::is_floating_point_v<T>) return record::constant(like, float32, static_cast<double>(v));
    else return record::integer_constant(like, std::is_same_v<T, bool> ? bool_ : int32, static_cast<i64>(v));
  }
};
template <scalar_kind Kind>
struct cast_f {
  static constexpr auto body(const auto& x) { return record::cast(x, dtype{Kind}); }
};

// Sums and products accumulate in accumulator(dtype); float16 and bfloat16 are rounded back once at the end.
template <op Code, fixed_string Name>
struct accumulating_reduction {
  using settings = void;
  template <class X, class... A>
  static constexpr X body(const X& x, const A&... arguments) {
    const reduced_axes r = read_axes(x.shape().rank(), arguments...);
    const dtype t = accumulator(x.type());
    const X total = record::reduce(Code, record::cast(x, t), r.axes, r.keep, Name);
    return is_float(t) ? record::cast(total, x.type()) : total;
  }
};
struct sum_f : accumulating_reduction<op::ADD, "sum"> {};
struct prod_f : accumulating_reduction<op::MUL, "prod"> {};
template <op Code, fixed_string Name>
struct selecting_reduction {
  using settings = void;
  template <class X, class... A>
  static constexpr X body(const X& x, const A&... arguments) {
    const reduced_axes r = read_axes(x.shape().rank(), arguments...);
    constexpr op as_bool = Code == op::MAX ? op::OR : op::AND;
    return record::reduce(is_bool(x.type()) ? as_bool : Code, x, r.axes, r.keep, Name);
  }
};
struct max_f : selecting_reduction<op::MAX, "max"> {};
struct min_f : selecting_reduction<op::MIN, "min"> {};
struct mean_f {
  using settings = void;
  template <class X, class... A>
  static constexpr X body(const X& x, const A&... arguments) {
    const reduced_axes r = read_axes(x.shape().rank(), arguments...);
    const dtype result = is_float(x.type()) ? x.type() : float32;
    const X wide = record::cast(x, accumulator(result));
    const X total = record::reduce(op::ADD, wide, r.axes, r.keep, "mean");
    double count = 1;
    for (const u32 a : infer_axes(x.shape(), r.axes, "mean").axes) count *= static_cast<double>(x.shape()[a].bits);
    return record::cast(record::elementwise(op::FDIV, total, record::constant(total, total.type(), count)), result);
  }
};
// The position of the first largest (smallest) element, as int32; a NaN counts as larger (smaller) than everything.
// Found as the least index at which the element equals the extreme, so that it vectorizes like any other reduction.
template <op Code, fixed_string Name>
struct argument_reduction {
  using settings = void;
  template <class X, class... A>
  static constexpr X body(const X& x, const A&... arguments) {
    reduced_axes r = read_axes(0, arguments...);
    if (r.axes.empty()) {
      if (x.shape().rank() != 1) {
        const X flat = record::reshape(x, twill::shape(-1));
        return finish(flat, x, r.keep);
      }
      r.axes.push_back(0);
    }
    return along(x, r.axes[0], r.keep);
  }

 private:
  template <class X>
  static constexpr X along(const X& x, sint axis, bool keep) {
    const inferred_axes which = infer_axis(x.shape(), axis, Name);
    if (which.problem) return record::cast(x.fail(which.problem, x.shape()), int32);
    const i64 n = x.shape()[which.axes[0]].bits;
    if (n == 0) {
      const inferred none = infer_reduce(Name, x.shape(), {&axis, 1}, keep, true);
      return record::cast(x.fail(none.problem, none.shape), int32);
    }
    const X best = record::reduce(is_bool(x.type()) ? (Code == op::MAX ? op::OR : op::AND) : Code, x, {&axis, 1}, true, Name);
    const X differs = record::elementwise(op::CMPNE, x, record::expand(best, x.shape()));
    twill::shape dims = x.shape();
    for (size_t i = 0; i < dims.rank(); ++i) dims[i] = i == which.axes[0] ? n : 1;
    const X ramp = record::reshape(x.make(op::IOTA, int32, twill::shape(n), {}, {&n, 1}), dims);  // shape() refers to what this moves
    const X index = record::expand(ramp, x.shape());
    const X last = record::integer_constant(x, int32, n);
    X candidate = where_f::body(differs, last, index);
    if (is_float(x.type())) candidate = where_f::body(record::elementwise(op::CMPNE, x, x), index, candidate);
    return record::reduce(op::MIN, candidate, {&axis, 1}, keep, Name);
  }
  template <class X>
  static constexpr X finish(const X& flat, const X& x, bool keep) {
    const X found = along(flat, 0, false);
    if (!keep) return found;
    twill::shape ones = x.shape();
    for (size_t i = 0; i < ones.rank(); ++i) ones[i] = 1;
    return record::reshape(found, ones);
  }
};
struct argmax_f : argument_reduction<op::MAX, "argmax"> {};
struct argmin_f : argument_reduction<op::MIN, "argmin"> {};

// NumPy's matmul as a product of broadcast views summed over the common axis: (…, m, n, k).
struct matmul_f {
  template <class A, class B>
  static constexpr auto body(const A& a, const B& b) {
    using X = A;
    inferred r = infer_matmul(a.shape(), b.shape());
    if (r.problem) return X(a.fail(r.problem, r.shape));
    const dtype t = record::common_type(a, b, "matmul"), acc = accumulator(t);
    X x = record::cast(record::cast(a, t), acc), y = record::cast(record::cast(b, t), acc);
    if (a.shape().rank() == 1) x = record::reshape(x, twill::shape(1, a.shape()[0]));
    if (b.shape().rank() == 1) y = record::reshape(y, twill::shape(b.shape()[0], 1));
    y = record::transpose(y);
    const size_t rx = x.shape().rank(), ry = y.shape().rank();
    const i64 m = x.shape()[rx - 2].bits, k = x.shape()[rx - 1].bits, n = y.shape()[ry - 2].bits;
    twill::shape left = x.shape(), right = y.shape();
    left.insert(rx - 1, 1);
    right.insert(ry - 2, 1);
    const inferred both = infer_broadcast(left, right);
    (void)m, (void)n;
    const X product = record::elementwise(op::MUL, record::reshape(x, left), record::reshape(y, right));
    sint last = static_cast<i64>(both.shape.rank()) - 1;
    if (k == 1) return X(record::cast(record::reshape(product, r.shape), is_float(t) ? t : acc));
    const X total = record::reduce(op::ADD, product, {&last, 1}, false, "matmul");
    return X(record::cast(record::reshape(total, r.shape), is_float(t) ? t : acc));
  }
};

struct softmax_f {
  using settings = void;
  template <class X, class A>
  static constexpr X body(const X& x, const A& axis) {
    const X y = record::as_float(x);
    const X e = exp_f::body(subtract_f::body(y, max_f::body(y, axis, keepdim)));
    // One reciprocal for each row instead of a division for each element.
    return multiply_f::body(e, recip_f::body(sum_f::body(e, axis, keepdim)));
  }
};
// A new last axis of n: 1 at the position that the (integer) element names, else 0; int32. Out of range: all 0.
struct one_hot_f {
  using settings = void;
  template <class X, class N>
  static constexpr X body(const X& x, const N& classes) {
    if (!is_integer(x.type())) x.fail(make_dtype_problem(dtype_problem_code::needs_integer, "one_hot", x.type()));
    const i64 n = sint(classes).bits;
    twill::shape dims = x.shape();
    dims.push_back(1);
    const X index = x.make(op::IOTA, x.type(), twill::shape(n), {}, {&n, 1});
    const X differs = record::elementwise(op::CMPNE, record::reshape(x, dims), index);
    return where_f::body(differs, record::integer_constant(x, int32, 0), record::integer_constant(x, int32, 1));
  }
};

template <i64... Sizes>
struct reshape_f {
  static constexpr auto body(const auto& x) { return record::reshape(x, twill::shape({sint(Sizes)...})); }
};
template <i64... Sizes>
struct expand_f {
  static constexpr auto body(const auto& x) { return record::expand(x, twill::shape({sint(Sizes)...})); }
};
template <i64... Axes>
struct permute_f {
  static constexpr auto body(const auto& x) {
    const sint order[]{sint(Axes)...};
    return record::permute(x, order);
  }
};
struct transpose_f {
  using settings = void;
  static constexpr auto body(const auto& x) { return record::transpose(x); }
  static constexpr auto body(const auto& x, const auto& a, const auto& b) { return record::transpose(x, sint(a), sint(b)); }
};
struct flip_f {
  using settings = void;
  static constexpr auto body(const auto& x, const auto&... axes) {
    const sint list[]{sint(axes)...};
    return record::flip(x, list);
  }
};

// Pads and shrinks as template arguments: pads{{1, 0}, {0, 2}}. An aggregate, so that every compiler can spell it again.
}  // namespace detail

struct pads {
  struct pair {
    i64 before = 0, after = 0;
  };
  pair a0{}, a1{}, a2{}, a3{}, a4{}, a5{}, a6{}, a7{};
};

namespace detail {
template <pads P>
struct pad_f {
  template <class X>
  static constexpr X body(const X& x) {
    constexpr pads::pair all[]{P.a0, P.a1, P.a2, P.a3, P.a4, P.a5, P.a6, P.a7};
    vector<padding, 8> amounts;
    for (size_t i = 0; i < x.shape().rank() && i < 8; ++i) amounts.push_back({all[i].before, all[i].after});
    return record::pad(x, amounts);
  }
};
template <pads P>
struct shrink_f {
  template <class X>
  static constexpr X body(const X& x) {
    constexpr pads::pair all[]{P.a0, P.a1, P.a2, P.a3, P.a4, P.a5, P.a6, P.a7};
    vector<bounds_of_axis, 8> ranges;
    for (size_t i = 0; i < x.shape().rank() && i < 8; ++i) ranges.push_back({all[i].before, all[i].after});
    return record::shrink(x, ranges);
  }
};
}  // namespace detail

// ---- what users call ----

template <class A, class B> requires detail::one_operand<A, B> constexpr auto operator+(A&& a, B&& b) { return detail::apply<detail::add_f>(static_cast<A&&>(a), static_cast<B&&>(b)); }
template <class A, class B> requires detail::one_operand<A, B> constexpr auto operator-(A&& a, B&& b) { return detail::apply<detail::subtract_f>(static_cast<A&&>(a), static_cast<B&&>(b)); }
template <class A, class B> requires detail::one_operand<A, B> constexpr auto operator*(A&& a, B&& b) { return detail::apply<detail::multiply_f>(static_cast<A&&>(a), static_cast<B&&>(b)); }
// Integers: truncating division (x / 0 is 0); floats: correctly rounded.
template <class A, class B> requires detail::one_operand<A, B> constexpr auto operator/(A&& a, B&& b) { return detail::apply<detail::divide_f>(static_cast<A&&>(a), static_cast<B&&>(b)); }
// Integers only: the remainder of the truncating division, with the sign of the dividend (x % 0 is x).
template <class A, class B> requires detail::one_operand<A, B> constexpr auto operator%(A&& a, B&& b) { return detail::apply<detail::modulo_f>(static_cast<A&&>(a), static_cast<B&&>(b)); }
template <class A, class B> requires detail::one_operand<A, B> constexpr auto operator<(A&& a, B&& b) { return detail::apply<detail::less_f>(static_cast<A&&>(a), static_cast<B&&>(b)); }
template <class A, class B> requires detail::one_operand<A, B> constexpr auto operator>(A&& a, B&& b) { return detail::apply<detail::less_f>(static_cast<B&&>(b), static_cast<A&&>(a)); }
template <operand A> constexpr auto operator-(A&& a) { return detail::apply<detail::negate_f>(static_cast<A&&>(a)); }
template <operand A> constexpr auto operator!(A&& a) { return detail::apply<detail::not_f>(static_cast<A&&>(a)); }

namespace detail {
struct equal_f {
  static constexpr auto body(const auto& a, const auto& b) { return not_f::body(not_equal_f::body(a, b)); }
};
// a <= b: not (b < a) would make NaN <= x true; (a < b) | (a == b) is right on floats and folds on integers.
struct less_equal_f {
  static constexpr auto body(const auto& a, const auto& b) {
    const auto less = less_f::body(a, b);
    return record::elementwise(op::OR, less, equal_f::body(a, b));
  }
};
}  // namespace detail

template <class A, class B> requires detail::one_operand<A, B> constexpr auto operator==(A&& a, B&& b) { return detail::apply<detail::equal_f>(static_cast<A&&>(a), static_cast<B&&>(b)); }
template <class A, class B> requires detail::one_operand<A, B> constexpr auto operator!=(A&& a, B&& b) { return detail::apply<detail::not_equal_f>(static_cast<A&&>(a), static_cast<B&&>(b)); }
template <class A, class B> requires detail::one_operand<A, B> constexpr auto operator<=(A&& a, B&& b) { return detail::apply<detail::less_equal_f>(static_cast<A&&>(a), static_cast<B&&>(b)); }
template <class A, class B> requires detail::one_operand<A, B> constexpr auto operator>=(A&& a, B&& b) { return detail::apply<detail::less_equal_f>(static_cast<B&&>(b), static_cast<A&&>(a)); }

// Elementwise, NaN propagates.
template <class A, class B> requires detail::one_operand<A, B> constexpr auto maximum(A&& a, B&& b) { return detail::apply<detail::maximum_f>(static_cast<A&&>(a), static_cast<B&&>(b)); }
template <class A, class B> requires detail::one_operand<A, B> constexpr auto minimum(A&& a, B&& b) { return detail::apply<detail::minimum_f>(static_cast<A&&>(a), static_cast<B&&>(b)); }
template <class A, class B> requires detail::one_operand<A, B> constexpr auto true_divide(A&& a, B&& b) { return detail::apply<detail::true_divide_f>(static_cast<A&&>(a), static_cast<B&&>(b)); }
template <class A, class B> requires detail::one_operand<A, B> constexpr auto floor_divide(A&& a, B&& b) { return detail::apply<detail::floor_divide_f>(static_cast<A&&>(a), static_cast<B&&>(b)); }
template <class A, class B> requires detail::one_operand<A, B> constexpr auto floor_mod(A&& a, B&& b) { return detail::apply<detail::floor_mod_f>(static_cast<A&&>(a), static_cast<B&&>(b)); }
template <class C, class A, class B>
  requires((operand<C> || operand<A> || operand<B>) && detail::beside_operand<C> && detail::beside_operand<A> && detail::beside_operand<B>)
constexpr auto where(C&& condition, A&& a, B&& b) {
  return detail::apply<detail::where_f>(static_cast<C&&>(condition), static_cast<A&&>(a), static_cast<B&&>(b));
}
// cast<tw::scalar_kind::float32>(x), cast<float>(x); on recording operands also cast(x, dtype).
template <scalar_kind Kind, operand A> constexpr auto cast(A&& a) { return detail::apply<detail::cast_f<Kind>>(static_cast<A&&>(a)); }
template <class T, operand A> constexpr auto cast(A&& a) { return detail::apply<detail::cast_f<dtype_of<T>().kind>>(static_cast<A&&>(a)); }
template <recording_operand A> constexpr auto cast(const A& a, dtype to) { return record::cast(a, to); }

template <operand A> constexpr auto exp(A&& a) { return detail::apply<detail::exp_f>(static_cast<A&&>(a)); }
template <operand A> constexpr auto exp2(A&& a) { return detail::apply<detail::exp2_f>(static_cast<A&&>(a)); }
template <operand A> constexpr auto log(A&& a) { return detail::apply<detail::log_f>(static_cast<A&&>(a)); }
template <operand A> constexpr auto log2(A&& a) { return detail::apply<detail::log2_f>(static_cast<A&&>(a)); }
template <operand A> constexpr auto sin(A&& a) { return detail::apply<detail::sin_f>(static_cast<A&&>(a)); }
template <operand A> constexpr auto sqrt(A&& a) { return detail::apply<detail::sqrt_f>(static_cast<A&&>(a)); }
template <operand A> constexpr auto recip(A&& a) { return detail::apply<detail::recip_f>(static_cast<A&&>(a)); }
template <operand A> constexpr auto tanh(A&& a) { return detail::apply<detail::tanh_f>(static_cast<A&&>(a)); }
template <operand A> constexpr auto sigmoid(A&& a) { return detail::apply<detail::sigmoid_f>(static_cast<A&&>(a)); }
template <operand A> constexpr auto relu(A&& a) { return detail::apply<detail::relu_f>(static_cast<A&&>(a)); }

// Reductions: over the given axes, or over all; `keepdim` keeps them with size 1.
template <operand A, detail::axis_argument... Axes> constexpr auto sum(A&& a, Axes&&... axes) { return detail::apply<detail::sum_f>(static_cast<A&&>(a), static_cast<Axes&&>(axes)...); }
template <operand A, detail::axis_argument... Axes> constexpr auto prod(A&& a, Axes&&... axes) { return detail::apply<detail::prod_f>(static_cast<A&&>(a), static_cast<Axes&&>(axes)...); }
template <operand A, detail::axis_argument... Axes> constexpr auto max(A&& a, Axes&&... axes) { return detail::apply<detail::max_f>(static_cast<A&&>(a), static_cast<Axes&&>(axes)...); }
template <operand A, detail::axis_argument... Axes> constexpr auto min(A&& a, Axes&&... axes) { return detail::apply<detail::min_f>(static_cast<A&&>(a), static_cast<Axes&&>(axes)...); }
template <operand A, detail::axis_argument... Axes> constexpr auto mean(A&& a, Axes&&... axes) { return detail::apply<detail::mean_f>(static_cast<A&&>(a), static_cast<Axes&&>(axes)...); }
// Over one axis, or over all elements in row-major order.
template <operand A, detail::axis_argument... Axes> constexpr auto argmax(A&& a, Axes&&... axes) { return detail::apply<detail::argmax_f>(static_cast<A&&>(a), static_cast<Axes&&>(axes)...); }
template <operand A, detail::axis_argument... Axes> constexpr auto argmin(A&& a, Axes&&... axes) { return detail::apply<detail::argmin_f>(static_cast<A&&>(a), static_cast<Axes&&>(axes)...); }

template <operand A, operand B> constexpr auto matmul(A&& a, B&& b) { return detail::apply<detail::matmul_f>(static_cast<A&&>(a), static_cast<B&&>(b)); }
template <operand A, detail::axis_argument Axis> constexpr auto softmax(A&& a, Axis&& axis) { return detail::apply<detail::softmax_f>(static_cast<A&&>(a), static_cast<Axis&&>(axis)); }
template <operand A> constexpr auto softmax(A&& a) { return detail::apply<detail::softmax_f>(static_cast<A&&>(a), constant<-1>{}); }
template <operand A, detail::axis_argument N> constexpr auto one_hot(A&& a, N&& classes) { return detail::apply<detail::one_hot_f>(static_cast<A&&>(a), static_cast<N&&>(classes)); }

template <i64... Sizes, operand A> constexpr auto reshape(A&& a) { return detail::apply<detail::reshape_f<Sizes...>>(static_cast<A&&>(a)); }
template <i64... Sizes, operand A> constexpr auto expand(A&& a) { return detail::apply<detail::expand_f<Sizes...>>(static_cast<A&&>(a)); }
template <i64... Axes, operand A> constexpr auto permute(A&& a) { return detail::apply<detail::permute_f<Axes...>>(static_cast<A&&>(a)); }
template <pads P, operand A> constexpr auto pad(A&& a) { return detail::apply<detail::pad_f<P>>(static_cast<A&&>(a)); }
template <pads P, operand A> constexpr auto shrink(A&& a) { return detail::apply<detail::shrink_f<P>>(static_cast<A&&>(a)); }
template <operand A> constexpr auto transpose(A&& a) { return detail::apply<detail::transpose_f>(static_cast<A&&>(a)); }
template <operand A, detail::axis_argument I, detail::axis_argument J> constexpr auto transpose(A&& a, I&& i, J&& j) { return detail::apply<detail::transpose_f>(static_cast<A&&>(a), static_cast<I&&>(i), static_cast<J&&>(j)); }
template <operand A, detail::axis_argument... Axes> constexpr auto flip(A&& a, Axes&&... axes) { return detail::apply<detail::flip_f>(static_cast<A&&>(a), static_cast<Axes&&>(axes)...); }

// With sizes as values, where shapes are values: on tracers and tensors.
template <recording_operand A> constexpr A reshape(const A& a, const shape& to) { return record::reshape(a, to); }
template <recording_operand A> constexpr A expand(const A& a, const shape& to) { return record::expand(a, to); }
template <recording_operand A> constexpr A permute(const A& a, std::initializer_list<sint> order) { return record::permute(a, span<const sint>(order.begin(), order.size())); }
template <recording_operand A> constexpr A pad(const A& a, std::initializer_list<padding> amounts) { return record::pad(a, span<const padding>(amounts.begin(), amounts.size())); }
template <recording_operand A> constexpr A shrink(const A& a, std::initializer_list<bounds_of_axis> ranges) { return record::shrink(a, span<const bounds_of_axis>(ranges.begin(), ranges.size())); }
// A realization point: the value is stored, and read back by what follows.
template <recording_operand A> constexpr A contiguous(const A& a) { return record::contiguous(a); }

// Constants that join the recording of whatever operand they meet: arange(n) is 0, 1, … n - 1 (int32); full({2, 3}, 1.5f).
constexpr literal arange(sint n, dtype type = int32) {
  literal l;
  l.what = literal::kind::arange;
  l.dims = shape({n});
  l.type = type;
  return l;
}
template <weak_number T>
constexpr literal full(const shape& dims, T value, dtype type = std::is_floating_point_v<T> ? float32 : std::is_same_v<T, bool> ? bool_ : int32) {
  literal l;
  l.dims = dims;
  l.type = type;
  l.value = static_cast<double>(value);
  l.integer = static_cast<i64>(value);
  return l;
}

}  // namespace twill
