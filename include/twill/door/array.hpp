// Numeric code with shapes in the types: tw::array, and expressions over arrays that an assignment runs as fused kernels.
#pragma once

#include "twill/door/element_type.hpp"
#include "twill/door/static_check.hpp"
#include "twill/door/static_run.hpp"

namespace twill {

template <class T, i64... Sizes>
class array;

namespace detail {

// ---- what an expression holds ----

// A list of values of different types, by position.
template <size_t I, class T>
struct bundle_item {
  [[no_unique_address]] T value;
};
template <class Indices, class... T>
struct bundle_items;
template <size_t... I, class... T>
struct bundle_items<std::index_sequence<I...>, T...> : bundle_item<I, T>... {};
template <class... T>
struct bundle : bundle_items<std::index_sequence_for<T...>, T...> {};
template <size_t I, class T>
constexpr const T& item(const bundle_item<I, T>& b) {
  return b.value;
}

// Leaves: an array that lives elsewhere, one that was a temporary and is held, a number. Each is an argument of the kernel.
template <class Array>
struct referred {
  const Array* array;
  static constexpr size_t leaves = 1;
  static constexpr tracer record(recorder& r, i64& slot) { return record_argument(r, slot++, dtype_of<typename Array::element>(), Array::shape_type::value()); }
  void collect(void const**& out) const { *out++ = array->data(); }
};
template <class Array>
struct held {
  Array array;
  static constexpr size_t leaves = 1;
  static constexpr tracer record(recorder& r, i64& slot) { return referred<Array>::record(r, slot); }
  void collect(void const**& out) const { *out++ = array.data(); }
};
template <class T>
struct scalar_leaf {
  T value;
  static constexpr size_t leaves = 1;
  static constexpr tracer record(recorder& r, i64& slot) { return record_argument(r, slot++, dtype_of<T>(), shape()); }
  void collect(void const**& out) const { *out++ = &value; }
};
// An axis, keepdim …: part of the type.
template <class A>
struct setting {
  static constexpr size_t leaves = 0;
  static constexpr A record(recorder&, i64&) { return A{}; }
  void collect(void const**&) const {}
};

template <class T>
concept empty_constant = std::is_empty_v<T> && std::is_default_constructible_v<T>;

}  // namespace detail

// The types of expressions stand in namespace twill, so that their operators are found.
// F applied to captured operands.
template <class F, class... Captures>
struct applied {
  using twill_array_operand = void;
  detail::bundle<Captures...> captures;

  static constexpr size_t leaves = (size_t{0} + ... + Captures::leaves);
  static constexpr tracer record(recorder& r, i64& slot) {
    const auto recorded = detail::bundle<decltype(Captures::record(r, slot))...>{{{Captures::record(r, slot)}...}};
    return [&]<size_t... I>(std::index_sequence<I...>) { return F::body(detail::item<I>(recorded)...); }(std::index_sequence_for<Captures...>{});
  }
  void collect(void const**& out) const {
    [&]<size_t... I>(std::index_sequence<I...>) { (detail::item<I>(captures).collect(out), ...); }(std::index_sequence_for<Captures...>{});
  }
};

// The positions 0, 1, … N - 1.
template <i64 N>
struct iota_expression {
  using twill_array_operand = void;
  static constexpr size_t leaves = 0;
  static constexpr tracer record(recorder& r, i64&) {
    constexpr i64 n = N;
    return tracer{&r, 0}.make(op::IOTA, int32, shape(n), {}, {&n, 1});
  }
  void collect(void const**&) const {}
};

namespace detail {

// An expression as the source of a static program; Kind: the dtype it is stored as, void: its own.
template <class E, scalar_kind Kind = scalar_kind::void_>
struct expression_source {
  static constexpr void record(recorder& r, vector<u32, 4>& outputs) {
    i64 slot = 0;
    tracer x = E::record(r, slot);
    if constexpr (Kind != scalar_kind::void_) x = record::cast(x, dtype{Kind});
    // A bare constant has no shape of its own to be stored in.
    add_output(outputs, r, x);
  }
};

template <class Element, class E>
constexpr auto capture(E&& e) {
  using plain = std::remove_cvref_t<E>;
  if constexpr (requires { typename plain::element; typename plain::shape_type; }) {
    if constexpr (std::is_lvalue_reference_v<E>) return referred<plain>{&e};
    else return held<plain>{static_cast<plain&&>(e)};
  } else if constexpr (array_operand<plain>) {
    return plain(static_cast<E&&>(e));
  } else if constexpr (weak_number<plain>) {
    return scalar_leaf<Element>{static_cast<Element>(e)};
  } else {
    static_assert(empty_constant<plain>, "beside arrays, axes and sizes are compile-time constants: write 1_c");
    return setting<plain>{};
  }
}

template <class E>
constexpr dtype type_of_operand() {
  if constexpr (requires { typename E::element; }) return dtype_of<typename E::element>();
  else {
    recorder r;
    i64 slot = 0;
    return E::record(r, slot).type();
  }
}
// Numbers take the type of the last array operand beside them.
template <class... A>
constexpr dtype type_beside() {
  dtype t = float32;
  const auto look = [&]<class X>(X*) {
    if constexpr (array_operand<X>) t = type_of_operand<X>();
  };
  (look(static_cast<std::remove_cvref_t<A>*>(nullptr)), ...);
  return t;
}
template <class T, class... A>
constexpr auto number_element() {
  if constexpr (weak_number<T>) return detail::element_of<record::weak_type<std::remove_cvref_t<T>>(type_beside<A...>()).kind>();
  else return 0;
}

template <class F, class... A>
struct lifted {
  static constexpr auto make(A&&... arguments) {
    return applied<F, decltype(capture<decltype(number_element<A, A...>())>(static_cast<A&&>(arguments)))...>{
        {{{capture<decltype(number_element<A, A...>())>(static_cast<A&&>(arguments))}...}}};
  }
};

// E assigned to an array.
template <class Destination, class E>
struct assignment {
  using source = expression_source<E, dtype_of<typename Destination::element>().kind>;
  using recorded = recording<source>;
  static constexpr twill::problem problem = [] {
    if constexpr (recorded::ok) return infer_assign(recorded::output_shape(0), Destination::shape_type::value()).problem;
    else return recorded::problem;
  }();
  static constexpr dtype_problem type_problem = recorded::type_problem;
  static constexpr bool ok = !problem && !type_problem;
};

template <class Source, class E>
void run_expression(void* destination, const E& e, const memory_range& whole) {
  const void* inputs[E::leaves == 0 ? 1 : E::leaves]{};
  const void** out = inputs;
  e.collect(out);
  if constexpr (E::leaves > 0) {
    static constexpr auto sizes = [] {
      struct table {
        size_t bytes[E::leaves];
        bool in_place[E::leaves];
      };
      table t{};
      recorder recorded;
      i64 slot = 0;
      E::record(recorded, slot);
      for (u32 id = 0; id < recorded.nodes.size(); ++id)
        if (recorded.nodes.at(id).code == op::BUFFER && recorded.nodes.argument(id, 0) >= 0)
          t.bytes[recorded.nodes.argument(id, 0)] =
              static_cast<size_t>(recorded.shapes[id].elements()) * static_cast<size_t>(byte_size(recorded.nodes.at(id).type.kind));
      for (u32 i = 0; i < E::leaves; ++i) t.in_place[i] = detail_run::in_place_allowed<Source>(0, i);
      return t;
    }();
    for (size_t i = 0; i < E::leaves; ++i) {
      const memory_range input{inputs[i], sizes.bytes[i]};
      if (!whole.overlaps(input)) continue;
      const bool same = whole.begin == input.begin && whole.bytes == input.bytes;
      if (!same || !sizes.in_place[i]) raise_alias("operand", 0, static_cast<i64>(i));
    }
  }
  void* memory[E::leaves == 0 ? 1 : E::leaves]{};
  for (size_t i = 0; i < E::leaves; ++i) memory[i] = const_cast<void*>(inputs[i]);
  detail_run::run_program<Source>(&destination, memory, nullptr);
}

}  // namespace detail

// A dense row-major array whose shape is part of its type; elements lie in the object, aligned as the element is.
// Assigning an expression runs it as fused kernels; the shapes must be equal (assignment does not broadcast), elements
// convert. An array on both sides must be read at the index that is written: otherwise alias_error, before any write.
template <class T, i64... Sizes>
class array {
 public:
  using twill_array_operand = void;
  using element = T;
  using value_type = T;
  using shape_type = dims<Sizes...>;
  static constexpr size_t rank = sizeof...(Sizes);
  static constexpr i64 elements = dims<Sizes...>::elements;
  static_assert(((Sizes >= 0) && ...), "the sizes of an array are not negative");

  constexpr array() : items_{} {}
  // All elements, row by row.
  template <class... V>
    requires(static_cast<i64>(sizeof...(V)) == elements && elements > 0 && (weak_number<V> && ...))
  constexpr array(const V&... values) : items_{static_cast<T>(values)...} {}
  // Evaluates an expression.
  template <array_operand E>
    requires(!requires { typename std::remove_cvref_t<E>::element; })
  array(const E& e) {
    if constexpr (!detail::assignment<array, E>::ok) detail::refuse<detail::assignment<array, E>>();
    else assign(e);
  }
  template <array_operand E>
    requires(!requires { typename std::remove_cvref_t<E>::element; })
  array& operator=(const E& e) {
    if constexpr (!detail::assignment<array, E>::ok) detail::refuse<detail::assignment<array, E>>();
    else assign(e);
    return *this;
  }
  // The elements of an array of the same shape, converted.
  template <class U, i64... Other>
    requires(!std::is_same_v<array<U, Other...>, array>)
  array(const array<U, Other...>& a) : array(detail::lifted<detail::cast_f<dtype_of<U>().kind>, const array<U, Other...>&>::make(a)) {}
  template <class U, i64... Other>
    requires(!std::is_same_v<array<U, Other...>, array>)
  array& operator=(const array<U, Other...>& a) {
    return *this = detail::lifted<detail::cast_f<dtype_of<U>().kind>, const array<U, Other...>&>::make(a);
  }
  static constexpr array filled(T value) {
    array out;
    for (T& x : out) x = value;
    return out;
  }

  static constexpr twill::shape shape() { return shape_type::value(); }
  constexpr T* data() { return items_; }
  constexpr const T* data() const { return items_; }
  static constexpr size_t size() { return static_cast<size_t>(elements); }
  constexpr T* begin() { return items_; }
  constexpr T* end() { return items_ + elements; }
  constexpr const T* begin() const { return items_; }
  constexpr const T* end() const { return items_ + elements; }
  // The element at an index for each axis; unchecked.
  template <class... I>
    requires(sizeof...(I) == sizeof...(Sizes) && (std::is_integral_v<I> && ...))
  constexpr T& operator()(I... at) {
    return items_[offset(at...)];
  }
  template <class... I>
    requires(sizeof...(I) == sizeof...(Sizes) && (std::is_integral_v<I> && ...))
  constexpr const T& operator()(I... at) const {
    return items_[offset(at...)];
  }

  template <class E> requires detail::beside_operand<E> array& operator+=(const E& e) { return *this = *this + e; }
  template <class E> requires detail::beside_operand<E> array& operator-=(const E& e) { return *this = *this - e; }
  template <class E> requires detail::beside_operand<E> array& operator*=(const E& e) { return *this = *this * e; }
  template <class E> requires detail::beside_operand<E> array& operator/=(const E& e) { return *this = *this / e; }

 private:
  template <class... I>
  static constexpr size_t offset(I... at) {
    size_t position = 0;
    ((position = position * static_cast<size_t>(Sizes) + static_cast<size_t>(at)), ...);
    return position;
  }
  template <class E>
  void assign(const E& e) {
    detail::run_expression<typename detail::assignment<array, E>::source>(items_, e, {items_, sizeof(T) * size()});
  }
  T items_[elements == 0 ? 1 : elements];
};

namespace detail {
template <class T, class Source>
struct array_result {
  static constexpr shape s = recording<Source>::output_shape(0);
  template <size_t... I>
  static auto make(std::index_sequence<I...>) -> array<T, s[I].bits...>;
  using type = decltype(make(std::make_index_sequence<s.rank()>{}));
};
}  // namespace detail

// The value of an expression, as an array of its own shape and element type.
template <array_operand E>
auto eval(const E& e) {
  if constexpr (requires { typename E::element; }) {
    return e;
  } else {
    using source = detail::expression_source<E>;
    using recorded = detail::recording<source>;
    if constexpr (!recorded::ok) {
      detail::refuse<recorded>();
      return 0;
    } else {
      return typename detail::array_result<element_type<recorded::output_type(0).kind>, source>::type(e);
    }
  }
}

// Constant expressions: arange<10>() is 0 … 9 (int32); full<2, 3>(1.5f).
template <i64 N>
constexpr iota_expression<N> arange() {
  return {};
}
template <i64... Sizes, weak_number T>
constexpr auto full(T value) {
  return applied<detail::expand_f<Sizes...>, detail::scalar_leaf<T>>{{{{detail::scalar_leaf<T>{value}}}}};
}

}  // namespace twill
