// A linear program as CUDA: no includes, one kernel, for nvcc and NVRTC alike. Compile with -fmad=false: sums of products
// are explicit.
#pragma once

#include "twill/render/c_style.hpp"

namespace twill {

// extern "C" __global__ void SYMBOL(argument pointers…): every thread runs one parallel index, so launch at least
// parallel_count of them. The program has no lane axes. Raises argument_error for a symbol that is no identifier, and
// graph_error for lanes.
inline text render_cuda(program_view p, text_view symbol, bool may_alias = false) {
  if (!detail::is_identifier(symbol)) raise<argument_error>(detail::say("not an identifier: ", symbol));
  for (const tile_axis& a : p.axes)
    if (a.lane) raise<graph_error>("a program with lane axes cannot be rendered as CUDA");
  detail::c_prelude prelude;
  prelude.cuda = true;
  prelude.type(scalar_kind::int64, 0);
  detail::c_body body(p, prelude);
  text parameters;
  for (size_t b = 0; b < p.buffers.size(); ++b) {
    if (p.buffers[b].local) continue;
    parameters << (b == 0 ? "" : ", ") << body.pointer_type(b) << (may_alias ? " b" : " __restrict__ b") << b;
  }
  const text statements = body.write();
  text out = prelude.all();
  out << "extern \"C\" __global__ void " << symbol << '(' << parameters << ") {\n";
  out << "  const i64 parallel = (i64)blockIdx.x * blockDim.x + threadIdx.x;\n";
  return out << "  if (parallel >= " << p.parallel_count << ") return;\n" << statements << "}\n", out;
}

}  // namespace twill
