// The rules of a linear program (lower/program.hpp), checked: an executor may rely on them.
#pragma once

#include "twill/base/error.hpp"
#include "twill/lower/program.hpp"

namespace twill {

// What is wrong with p, naming the instruction; empty when nothing is.
constexpr text verify(program_view p) {
  text out;
  const auto wrong = [&](size_t at, text_view what) {
    if (out.empty()) out << "instruction " << at << " (" << name(p.instructions[at].code) << "): " << what;
  };
  if (p.axes.size() > static_cast<size_t>(max_tile_axes)) out << "too many tile axes";
  for (const tile_axis& a : p.axes) {
    if (a.size == 0 || a.active == 0 || a.active > a.size) out << "a tile axis without elements";
    if (!a.lane && a.active != a.size) out << "an unrolled axis with inactive elements";
  }
  const u32 known = p.axes.size() >= 32 ? ~u32{0} : (u32{1} << p.axes.size()) - 1;
  vector<u8> in_scope(p.instructions.size(), u8{0});
  vector<u32> loops;    // open ranges
  for (size_t at = 0; at < p.instructions.size(); ++at) {
    const instruction& i = p.instructions[at];
    if ((i.axes & ~known) != 0) wrong(at, "varies along an unknown tile axis");
    int lanes = 0, axes = 0;
    for (size_t a = 0; a < p.axes.size(); ++a) {
      if ((i.axes >> a & 1) == 0) continue;
      ++axes;
      lanes += p.axes[a].lane;
    }
    if (lanes > 1) wrong(at, "varies along two lane axes");
    if (axes > max_value_axes) wrong(at, "varies along too many tile axes");
    u32 from_sources = 0;
    for (int s = 0; s < i.source_count; ++s) {
      if (i.source[s] >= at) {
        wrong(at, "uses a value before it is there");
        return out;
      }
      if (in_scope[i.source[s]] == 0) wrong(at, "uses a value out of its scope");
      else from_sources |= p.instructions[i.source[s]].axes;
    }
    if (i.code == op::LOAD || i.code == op::STORE || i.code == op::INDEX) {
      if (i.access >= p.accesses.size()) {
        wrong(at, "has no access");
        return out;
      }
      const access& a = p.accesses[i.access];
      from_sources |= a.axes;
      const int extra = i.code == op::STORE ? 1 : i.code == op::LOAD && i.gated ? 1 : 0;
      if (i.source_count != a.terms + extra) wrong(at, "has the wrong number of sources");
      if (i.code != op::INDEX && a.buffer >= p.buffers.size()) wrong(at, "names an unknown buffer");
      else if (i.code != op::INDEX && p.buffers[a.buffer].kind != i.kind) wrong(at, "differs from its buffer in dtype");
      for (int t = 0; t < a.terms && t < i.source_count; ++t)
        if (p.instructions[i.source[t]].kind != scalar_kind::int64) wrong(at, "has an index term that is not int64");
      if (i.code == op::LOAD && i.gated && i.source_count > 0 && p.instructions[i.source[i.source_count - 1]].kind != scalar_kind::bool_) wrong(at, "has a gate that is not bool");
      if (i.code == op::STORE && (from_sources & ~i.axes) != 0) wrong(at, "stores along fewer axes than its value has");
      if (i.code != op::STORE && from_sources != i.axes) wrong(at, "does not vary exactly as its sources do");
    } else if (is_alu(i.code) || i.code == op::CAST || i.code == op::BITCAST) {
      if (i.source_count != traits(i.code).arity) wrong(at, "has the wrong number of sources");
      if (from_sources != i.axes) wrong(at, "does not vary exactly as its sources do");
      if (is_alu(i.code) && i.source_count > 0) {
        const scalar_kind last = p.instructions[i.source[i.source_count - 1]].kind;
        if (i.code == op::WHERE && p.instructions[i.source[0]].kind != scalar_kind::bool_) wrong(at, "has a condition that is not bool");
        if (!is_comparison(i.code) && last != i.kind) wrong(at, "differs from its source in dtype");
        if (is_comparison(i.code) && i.kind != scalar_kind::bool_) wrong(at, "is a comparison that is not bool");
        const int first = i.code == op::WHERE ? 1 : 0;
        for (int s = first; s < i.source_count; ++s)
          if (p.instructions[i.source[s]].kind != last) wrong(at, "has sources of different dtypes");
      }
    } else if (i.code == op::RANGE) {
      if (i.argument[0] < 0) wrong(at, "runs a negative number of times");
      if (i.argument[1] >= 0 && i.argument[1] + i.argument[0] > p.parallel_count) wrong(at, "runs past the parallel indices");
      if (i.argument[1] >= 0 && !loops.empty()) wrong(at, "is parallel inside another loop");
      loops.push_back(static_cast<u32>(at));
    } else if (i.code == op::ENDRANGE) {
      if (loops.empty() || i.source_count != 1 || i.source[0] != loops.back()) {
        wrong(at, "closes no open loop");
        return out;
      }
      // What the loop made is gone after it.
      for (size_t inside = loops.back(); inside < at; ++inside) in_scope[inside] = 0;
      loops.pop_back();
    } else if (i.code == op::ASSIGN) {
      if (i.source_count != 2 || p.instructions[i.source[0]].code != op::DEFINE_ACC) wrong(at, "assigns to no accumulator");
      else if (p.instructions[i.source[0]].axes != i.axes) wrong(at, "differs from its accumulator in axes");
    } else if (i.code == op::REDUCE_AXIS) {
      if ((from_sources & ~static_cast<u32>(i.argument[1])) != i.axes) wrong(at, "does not remove the axes it says");
      if ((static_cast<u32>(i.argument[1]) & ~from_sources) != 0) wrong(at, "removes axes that its source has not");
    } else if (i.code != op::CONST && i.code != op::DEFINE_ACC && i.code != op::DEFINE_LOCAL) {
      wrong(at, "has no meaning in a program");
    }
    in_scope[at] = 1;
  }
  if (!loops.empty()) wrong(loops.back(), "is not closed");
  return out;
}

}  // namespace twill
