// From a kernel tree and its opts to a linear program: loops are opened, views become index and validity instructions,
// values are computed in the outermost place of (before the inner loops, inside them) that they allow.
#pragma once

#include "twill/kernel/heuristic.hpp"
#include "twill/kernel/merge_axes.hpp"
#include "twill/lower/verify.hpp"
#include "twill/tensor/record.hpp"

namespace twill {

namespace detail {

class lowerer {
 public:
  constexpr lowerer(const kernel_tree& k, const kernel_opts& o, program& out) : k_(k), o_(o), out_(out) {}

  constexpr void run() {
    out_.buffers = vector<buffer_info>(span<const buffer_info>(k_.buffers));
    value_ = vector<u32>(k_.nodes.size(), 0u);
    find_dependencies();
    outer_.resize(k_.outer.size());
    find_accumulated();
    choose_locals();
    for (u32 id = 0; id < k_.nodes.size(); ++id)
      if (k_.nodes.at(id).code == op::CONST) set(id, constant(k_.nodes.at(id).type.kind, k_.nodes.argument(id, 0)));
    for (const local& l : locals_) {
      instruction i = make(op::DEFINE_LOCAL, l.kind);
      i.argument[0] = l.buffer;
      i.argument[1] = l.elements;
      push(i);
      out_.buffers.push_back({l.kind, false, true, l.elements});
    }
    if (o_.flat) open_flat();
    else if (k_.outer.empty()) {
      const u16 loop = open(1, 0);
      stages();
      close(loop);
      out_.parallel_count = 1;
    } else {
      out_.parallel_count = 0;
      open_outer(0);
    }
    for (const stage& s : k_.stages) {
      i64 points = 1;
      for (const i64 n : k_.outer) points *= n;
      for (const i64 n : s.inner) points *= n;
      out_.work += points * static_cast<i64>(1 + k_.nodes.size() / (k_.stages.size() + 1));
    }
  }

 private:
  // The value of an index axis within the open loops: begin + step * loop + upcast_stride * (index of tile axis upcast) +
  // (lane). least and most bound it.
  struct axis_state {
    i64 begin = 0, step = 1;
    i64 loop = -1;         // instruction
    i64 upcast = -1;       // tile axis
    i64 upcast_stride = 1;
    i64 lane = -1;         // tile axis
    i64 least = 0, most = 0;
  };
  struct segment {
    i64 begin = 0, count = 1, step = 1;
    u16 upcast = 1;
    u16 lanes = 1, active = 1;
  };
  struct local {
    u32 node;
    size_t stage;   // that stores it
    i64 buffer;
    scalar_kind kind;
    i64 elements;
    i64 tile;       // elements of it for one inner index
  };

  // ---- instructions ----
  static constexpr instruction make(op code, scalar_kind kind) {
    instruction i;
    i.code = code;
    i.kind = kind;
    return i;
  }
  constexpr u16 push(const instruction& i) {
    out_.instructions.push_back(i);
    return static_cast<u16>(out_.instructions.size() - 1);
  }
  constexpr void use(instruction& i, u16 source) const {
    i.source[i.source_count++] = source;
    i.axes |= out_.instructions[source].axes;
  }
  constexpr u16 constant(scalar_kind kind, i64 word) {
    instruction i = make(op::CONST, kind);
    i.argument[0] = word;
    return push(i);
  }
  constexpr u16 operation(op code, scalar_kind kind, u16 a, u16 b) {
    instruction i = make(code, kind);
    use(i, a);
    use(i, b);
    return push(i);
  }
  // Opens a loop; first_parallel -1: a plain one.
  constexpr u16 open(i64 count, i64 first_parallel) {
    instruction i = make(op::RANGE, scalar_kind::int64);
    i.argument[0] = count;
    i.argument[1] = first_parallel;
    scopes_.push_back(static_cast<u32>(trail_.size()));
    return push(i);
  }
  constexpr void close(u16 loop) {
    instruction i = make(op::ENDRANGE, scalar_kind::void_);
    i.source[i.source_count++] = loop;
    push(i);
    leave();
  }
  constexpr void enter() { scopes_.push_back(static_cast<u32>(trail_.size())); }
  // Values computed since the matching open are out of scope.
  constexpr void leave() {
    const u32 from = scopes_.back();
    scopes_.pop_back();
    while (trail_.size() > from) {
      value_[trail_.back()] = 0;
      trail_.pop_back();
    }
  }
  constexpr void set(u32 node, u16 value) {
    value_[node] = value + 1u;
    trail_.push_back(node);
  }
  constexpr u16 get(u32 node) const { return static_cast<u16>(value_[node] - 1); }

  // One number for each (place, size): segments of one axis are never open together, so they share tile axes.
  constexpr i64 tile_axis_of(u32 place, u16 size, u16 active, bool lane) {
    for (size_t i = 0; i < places_.size(); ++i)
      if (places_[i] == place && out_.axes[i].size == size && out_.axes[i].active == active && out_.axes[i].lane == lane)
        return static_cast<i64>(i);
    if (places_.size() == static_cast<size_t>(max_tile_axes)) raise<graph_error>("lower: a kernel needs more than 32 tile axes");
    places_.push_back(place);
    out_.axes.push_back({size, active, lane});
    return static_cast<i64>(places_.size() - 1);
  }

  // ---- axes ----
  static constexpr vector<segment, 3> segments_of(i64 n, axis_opt o) {
    vector<segment, 3> out;
    const i64 width = o.lanes, tile = o.upcast * width;
    const auto u = [](i64 v) { return static_cast<u16>(v); };
    if (n >= tile) out.push_back({0, n / tile, tile, o.upcast, o.lanes, o.lanes});
    i64 done = n / tile * tile;
    if (const i64 vectors = (n - done) / width; vectors > 0) {
      out.push_back({done, 1, vectors * width, u(vectors), o.lanes, o.lanes});
      done += vectors * width;
    }
    if (done < n) out.push_back({done, 1, n - done, 1, o.lanes, u(n - done)});
    return out;
  }
  constexpr axis_state enter_segment(const segment& s, u32 place, i64 loop) {
    axis_state a;
    a.begin = s.begin;
    a.step = s.step;
    a.loop = loop;
    a.upcast_stride = s.lanes;
    if (s.upcast > 1) a.upcast = tile_axis_of(2 * place, s.upcast, s.upcast, false);
    if (s.lanes > 1) a.lane = tile_axis_of(2 * place + 1, s.lanes, s.active, true);
    a.least = s.begin;
    a.most = s.begin + s.step * (s.count - 1) + static_cast<i64>(s.upcast - 1) * s.lanes + s.active - 1;
    return a;
  }
  static constexpr u32 tiles_of(const axis_state& a) {
    return (a.upcast >= 0 ? u32{1} << a.upcast : 0) | (a.lane >= 0 ? u32{1} << a.lane : 0);
  }
  constexpr u32 outer_tiles() const {
    u32 mask = 0;
    for (const axis_state& a : outer_) mask |= tiles_of(a);
    return mask;
  }
  constexpr const axis_state& state(size_t axis) const { return axis < outer_.size() ? outer_[axis] : inner_[axis - outer_.size()]; }

  constexpr void open_outer(size_t level) {
    for (const segment& s : segments_of(k_.outer[level], o_.outer[level])) {
      const bool first = level == 0;
      const bool loops = first || s.count > 1;
      u16 loop = 0;
      if (loops) {
        loop = open(s.count, first ? out_.parallel_count : -1);
        if (first) out_.parallel_count += s.count;
      } else {
        enter();
      }
      outer_[level] = enter_segment(s, static_cast<u32>(level), s.count > 1 ? static_cast<i64>(loop) : -1);
      if (level + 1 < outer_.size()) open_outer(level + 1);
      else stages();
      if (loops) close(loop);
      else leave();
    }
  }
  // One parallel index per point of the outer axes.
  constexpr void open_flat() {
    out_.parallel_count = 1;
    for (const i64 n : k_.outer) out_.parallel_count *= n;
    const u16 loop = open(out_.parallel_count, 0);
    u16 rest = loop;
    for (size_t a = outer_.size(); a-- > 0;) {
      u16 digit = rest;
      if (a > 0) {
        const u16 n = constant(scalar_kind::int64, k_.outer[a]);
        digit = operation(op::MOD, scalar_kind::int64, rest, n);
        rest = operation(op::IDIV, scalar_kind::int64, rest, n);
      }
      outer_[a] = {};
      outer_[a].loop = digit;
      outer_[a].most = k_.outer[a] - 1;
    }
    stages();
    close(loop);
  }

  // ---- what depends on what ----
  static constexpr u32 inner_bit = 16;
  constexpr void find_dependencies() {
    depends_ = vector<u32>(k_.nodes.size(), 0u);
    for (u32 id = 0; id < k_.nodes.size(); ++id) {
      const op o = k_.nodes.at(id).code;
      if (o == op::LOAD || o == op::IOTA || o == op::VALID) {
        const shapetracker& st = k_.views[static_cast<size_t>(k_.nodes.argument(id, o == op::LOAD ? 1 : 0))];
        for (size_t a = 0; a < st.rank(); ++a) {
          const view_axis& axis = st.views().back().axis(a);
          if (axis.stride != 0 || axis.masked()) depends_[id] |= bit_of(a);
        }
      } else {
        for (const u32 s : k_.nodes.sources(id)) depends_[id] |= depends_[s];
        if (o == op::REDUCE_AXIS) depends_[id] &= (u32{1} << inner_bit) - 1;
      }
    }
  }
  constexpr u32 bit_of(size_t axis) const {
    return axis < k_.outer.size() ? u32{1} << axis : u32{1} << (inner_bit + axis - k_.outer.size());
  }
  constexpr bool inside(u32 node) const { return depends_[node] >> inner_bit != 0; }
  constexpr u32 tiles_of_dependencies(u32 node) const {
    u32 mask = 0;
    for (size_t a = 0; a < outer_.size(); ++a)
      if ((depends_[node] >> a & 1) != 0) mask |= tiles_of(outer_[a]);
    return mask;
  }

  // A product that only a sum uses is accumulated by multiply-adds, with one rounding.
  constexpr void find_accumulated() {
    vector<u8> users(k_.nodes.size(), u8{0});
    accumulated_ = vector<u8>(k_.nodes.size(), u8{0});
    for (u32 id = 0; id < k_.nodes.size(); ++id)
      for (const u32 s : k_.nodes.sources(id))
        if (users[s] < 2) ++users[s];
    for (u32 id = 0; id < k_.nodes.size(); ++id) {
      if (k_.nodes.at(id).code != op::REDUCE_AXIS || static_cast<op>(k_.nodes.argument(id, 0)) != op::ADD) continue;
      const u32 source = k_.nodes.source(id, 0);
      accumulated_[source] = k_.nodes.at(source).code == op::MUL && users[source] == 1;
    }
  }

  static constexpr bool expensive(op o) {
    return o == op::EXP || o == op::EXP2 || o == op::LOG || o == op::LOG2 || o == op::SIN || o == op::TANH || o == op::POW || o == op::FDIV ||
           o == op::RECIP || o == op::SQRT || o == op::IDIV || o == op::MOD;
  }
  // Expensive values that a later stage with the same inner axes needs again are kept in a local buffer.
  constexpr void choose_locals() {
    const size_t count = k_.nodes.size();
    vector<u8> costly(count, u8{0});
    for (u32 id = 0; id < count; ++id) {
      if (k_.nodes.at(id).code == op::REDUCE_AXIS) continue;
      costly[id] = expensive(k_.nodes.at(id).code);
      for (const u32 s : k_.nodes.sources(id)) costly[id] = costly[id] || costly[s];
    }
    vector<i64> computed_by(count, -1);  // stage
    i64 bytes = 0, tile = 1;
    for (const axis_opt& o : o_.outer) tile *= o.upcast * o.lanes;
    needed_.resize(k_.stages.size());
    for (size_t s = 0; s < k_.stages.size(); ++s) {
      vector<u8> wanted(count, u8{0});
      for (const u32 r : k_.stages[s].roots)
        for (const u32 source : k_.nodes.sources(r)) wanted[source] = 1;
      for (u32 id = static_cast<u32>(count); id-- > 0;) {
        if (!wanted[id] || k_.nodes.at(id).code == op::REDUCE_AXIS) continue;
        const i64 before = computed_by[id];
        if (before >= 0 && costly[id] && inside(id) && k_.stages[static_cast<size_t>(before)].inner == k_.stages[s].inner) {
          i64 elements = tile;
          for (const i64 n : k_.stages[s].inner) elements *= n;
          if (is_local(id)) continue;
          const scalar_kind kind = k_.nodes.at(id).type.kind;
          if (elements <= local_limit && bytes + elements * byte_size(kind) <= local_limit) {
            bytes += elements * byte_size(kind);
            locals_.push_back({id, static_cast<size_t>(before), static_cast<i64>(k_.buffers.size() + locals_.size()), kind, elements, tile});
            continue;
          }
        }
        for (const u32 source : k_.nodes.sources(id)) wanted[source] = 1;
      }
      for (u32 id = 0; id < count; ++id) {
        if (!wanted[id]) continue;
        needed_[s].push_back(id);
        if (computed_by[id] < 0 && k_.nodes.at(id).code != op::REDUCE_AXIS) computed_by[id] = static_cast<i64>(s);
      }
    }
  }
  constexpr const local* local_of(u32 node) const {
    for (const local& l : locals_)
      if (l.node == node) return &l;
    return nullptr;
  }
  constexpr bool is_local(u32 node) const { return local_of(node) != nullptr; }

  // ---- stages ----
  constexpr void stages() {
    for (current_ = 0; current_ < k_.stages.size(); ++current_) {
      const stage& s = k_.stages[current_];
      inner_.clear();
      emit_nodes(false);
      if (k_.nodes.at(s.roots[0]).code == op::STORE) store_stage(s);
      else reduce_stage(s);
    }
    current_ = 0;
  }

  // Emits what the stage needs and has not yet: with all, or only what does not depend on its inner axes.
  constexpr void emit_nodes(bool all) {
    for (const u32 id : needed_[current_]) {
      if (value_[id] != 0 || (!all && inside(id)) || accumulated_[id] != 0) continue;
      const local* l = local_of(id);
      if (l != nullptr && l->stage != current_) {
        set(id, load_local(*l));
        continue;
      }
      set(id, emit_node(id));
      if (l != nullptr) store_local(*l, get(id));
    }
  }

  template <class Body>
  constexpr void loop_inner(const stage& s, span<const segment> last, const Body& body) {
    // All axes but the last are plain loops; the last one runs segment by segment.
    inner_.clear();
    inner_.resize(s.inner.size());
    vector<u16, 4> loops;
    for (size_t a = 0; a + 1 < s.inner.size(); ++a) {
      loops.push_back(open(s.inner[a], -1));
      inner_[a].loop = loops.back();
      inner_[a].most = s.inner[a] - 1;
    }
    for (size_t i = 0; i < last.size(); ++i) {
      const segment& g = last[i];
      u16 loop = 0;
      if (g.count > 1) loop = open(g.count, -1);
      else enter();
      inner_.back() = enter_segment(g, static_cast<u32>(k_.outer.size() + current_), g.count > 1 ? static_cast<i64>(loop) : -1);
      emit_nodes(true);
      body(i);
      if (g.count > 1) close(loop);
      else leave();
    }
    for (size_t a = loops.size(); a-- > 0;) close(loops[a]);
  }

  constexpr void store_stage(const stage& s) {
    const auto store = [&](size_t) {
      for (const u32 r : s.roots) {
        const span<const i64> a = k_.nodes.arguments(r);
        instruction i = make(op::STORE, k_.buffers[static_cast<size_t>(a[0])].kind);
        address(i, k_.views[static_cast<size_t>(a[1])], static_cast<u16>(a[0]));
        use(i, get(k_.nodes.source(r, 0)));
        i.axes |= outer_tiles();
        for (const axis_state& x : inner_) i.axes |= tiles_of(x);
        push(i);
      }
    };
    if (s.inner.empty()) {
      emit_nodes(true);
      store(0);
      return;
    }
    loop_inner(s, segments_of(s.inner.back(), o_.inner[current_]), store);
  }

  constexpr void reduce_stage(const stage& s) {
    const vector<segment, 3> segments = segments_of(s.inner.back(), o_.inner[current_]);
    i64 around = 1;
    for (size_t a = 0; a + 1 < s.inner.size(); ++a) around *= s.inner[a];
    // An accumulator for each root and segment, unless the segment runs once.
    vector<u16, 12> accumulators(s.roots.size() * segments.size(), u16{0});
    vector<u16, 12> results = accumulators;
    vector<u32, 3> tiles;
    for (const segment& g : segments) tiles.push_back(tiles_of(enter_segment(g, static_cast<u32>(k_.outer.size() + current_), -1)));
    const auto once = [&](u32 root, size_t g) {
      const u32 last_bit = u32{1} << (inner_bit + s.inner.size() - 1);
      return around * segments[g].count == 1 && ((depends_[k_.nodes.source(root, 0)] & last_bit) != 0 || tiles[g] == 0);
    };
    for (size_t r = 0; r < s.roots.size(); ++r) {
      const u32 root = s.roots[r];
      const op code = static_cast<op>(k_.nodes.argument(root, 0));
      const dtype type = k_.nodes.at(root).type;
      for (size_t g = 0; g < segments.size(); ++g) {
        if (once(root, g)) continue;
        instruction i = make(op::DEFINE_ACC, type.kind);
        i.argument[0] = record::identity_word(code, type);
        i.axes = tiles_of_dependencies(k_.nodes.source(root, 0)) | tiles[g];
        accumulators[r * segments.size() + g] = push(i);
      }
    }
    const auto horizontal = [&](u32 root, u16 value, size_t g) {
      if (tiles[g] == 0) return value;
      instruction i = make(op::REDUCE_AXIS, k_.nodes.at(root).type.kind);
      use(i, value);
      i.argument[0] = k_.nodes.argument(root, 0);
      i.argument[1] = tiles[g];
      i.axes &= ~tiles[g];
      return push(i);
    };
    loop_inner(s, segments, [&](size_t g) {
      for (size_t r = 0; r < s.roots.size(); ++r) {
        const u32 root = s.roots[r], source = k_.nodes.source(root, 0);
        const scalar_kind kind = k_.nodes.at(root).type.kind;
        if (once(root, g)) {
          if (accumulated_[source] != 0) set(source, emit_node(source));
          u16 value = get(source);
          if ((out_.instructions[value].axes & tiles[g]) != tiles[g]) {  // the same all over the tile, in this segment
            instruction identity = make(op::DEFINE_ACC, kind);
            identity.argument[0] = record::identity_word(static_cast<op>(k_.nodes.argument(root, 0)), dtype{kind});
            identity.axes = tiles[g];
            value = operation(static_cast<op>(k_.nodes.argument(root, 0)), kind, push(identity), value);
          }
          results[r * segments.size() + g] = horizontal(root, value, g);
          continue;
        }
        const u16 acc = accumulators[r * segments.size() + g];
        const op code = static_cast<op>(k_.nodes.argument(root, 0));
        u16 next = 0;
        if (accumulated_[source] != 0) {
          instruction fused = make(op::MULACC, kind);
          for (const u32 factor : k_.nodes.sources(source)) use(fused, get(factor));
          use(fused, acc);
          next = push(fused);
        } else {
          next = operation(code, kind, acc, get(source));
        }
        instruction i = make(op::ASSIGN, kind);
        use(i, acc);
        use(i, next);
        push(i);
      }
    });
    for (size_t r = 0; r < s.roots.size(); ++r) {
      const u32 root = s.roots[r];
      const op code = static_cast<op>(k_.nodes.argument(root, 0));
      const scalar_kind kind = k_.nodes.at(root).type.kind;
      u16 total = 0;
      for (size_t g = 0; g < segments.size(); ++g) {
        const size_t at = r * segments.size() + g;
        const u16 part = once(root, g) ? results[at] : horizontal(root, accumulators[at], g);
        total = g == 0 ? part : operation(code, kind, total, part);
      }
      set(root, total);
    }
    inner_.clear();
  }

  // ---- leaves ----
  constexpr u16 emit_node(u32 id) {
    const node& n = k_.nodes.at(id);
    const span<const i64> a = k_.nodes.arguments(id);
    switch (n.code) {
      case op::LOAD: {
        const shapetracker& st = k_.views[static_cast<size_t>(a[1])];
        if (st.nothing()) return constant(n.type.kind, is_float(n.type) ? word_of(0.0) : 0);
        instruction i = make(op::LOAD, n.type.kind);
        const i64 gate = address(i, st, static_cast<u16>(a[0]));
        if (gate >= 0) {
          use(i, static_cast<u16>(gate));
          i.gated = true;
        }
        return push(i);
      }
      case op::IOTA: {
        instruction i = make(op::INDEX, scalar_kind::int64);
        address(i, k_.views[static_cast<size_t>(a[0])], 0);
        const u16 index = push(i);
        if (n.type.kind == scalar_kind::int64) return index;
        instruction c = make(op::CAST, n.type.kind);
        use(c, index);
        return push(c);
      }
      case op::VALID: {
        const shapetracker& st = k_.views[static_cast<size_t>(a[0])];
        if (st.nothing()) return constant(scalar_kind::bool_, 0);
        instruction unused = make(op::INDEX, scalar_kind::int64);
        const i64 gate = address(unused, st, 0);
        return gate < 0 ? constant(scalar_kind::bool_, 1) : static_cast<u16>(gate);
      }
      default: {
        instruction i = make(n.code, n.type.kind);
        for (const u32 s : k_.nodes.sources(id)) use(i, get(s));
        return push(i);
      }
    }
  }

  // A linear form of index axes and computed values, to be an access.
  struct form {
    i64 offset = 0;
    i64 stride[max_tile_axes]{};
    vector<u16, 8> sources;
    vector<i64, 8> coefficients;
  };
  constexpr void add_axis(form& f, const axis_state& a, i64 stride) const {
    if (stride == 0) return;
    f.offset += stride * a.begin;
    if (a.loop >= 0) {
      f.sources.push_back(static_cast<u16>(a.loop));
      f.coefficients.push_back(stride * a.step);
    }
    if (a.upcast >= 0) f.stride[a.upcast] += stride * a.upcast_stride;
    if (a.lane >= 0) f.stride[a.lane] += stride;
  }
  // Writes f into i as its access. Terms beyond what an instruction holds are summed first.
  constexpr void finish(instruction& i, form& f, u16 buffer) {
    const size_t room = static_cast<size_t>(max_sources) - 2;
    while (f.sources.size() > room) {
      instruction part = make(op::INDEX, scalar_kind::int64);
      form rest;
      for (size_t k = room - 1; k < f.sources.size() && rest.sources.size() < room; ++k) {
        rest.sources.push_back(f.sources[k]);
        rest.coefficients.push_back(f.coefficients[k]);
      }
      const size_t taken = rest.sources.size();
      finish(part, rest, 0);
      const u16 sum = push(part);
      f.sources[room - 1] = sum;
      f.coefficients[room - 1] = 1;
      for (size_t k = room - 1 + taken; k < f.sources.size(); ++k) {
        f.sources[k - taken + 1] = f.sources[k];
        f.coefficients[k - taken + 1] = f.coefficients[k];
      }
      f.sources.resize(f.sources.size() - taken + 1);
      f.coefficients.resize(f.coefficients.size() - taken + 1);
    }
    access a;
    a.offset = f.offset;
    a.buffer = buffer;
    int n = 0;
    for (size_t axis = 0; axis < out_.axes.size(); ++axis) {
      if (f.stride[axis] == 0) continue;
      if (n == max_value_axes) raise<graph_error>("lower: an access varies along more than 6 tile axes");
      a.axes |= u32{1} << axis;
      a.stride[n++] = f.stride[axis];
    }
    i.axes |= a.axes;
    for (size_t k = 0; k < f.sources.size(); ++k) {
      a.coefficient[k] = f.coefficients[k];
      use(i, f.sources[k]);
    }
    a.terms = static_cast<u8>(f.sources.size());
    i.access = static_cast<u16>(out_.accesses.size());
    out_.accesses.push_back(a);
  }
  constexpr u16 index_of(form& f) {
    instruction i = make(op::INDEX, scalar_kind::int64);
    finish(i, f, 0);
    return push(i);
  }
  // gate and (begin <= value < end), leaving out what the bounds of value imply.
  constexpr i64 check(i64 gate, u16 value, i64 begin, i64 end, i64 least, i64 most) {
    const auto both = [&](u16 condition) { gate = gate < 0 ? condition : operation(op::AND, scalar_kind::bool_, static_cast<u16>(gate), condition); };
    if (most >= end) both(operation(op::CMPLT, scalar_kind::bool_, value, constant(scalar_kind::int64, end)));
    if (least < begin) both(operation(op::CMPLT, scalar_kind::bool_, constant(scalar_kind::int64, begin - 1), value));
    return gate;
  }

  // The access of i through st at the current axes; returns the instruction that says whether it is valid, -1: always.
  constexpr i64 address(instruction& i, const shapetracker& st, u16 buffer) {
    i64 gate = -1;
    form f;
    const view& top = st.views().back();
    f.offset = top.offset();
    for (size_t a = 0; a < top.rank(); ++a) {
      const view_axis& x = top.axis(a);
      if (x.stride == 0 && !x.masked()) continue;
      const axis_state& s = state(a);
      if (x.masked() && (s.least < x.begin || s.most >= x.end)) {
        form single;
        add_axis(single, s, 1);
        gate = check(gate, index_of(single), x.begin, x.end, s.least, s.most);
      }
      add_axis(f, s, x.stride);
    }
    // Lower views: the position is taken apart into their axes.
    for (size_t v = st.view_count() - 1; v-- > 0;) {
      const view& below = st.views()[v];
      u16 rest = index_of(f);
      f = {};
      f.offset = below.offset();
      for (size_t a = below.rank(); a-- > 0;) {
        const view_axis& x = below.axis(a);
        u16 digit = rest;
        if (a > 0) {
          const u16 n = constant(scalar_kind::int64, x.size);
          if (x.stride != 0 || x.masked()) digit = operation(op::MOD, scalar_kind::int64, rest, n);
          rest = operation(op::IDIV, scalar_kind::int64, rest, n);
        }
        if (x.masked()) gate = check(gate, digit, x.begin, x.end, 0, x.size - 1);
        if (x.stride == 0) continue;
        f.sources.push_back(digit);
        f.coefficients.push_back(x.stride);
      }
    }
    finish(i, f, buffer);
    return gate;
  }

  // ---- local buffers ----
  constexpr access& local_access(instruction& i, const local& l) {
    form f;
    i64 step = l.tile;
    for (size_t a = inner_.size(); a-- > 0;) {
      add_axis(f, inner_[a], step);
      step *= k_.stages[current_].inner[a];
    }
    // The outer register tile lies beside each other for each inner index.
    i64 within = 1;
    for (size_t a = outer_.size(); a-- > 0;) {
      if (outer_[a].lane >= 0) f.stride[outer_[a].lane] += within;
      within *= o_.outer[a].lanes;
      if (outer_[a].upcast >= 0) f.stride[outer_[a].upcast] += within;
      within *= o_.outer[a].upcast;
    }
    // Only along the axes that the value has.
    const u32 has = tiles_of_dependencies(l.node);
    for (const axis_state& a : outer_) {
      if (a.lane >= 0 && (has >> a.lane & 1) == 0) f.stride[a.lane] = 0;
      if (a.upcast >= 0 && (has >> a.upcast & 1) == 0) f.stride[a.upcast] = 0;
    }
    finish(i, f, static_cast<u16>(l.buffer));
    return out_.accesses[i.access];
  }
  constexpr u16 load_local(const local& l) {
    instruction i = make(op::LOAD, l.kind);
    local_access(i, l);
    return push(i);
  }
  constexpr void store_local(const local& l, u16 value) {
    instruction i = make(op::STORE, l.kind);
    local_access(i, l);
    use(i, value);
    push(i);
  }

  static constexpr i64 local_limit = 16384;

  const kernel_tree& k_;
  const kernel_opts& o_;
  program& out_;
  vector<u32> value_;                // by node: its instruction + 1, or 0
  vector<u32> trail_;                // nodes in the order their values were set
  vector<u32> scopes_;               // lengths of the trail where scopes began
  vector<u32> depends_;              // by node: bits of outer axes, and of inner ones from inner_bit
  vector<u8> accumulated_;           // by node: a product that becomes part of a multiply-add
  vector<vector<u32>> needed_;       // by stage: its nodes, sources first, without its roots
  vector<u32> places_;               // by tile axis
  vector<axis_state, 8> outer_;
  vector<axis_state, 4> inner_;
  vector<local, 4> locals_;
  size_t current_ = 0;
};

}  // namespace detail

constexpr void lower(const kernel_tree& k, const kernel_opts& o, program& out) {
  detail::lowerer(k, o, out).run();
#if TWILL_VERIFY
  if (const text wrong = verify(view_of(out)); !wrong.empty()) {
    text message("lower: ");
    message << wrong;
    raise<graph_error>(message);
  }
#endif
}

// Merges axes, chooses opts and lowers: what a kernel tree becomes on a machine.
constexpr void lower(kernel_tree& k, const machine& m, program& out) {
  merge_axes(k);
  lower(k, choose_opts(k, m), out);
}

}  // namespace twill
