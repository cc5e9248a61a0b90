// Nodes with a part changed, and graphs with nodes replaced.
#pragma once

#include "twill/ir/uop.hpp"

namespace twill {

// The node with other sources, dtype or arguments. Law: with its own parts it is the node itself.
constexpr uop replace(uop u, span<const uop> sources) { return u.owner->make(u.code(), u.type(), sources, vector<i64, 8>(u.arguments())); }
constexpr uop replace(uop u, dtype type) {
  return {u.owner, u.owner->intern(u.code(), type, vector<u32, 8>(u.owner->sources(u.id)), vector<i64, 8>(u.arguments()))};
}
constexpr uop replace(uop u, span<const i64> arguments) {
  return {u.owner, u.owner->intern(u.code(), u.type(), vector<u32, 8>(u.owner->sources(u.id)), vector<i64, 8>(arguments))};
}

struct replacement {
  uop from;
  uop to;
};
// root with every `from` replaced by its `to`, all at once: a `to` is taken as it is. Law: root itself if no `from` occurs.
constexpr uop substitute(uop root, span<const replacement> replacements) {
  graph& g = *root.owner;
  vector<u32> now(root.id + 1);  // id of what replaces each node
  for (u32 id = 0; id <= root.id; ++id) now[id] = id;
  bool any = false;
  for (const replacement& r : replacements)
    if (r.from.id <= root.id) {
      now[r.from.id] = r.to.id;
      any = true;
    }
  if (!any) return root;
  if (now[root.id] != root.id) return {&g, now[root.id]};
  for (const u32 id : toposort(root)) {
    if (now[id] != id) continue;
    vector<u32, 8> sources(g.sources(id));
    bool changed = false;
    for (u32& s : sources) {
      changed = changed || now[s] != s;
      s = now[s];
    }
    if (!changed) continue;
    const vector<i64, 8> arguments(g.arguments(id));
    now[id] = g.intern(g.at(id).code, g.at(id).type, sources, arguments);
  }
  return {&g, now[root.id]};
}

}  // namespace twill
