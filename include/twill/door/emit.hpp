// Ahead-of-time code: the source text of a function's kernels for given shapes.
#pragma once

#include "twill/door/results.hpp"
#include "twill/runtime/executable.hpp"
#include "twill/tensor/functions.hpp"

namespace twill {

// An argument of a function to emit: element type and shape, known at run time.
struct argument_spec {
  dtype type = float32;
  twill::shape dims;
};

namespace detail {

template <class S>
argument_spec spec_of(const S&) {
  return {dtype_of<typename S::element>(), S::shape_type::value()};
}
inline argument_spec spec_of(const argument_spec& s) { return s; }

inline void describe_buffer(text& out, const buffer_use& b) {
  out << (b.what == buffer_use::kind::input ? "argument " : b.what == buffer_use::kind::output ? "result " : "temporary ") << b.number << ": "
      << to_text(b.type) << '[' << b.elements << ']';
}

}  // namespace detail

// The source of each kernel of fn on arguments of these specs (tw::f32<…>{}, or argument_spec): kernel k is the function
// name_k of signature void(void* const* buffers, long long begin, long long end), to be called with [0, its parallel count)
// or in parts; the comment before it says what its buffers are. Kernels run in order. Raises shape_error and dtype_error
// as tensors do, argument_error for a name that is no C identifier.
template <class Fn, class... Specs>
vector<text> emit_kernels(lang language, text_view name, const Fn& fn, const Specs&... specs) {
  if (!detail::is_identifier(name)) raise<argument_error>("emit: the name must be a C identifier");
  recorder r;
  vector<u32, 4> outputs;
  const argument_spec list[]{detail::spec_of(specs)...};
  [&]<size_t... I>(std::index_sequence<I...>) {
    const auto result = fn(record_argument(r, static_cast<i64>(I), list[I].type, list[I].dims)...);
    using detail::for_each_result;  // unqualified: other kinds of tuple bring their own (hana.hpp)
    for_each_result(result, [&](const tracer& x) { detail::add_output(outputs, r, x); });
  }(std::make_index_sequence<sizeof...(Specs)>{});
  raise_if(r.shape_problem);
  if (r.type_problem) raise<dtype_error>(message(r.type_problem));
  recorder ordered;
  const executable program(ordered, unpack_recording(pack_recording(r, outputs), ordered));
  vector<text> sources;
  for (size_t k = 0; k < program.kernels().size(); ++k) {
    const executable_kernel& kernel = program.kernels()[k];
    text symbol(name);
    symbol << '_' << k;
    const twill::program& lowered = language == lang::cpp ? kernel.program() : kernel.cuda_program();
    text source;
    source << "// Kernel " << k << " of " << name << ". Parallel indices: " << lowered.parallel_count << ". Buffers:\n";
    for (u32 i = 0; i < kernel.arguments().size(); ++i) {
      source << "//   " << i << " is ";
      detail::describe_buffer(source, program.plan().buffers[kernel.arguments()[i]]);
      source << '\n';
    }
    source << (language == lang::cpp ? render_cpp(view_of(lowered), symbol) : render_cuda(view_of(lowered), symbol));
    sources.push_back(source);
  }
  return sources;
}

// A self-contained translation unit for a function that is one kernel; raises argument_error when it takes several, which
// emit_kernels gives one by one.
template <class Fn, class... Specs>
text emit(lang language, const Fn& fn, const Specs&... specs) {
  const vector<text> sources = emit_kernels(language, "kernel", fn, specs...);
  if (sources.size() != 1) {
    text message("emit: the function takes ");
    message << sources.size() << " kernels, not 1; use emit_kernels";
    raise<argument_error>(static_cast<text&&>(message));
  }
  return sources[0];
}

}  // namespace twill
