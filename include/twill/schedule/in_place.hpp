// May an output share its memory with an input? Exactly when every load of the input is at the index that the output is
// stored to, in the same pass over the data.
#pragma once

#include "twill/schedule/kernel_tree.hpp"

namespace twill {

enum class reads : u8 { none, at_store, elsewhere };

// How a kernel reads one of its buffers, seen from another one that it stores.
constexpr reads reads_of(const kernel_tree& k, u32 input, u32 output) {
  reads found = reads::none;
  for (const stage& s : k.stages) {
    i64 stored = -1;  // the view of the output's store in this stage
    for (const u32 r : s.roots)
      if (k.nodes.at(r).code == op::STORE && k.nodes.argument(r, 0) == static_cast<i64>(output)) stored = k.nodes.argument(r, 1);
    for (const u32 id : toposort(k.nodes, s.roots)) {
      if (k.nodes.at(id).code != op::LOAD || k.nodes.argument(id, 0) != static_cast<i64>(input)) continue;
      const size_t view = static_cast<size_t>(k.nodes.argument(id, 1));
      if (stored < 0 || !(k.views[view] == k.views[static_cast<size_t>(stored)])) return reads::elsewhere;
      found = reads::at_store;
    }
  }
  return found;
}

}  // namespace twill
