// Compile-time-shaped kernels: a generic function and the shapes of its arguments; everything else is decided by the C++
// compiler.
//
//   inline constexpr auto layer = [](auto x, auto w, auto b) { return tw::relu(tw::matmul(x, w) + b); };
//   struct dense : tw::kernel<layer, tw::f32<32, 64>, tw::f32<64, 10>, tw::f32<10>> {};
//   dense::run(out, x, w, b);
#pragma once

#include "twill/door/element_type.hpp"
#include "twill/door/static_check.hpp"
#include "twill/door/static_run.hpp"
#include "twill/render/program_text.hpp"

namespace twill {

// Element type and shape of an argument.
template <class T, i64... Sizes>
struct spec {
  using element = T;
  using shape_type = dims<Sizes...>;
};
template <i64... Sizes> using f32 = spec<float, Sizes...>;
template <i64... Sizes> using f64 = spec<double, Sizes...>;

// Memory for a call's intermediate results, instead of the stack or the thread's own: tw::kernel::run(workspace, …).
struct workspace {
  void* data = nullptr;
  size_t bytes = 0;
  constexpr workspace(void* memory, size_t size) : data(memory), bytes(size) {}
  // Anything with data() and size().
  template <class C>
    requires requires(C& c) { static_cast<void*>(c.data()); c.size(); }
  constexpr explicit workspace(C& c) : data(c.data()), bytes(c.size() * sizeof(*c.data())) {}
};

namespace detail {

template <auto Fn, class... Specs>
struct kernel_source {
  static constexpr void record(recorder& r, vector<u32, 4>& outputs) {
    [&]<size_t... I>(std::index_sequence<I...>) {
      const auto result = Fn(record_argument(r, static_cast<i64>(I), dtype_of<typename Specs::element>(), Specs::shape_type::value())...);
      for_each_result(result, [&](const tracer& x) { add_output(outputs, r, x); });
    }(std::make_index_sequence<sizeof...(Specs)>{});
  }
};

}  // namespace detail

// Static members describe the kernel; run() executes it. Fn: a captureless generic function of operands that returns one
// operand, or several (tw::outputs(a, b), std::tuple). Derive a named struct from it, so that device code can use it too.
template <auto Fn, class... Specs>
struct kernel {
 private:
  using source = detail::kernel_source<Fn, Specs...>;
  using recorded = detail::recording<source>;

 public:
  // Law: the k-th result of Fn has this shape (result_shape: of the first).
  template <size_t K>
  static constexpr shape result_shape_of = recorded::output_shape(K);
  static constexpr shape result_shape = recorded::output_shape(0);
  static constexpr size_t result_count = recorded::output_count;
  // Loop nests that a call runs, one after the other.
  static constexpr size_t launches = detail::planning<source>::kernels;
  // Operations on data: 2·M·N·K for a matrix product, one for each other arithmetic operation on an element.
  static constexpr i64 flops = []<size_t... K>(std::index_sequence<K...>) {
    return (i64{0} + ... + detail::lowering<source, K, TWILL_VECTOR_BYTES>::facts.flops);
  }(std::make_index_sequence<launches>{});
  // Bytes of intermediate results; up to 16 KiB live on the stack, more in memory that the thread keeps.
  static constexpr size_t workspace_bytes = detail_run::program_facts<source>::buffers.workspace;

  // The results' memory first, then the arguments': pointers, spans, vectors, arrays; contiguous, aligned to the element.
  // Raises, before anything is written: argument_error (null), shape_error (too few elements), alias_error.
  template <class... A>
  static void run(A&&... arguments) {
    if constexpr (!recorded::ok) {
      detail::refuse<recorded>();
    } else {
      static_assert(sizeof...(A) == recorded::output_count + sizeof...(Specs), "a kernel takes the memory of its results, then its arguments");
      if constexpr (sizeof...(A) == recorded::output_count + sizeof...(Specs))
        run_with(nullptr, std::make_index_sequence<recorded::output_count>{}, std::make_index_sequence<sizeof...(Specs)>{}, arguments...);
    }
  }
  // The same with the caller's memory for intermediate results: at least workspace_bytes, aligned to 64, or argument_error.
  template <class... A>
  static void run(workspace w, A&&... arguments) {
    static_assert(sizeof...(A) == recorded::output_count + sizeof...(Specs), "a kernel takes a workspace, the memory of its results, then its arguments");
    if (w.bytes < workspace_bytes || reinterpret_cast<std::uintptr_t>(w.data) % 64 != 0) {
      text message("the workspace has ");
      message << w.bytes << " bytes at an address that is " << (reinterpret_cast<std::uintptr_t>(w.data) % 64 == 0 ? "" : "not ")
              << "a multiple of 64, the kernel needs " << workspace_bytes << " at one that is";
      raise<argument_error>(static_cast<text&&>(message));
    }
    run_with(static_cast<char*>(w.data), std::make_index_sequence<recorded::output_count>{}, std::make_index_sequence<sizeof...(Specs)>{}, arguments...);
  }

  // The linear programs of its kernels, for reading.
  static text program_text() {
    text out;
    [&]<size_t... K>(std::index_sequence<K...>) {
      ((out << "kernel " << K << "\n" << twill::program_text(detail::lowering<source, K, TWILL_VECTOR_BYTES>::program.view())), ...);
    }(std::make_index_sequence<launches>{});
    return out;
  }

 private:
  template <size_t K>
  using result_element = element_type<recorded::output_type(K).kind>;

  template <size_t... O, size_t... I, class... A>
  static void run_with(char* memory, std::index_sequence<O...>, std::index_sequence<I...>, A&... arguments) {
    constexpr size_t results = sizeof...(O);
    void* pointers[]{read<O>(arguments_at<O>(arguments...))..., read<results + I>(arguments_at<results + I>(arguments...))...};
    const detail::memory_range ranges[]{
        {pointers[O], static_cast<size_t>(recorded::output_shape(O).elements()) * sizeof(result_element<O>)}...,
        {pointers[results + I], static_cast<size_t>(Specs::shape_type::elements) * sizeof(typename Specs::element)}...};
    for (size_t o = 0; o < results; ++o) {
      for (size_t p = 0; p < o; ++p)
        if (ranges[o].overlaps(ranges[p])) detail::raise_alias("output", static_cast<i64>(o), static_cast<i64>(p));
      for (size_t i = 0; i < sizeof...(I); ++i) {
        if (!ranges[o].overlaps(ranges[results + i])) continue;
        const bool same = ranges[o].begin == ranges[results + i].begin && ranges[o].bytes == ranges[results + i].bytes;
        if (!same || !detail_run::in_place<source, results, sizeof...(I)>::table.allowed[o][i]) detail::raise_alias("argument", static_cast<i64>(o), static_cast<i64>(i));
      }
    }
    detail_run::run_program<source>(pointers, pointers + results, memory);
  }
  template <size_t N, class First, class... Rest>
  static auto& arguments_at(First& first, Rest&... rest) {
    if constexpr (N == 0) return first;
    else return arguments_at<N - 1>(rest...);
  }
  template <size_t N, class A>
  static void* read(A& argument) {
    if constexpr (N < recorded::output_count) {
      return detail::argument_pointer<result_element<N>>(argument, static_cast<i64>(N), result_shape_of<N>.elements(), "kernel's results");
    } else {
      constexpr size_t i = N - recorded::output_count;
      using s = typename nth<i, Specs...>::type;
      return detail::argument_pointer<typename s::element>(argument, static_cast<i64>(i), s::shape_type::elements, "kernel");
    }
  }
  template <size_t N, class First, class... Rest>
  struct nth : nth<N - 1, Rest...> {};
  template <class First, class... Rest>
  struct nth<0, First, Rest...> {
    using type = First;
  };
};

}  // namespace twill
