// A linear program as a C++ translation unit of its own: no includes, one function. g++ >= 12 and clang >= 16.
#pragma once

#include "twill/render/c_style.hpp"

namespace twill {

// Flags that belong to the text, beside -O2 or -O3 and the choice of the CPU: no contraction of a * b + c, square roots that
// need no errno, no warnings.
inline constexpr const char* cpp_flags[] = {"-ffp-contract=off", "-fno-math-errno", "-w"};

// extern "C" void SYMBOL(void* const* arguments, long long begin, long long end), for the parallel indices [begin, end).
// may_alias: an argument may be the same memory as another (where every load uses the store's index). Raises
// argument_error for a symbol that is no identifier. Lane axes have a power of two as size.
inline text render_cpp(program_view p, text_view symbol, bool may_alias = false) {
  if (!detail::is_identifier(symbol)) raise<argument_error>(detail::say("not an identifier: ", symbol));
  detail::c_prelude prelude;
  prelude.type(scalar_kind::int64, 0);
  detail::c_body body(p, prelude);
  text arguments;
  for (size_t b = 0; b < p.buffers.size(); ++b) {
    if (p.buffers[b].local) continue;
    const text type = body.pointer_type(b);
    arguments << "  " << type << (may_alias ? " const b" : " __restrict__ const b") << b << " = (" << type << ")arguments[" << b << "];\n";
  }
  const text statements = body.write();
  text out = "#pragma GCC diagnostic ignored \"-Wpsabi\"\n";
  const text helpers = prelude.all();
  // g++ 12.2's straight-line vectorizer makes -1 of two lanes that compute x == 0 ? 0 : x / x.
  if (helpers.contains("idiv_") || helpers.contains("imod_") || helpers.contains("floordiv_") || helpers.contains("floormod_"))
    out << "#if defined(__GNUC__) && !defined(__clang__)\n#pragma GCC optimize(\"no-tree-slp-vectorize\")\n#endif\n";
  out << helpers;
  out << "extern \"C\" void " << symbol << "(void* const* arguments, long long begin, long long end) {\n";
  return out << arguments << "  if (begin >= end) return;\n" << statements << "}\n", out;
}

}  // namespace twill
