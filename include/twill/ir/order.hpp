// The canonical order of operands, and keys of whole graphs. Both are stable across runs, graphs and machines.
#pragma once

#include "twill/ir/uop.hpp"

namespace twill {

namespace detail {
// Negative, zero or positive as a < b, a == b, a > b.
template <class T>
constexpr int compare(T a, T b) {
  return a < b ? -1 : b < a ? 1 : 0;
}
constexpr int compare_words(span<const i64> a, span<const i64> b) {
  for (size_t i = 0; i < a.size() && i < b.size(); ++i)
    if (a[i] != b[i]) return compare(a[i], b[i]);
  return compare(a.size(), b.size());
}
// Names are kept eight characters to a word, the first one lowest.
constexpr int compare_names(span<const i64> a, span<const i64> b) {
  for (size_t i = 0; i < a.size() && i < b.size(); ++i)
    if (a[i] != b[i]) return compare(__builtin_bswap64(static_cast<u64>(a[i])), __builtin_bswap64(static_cast<u64>(b[i])));
  return compare(a.size(), b.size());
}
// Of what a constant or a variable is; other ops have no payload.
constexpr int compare_payload(uop a, uop b) {
  switch (a.code()) {
    case op::DEFINE_VAR: {
      const span<const i64> x = a.arguments(), y = b.arguments();
      const int by_name = compare_names(x.subspan(3, x.size() - 3), y.subspan(3, y.size() - 3));
      return by_name != 0 ? by_name : compare_words(x, y);
    }
    case op::CONST:
      if (is_float(a.type()) && is_float(b.type())) {
        const double x = double_of(a.argument(0)), y = double_of(b.argument(0));
        if (!scalar::is_nan(x) && !scalar::is_nan(y) && x != y) return x < y ? -1 : 1;
      }
      return compare_words(a.arguments(), b.arguments());
    case op::VCONST: case op::RANGE: case op::SPECIAL: return compare_words(a.arguments(), b.arguments());
    default: return 0;
  }
}
constexpr int compare_nodes(uop a, uop b) {
  // A tie of hashes goes on with the first sources that differ: they exist, since equal nodes are one.
  while (!(a == b)) {
    int c = compare(traits(a.code()).rank, traits(b.code()).rank);
    if (c == 0) c = compare(static_cast<u8>(a.code()), static_cast<u8>(b.code()));
    if (c == 0) c = compare_payload(a, b);
    if (c == 0) c = compare(a.type().word(), b.type().word());
    if (c == 0) c = compare(a.get().hash, b.get().hash);
    if (c == 0) c = compare_words(a.arguments(), b.arguments());
    if (c == 0) c = compare(a.source_count(), b.source_count());
    if (c != 0) return c;
    size_t i = 0;
    while (i + 1 < a.source_count() && a.source(i) == b.source(i)) ++i;
    const uop next = b.source(i);
    a = a.source(i);
    b = next;
  }
  return 0;
}
}  // namespace detail

// Does a stand before b as an operand of a commutative op? A strict total order on the nodes of a graph: by rank
// (variables first, constants last), payload, dtype, then structural hash.
constexpr bool before(uop a, uop b) { return detail::compare_nodes(a, b) < 0; }

// 128 bits that say what a graph computes.
struct graph_key {
  u64 high = 0;
  u64 low = 0;
  friend constexpr bool operator==(const graph_key&, const graph_key&) = default;
};
constexpr text to_text(graph_key k) {
  text out;
  out.hex(k.high, 16).hex(k.low, 16);
  return out;
}
constexpr graph_key key(uop root) {
  // The low half is the root's own hash; the high half does not build on hashes of sources but walks the graph, depth
  // first from the root (ids depend on what else was interned, this order does not), with numbers for nodes met again.
  const graph& g = *root.owner;
  vector<u32> number(root.id + 1, ~u32{0});
  vector<u32> pending{root.id};
  u64 state = 0x7477696c6c000001u;
  u32 count = 0;
  while (!pending.empty()) {
    const u32 id = pending.back();
    pending.pop_back();
    if (number[id] != ~u32{0}) {
      state = hash_combine(state, number[id]);
      continue;
    }
    number[id] = count++;
    const node& n = g.at(id);
    state = hash_combine(state, ~u64{0} - static_cast<u64>(n.code));
    state = hash_combine(state, n.type.word());
    state = hash_combine(state, static_cast<u64>(n.source_count) << 32 | n.argument_count);
    for (const i64 word : g.arguments(id)) state = hash_combine(state, static_cast<u64>(word));
    for (const u32 s : g.sources(id)) pending.push_back(s);
  }
  return {state, root.get().hash};
}

}  // namespace twill
