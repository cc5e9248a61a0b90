// The default choice of opts: which axis runs in vector lanes, and the register tile of a matrix product.
#pragma once

#include "twill/kernel/opts.hpp"

namespace twill {

namespace detail {

// Accesses that vector lanes along an axis would have to gather or scatter: neither constant nor of unit stride there.
constexpr int scattered(const kernel_tree& k, span<const u32> roots, size_t axis) {
  int bad = 0;
  for (const u32 id : toposort(k.nodes, roots)) {
    const op o = k.nodes.at(id).code;
    if (o != op::LOAD && o != op::STORE) continue;
    const shapetracker& st = k.views[static_cast<size_t>(k.nodes.argument(id, 1))];
    if (axis >= st.rank()) continue;
    const i64 stride = st.view_count() == 1 ? st.views()[0].axis(axis).stride : 2;
    bad += stride != 0 && stride != 1;
  }
  return bad;
}

// Does the stage compute something elementary for each of its indices?
constexpr bool expensive_stage(const kernel_tree& k, const stage& s) {
  vector<u8> wanted(k.nodes.size(), u8{0});
  for (const u32 r : s.roots)
    for (const u32 source : k.nodes.sources(r)) wanted[source] = 1;
  for (u32 id = static_cast<u32>(wanted.size()); id-- > 0;) {
    const op o = k.nodes.at(id).code;
    if (!wanted[id] || o == op::REDUCE_AXIS) continue;  // another stage's
    if (o == op::EXP || o == op::EXP2 || o == op::LOG || o == op::LOG2 || o == op::SIN || o == op::TANH) return true;
    for (const u32 source : k.nodes.sources(id)) wanted[source] = 1;
  }
  return false;
}

// The lanes for an axis of n: no more than half of them idle.
constexpr u16 fitting_lanes(u16 lanes, i64 n) {
  while (lanes > 2 && lanes / 2 >= n) lanes = static_cast<u16>(lanes / 2);
  return lanes;
}

struct tile {
  u16 rows = 1, columns = 1;
};

// Twice the cycles of one step of the inner loop for a tile: two multiply-adds and two loads a cycle, four cycles of
// latency, a fifth to have slack. g++ loads a vector again for each of up to four uses.
constexpr i64 tile_cycles(i64 rows, i64 columns) {
  i64 twice = rows * columns;
  const i64 loads = rows + (rows > 4 ? columns : twice);
  if (loads > twice) twice = loads;
  return twice < 10 ? 10 : twice;
}
constexpr i64 axis_parts(i64 n, i64 step, i64 parts[2][2]) {  // [count, size] of full tiles and of the rest
  parts[0][0] = n / step;
  parts[0][1] = step;
  parts[1][0] = n % step != 0;
  parts[1][1] = n % step;
  return 2;
}

// The tile of rows × vectors that covers m rows and n vectors in the fewest cycles and fits the registers.
constexpr tile best_tile(i64 m, i64 n, int registers) {
  tile best;
  i64 least = -1;
  for (u16 c = 1; c <= 4 && c <= n; ++c)
    for (u16 r = 1; r <= 8 && r <= m; ++r) {
      if (r * c + c + 1 > registers) continue;
      i64 rows[2][2]{}, columns[2][2]{};
      axis_parts(m, r, rows);
      axis_parts(n, c, columns);
      i64 cycles = 0;
      for (const auto& a : rows)
        for (const auto& b : columns)
          if (a[0] != 0 && b[0] != 0) cycles += a[0] * b[0] * tile_cycles(a[1], b[1]);
      if (least >= 0 && cycles >= least) continue;
      least = cycles;
      best = {r, c};
    }
  return best;
}

}  // namespace detail

constexpr kernel_opts choose_opts(const kernel_tree& k, const machine& m) {
  kernel_opts o;
  o.outer.resize(k.outer.size());
  o.inner.resize(k.stages.size());
  if (m.threads_per_index) {
    o.flat = true;
    return o;
  }
  int bytes = 1;
  for (u32 id = 0; id < k.nodes.size(); ++id) {
    const scalar_kind kind = register_kind(k.nodes.at(id).type.kind);
    if (kind != scalar_kind::void_ && byte_size(kind) > bytes) bytes = byte_size(kind);
  }
  const u16 widest = static_cast<u16>(m.vector_bytes / bytes);

  bool stores_inside = false, reduces = false;
  vector<u32> roots;
  int bad_inner = 0;
  for (const stage& s : k.stages) {
    const bool stores = k.nodes.at(s.roots[0]).code == op::STORE;
    stores_inside = stores_inside || (stores && !s.inner.empty());
    reduces = reduces || !stores;
    for (const u32 r : s.roots) roots.push_back(r);
    if (!s.inner.empty()) {
      vector<u32> sources;
      for (const u32 r : s.roots) sources.push_back(stores ? r : k.nodes.source(r, 0));
      bad_inner += detail::scattered(k, sources, k.outer.size() + s.inner.size() - 1);
    }
  }
  const bool has_outer = !k.outer.empty(), has_inner = reduces || stores_inside;
  const size_t last = has_outer ? k.outer.size() - 1 : 0;
  const int bad_outer = has_outer ? detail::scattered(k, roots, last) : 1 << 20;
  const bool along_outer = !has_inner || (stores_inside ? bad_inner > 0 && bad_outer < bad_inner : bad_outer <= bad_inner);
  if (widest < 2) {
    for (axis_opt& a : o.outer) a = {};
    return o;
  }

  // Is some operand reused along axis a while another is reused along the last axis? Then a register tile pays.
  const auto reused = [&](size_t a, size_t b) {
    for (u32 id = 0; id < k.nodes.size(); ++id) {
      if (k.nodes.at(id).code != op::LOAD) continue;
      const shapetracker& st = k.views[static_cast<size_t>(k.nodes.argument(id, 1))];
      if (st.view_count() != 1 || st.rank() <= k.outer.size()) continue;
      if (st.views()[0].axis(a).stride == 0 && st.views()[0].axis(b).stride != 0) return true;
    }
    return false;
  };
  const bool tiled = reduces && !stores_inside && k.outer.size() >= 2 && reused(last, last - 1) && reused(last - 1, last);

  if (along_outer) {
    const i64 n = k.outer[last];
    const u16 lanes = detail::fitting_lanes(widest, n);
    const i64 vectors = (n + lanes - 1) / lanes;
    o.outer[last].lanes = lanes;
    if (tiled) {
      const detail::tile t = detail::best_tile(k.outer[last - 1], vectors, m.vector_registers);
      o.outer[last - 1].upcast = t.rows;
      o.outer[last].upcast = t.columns;
    } else {
      const u16 most = reduces ? 4 : 2;
      o.outer[last].upcast = static_cast<u16>(n >= most * lanes ? most : n >= 2 * lanes ? 2 : 1);
    }
    return o;
  }
  if (tiled) {  // dot products: lanes along the common axis, several rows and columns at a time
    const detail::tile t = detail::best_tile(k.outer[last - 1], k.outer[last], m.vector_registers);
    o.outer[last - 1].upcast = t.rows;
    o.outer[last].upcast = t.columns;
  }
  for (size_t s = 0; s < k.stages.size(); ++s) {
    if (k.stages[s].inner.empty()) continue;
    const i64 n = k.stages[s].inner.back();
    const u16 lanes = detail::fitting_lanes(widest, n);
    const bool stores = k.nodes.at(k.stages[s].roots[0]).code == op::STORE;
    // Several sums hide the latency of short chains in long rows; two vectors at a time fill the units with expensive ones.
    const u16 most = tiled ? 1 : detail::expensive_stage(k, k.stages[s]) ? 2 : stores ? 1 : n >= 32 * lanes ? 4 : 2;
    o.inner[s].lanes = lanes;
    o.inner[s].upcast = static_cast<u16>(n >= most * lanes ? most : n >= 2 * lanes && most >= 2 ? 2 : 1);
  }
  return o;
}

}  // namespace twill
