// Builds the loop-nest tree of one kernel from the tensor graph, or finds what must be realized first.
#pragma once

#include "twill/schedule/kernel_tree.hpp"
#include "twill/schedule/plan.hpp"
#include "twill/tensor/record.hpp"

namespace twill {

namespace detail {

constexpr shape drop_ones(const shape& s) {
  shape out;
  for (const sint& n : s)
    if (n.bits != 1) out.push_back(n);
  return out;
}

// The tracker of each movement node's source seen through it, made when first asked for: kernels share nodes.
struct movement_trackers {
  vector<u32> index;  // by node: number in trackers + 1, or 0
  vector<shapetracker> trackers;
};

class kernel_builder {
 public:
  // shapes: of every node of the tensor graph, by id. Realized nodes have plan.buffer_of != -1.
  constexpr kernel_builder(const graph& tensors, const vector<shape>& shapes, const schedule_plan& plan, movement_trackers& moves, kernel_tree& out)
      : tensors_(tensors), shapes_(shapes), plan_(plan), moves_(moves), out_(out) {
    if (moves_.index.empty()) moves_.index = vector<u32>(tensors.size(), 0u);
    heads_ = vector<i64>(tensors.size(), -1);
  }

  // The node that must be realized before the kernel can be built, or -1. On success the tree is complete.
  constexpr i64 build(const vector<u32>& targets) {
    const i64 wanted = check(targets);
    if (wanted >= 0) return wanted;
    for (const u32 t : targets) argument(static_cast<u32>(plan_.buffer_of[t]), true);
    emit();
    form_stages(targets);
    count_flops();
    return -1;
  }
  // The same question without the tree, of which only the outer axes are set.
  constexpr i64 check(const vector<u32>& targets) {
    target_dims_.clear();
    for (const u32 t : targets) target_dims_.push_back(shapes_[t]);
    for (size_t k = 0; k < targets.size(); ++k) {
      const i64 wanted = discover(targets[k], target_dims_[k], k == 0);
      if (wanted == again) {  // the target is indexed by the axes of its reduction instead of its own
        reset();
        k = static_cast<size_t>(-1);
      } else if (wanted >= 0) {
        return wanted;
      }
    }
    return -1;
  }
  // Reductions of the tensor graph that the kernel computes.
  constexpr const vector<u32>& reductions() const { return reductions_; }
  // By node: does the kernel read or compute it?
  constexpr vector<u8> computes() const {
    vector<u8> out(heads_.size(), u8{0});
    for (size_t id = 0; id < heads_.size(); ++id) out[id] = heads_[id] >= 0;
    return out;
  }

 private:
  // An index space: that of a target or of a reduction's source. order: its axes of size > 1, outer ones first.
  struct domain {
    twill::shape dims;
    u32 root = 0;  // the tensor node it is the index space of
    vector<u32, 8> order;
    size_t outer = 0;
  };
  // A tensor node read through a view, in a domain.
  struct use {
    u32 node = 0;
    u32 in = 0;       // domain
    u32 view = 0;     // of views_: from the domain's natural axes to the node's elements
    u32 anchor = 0;   // the first node below the domain's root that is seen through a changed view, or else the root
    i64 next = -1;    // other uses of the same node
    u32 sources[3]{};
    u32 source_count = 0;
    u32 emitted = 0;
  };
  struct reduction_use {
    u32 node;
    u32 view;
    u32 anchor;
    u32 in;
  };

  constexpr bool leaf(u32 node) const {
    const op o = tensors_.at(node).code;
    return o == op::BUFFER || o == op::CONST || o == op::IOTA || plan_.buffer_of[node] >= 0;
  }

  constexpr u32 view_number(const shapetracker& st) {
    for (u32 i = 0; i < views_.size(); ++i)
      if (views_[i] == st) return i;
    views_.push_back(st);
    return static_cast<u32>(views_.size() - 1);
  }

  constexpr u32 use_of(u32 node, u32 in, u32 view, u32 anchor) {
    for (i64 u = heads_[node]; u >= 0; u = uses_[static_cast<size_t>(u)].next) {
      const use& known = uses_[static_cast<size_t>(u)];
      if (known.in == in && known.view == view) return static_cast<u32>(u);
    }
    use fresh;
    fresh.node = node;
    fresh.in = in;
    fresh.view = view;
    fresh.anchor = anchor;
    fresh.next = heads_[node];
    heads_[node] = static_cast<i64>(uses_.size());
    uses_.push_back(fresh);
    return static_cast<u32>(uses_.size() - 1);
  }

  constexpr const shapetracker& moved(u32 node) {
    if (moves_.index[node] == 0) {
      moves_.trackers.push_back(make_moved(node));
      moves_.index[node] = static_cast<u32>(moves_.trackers.size());
    }
    return moves_.trackers[moves_.index[node] - 1];
  }
  // How node's source is laid out as seen through the movement op.
  constexpr shapetracker make_moved(u32 node) const {
    const u32 source = tensors_.source(node, 0);
    const span<const i64> a = tensors_.arguments(node);
    const shapetracker st(shapes_[source]);
    switch (tensors_.at(node).code) {
      case op::RESHAPE: return st.reshape(shapes_[node]);
      case op::EXPAND: return st.expand(shapes_[node]);
      case op::PERMUTE: {
        vector<sint, 8> order;
        for (const i64 axis : a) order.push_back(axis);
        return st.permute(span<const sint>(order));
      }
      case op::PAD: {
        vector<padding, 8> amounts;
        for (size_t i = 0; i + 1 < a.size(); i += 2) amounts.push_back({a[i], a[i + 1]});
        return st.pad(span<const padding>(amounts));
      }
      case op::SHRINK: {
        vector<bounds_of_axis, 8> ranges;
        for (size_t i = 0; i + 1 < a.size(); i += 2) ranges.push_back({a[i], a[i + 1]});
        return st.shrink(span<const bounds_of_axis>(ranges));
      }
      default: {  // FLIP
        vector<sint, 8> axes;
        for (size_t i = 0; i < a.size(); ++i)
          if (a[i] != 0) axes.push_back(static_cast<i64>(i));
        return st.flip(span<const sint>(axes));
      }
    }
  }

  // Does st visit each element of a contiguous value of the given sizes once, along some of its axes in order, and not
  // depend on its other axes? Then mask gets these axes.
  constexpr bool projection(const shapetracker& st, const shape& sizes, u64& mask) const {
    mask = 0;
    if (st.view_count() != 1) return false;
    const view& v = st.views()[0];
    if (v.offset() != 0) return false;
    size_t k = sizes.rank();
    i64 step = 1;
    for (size_t axis = v.rank(); axis-- > 0;) {
      const view_axis& a = v.axis(axis);
      if (a.masked()) return false;
      if (a.stride == 0 || a.size == 1) continue;
      if (k == 0 || sizes[k - 1].bits != a.size || a.stride != step) return false;
      step *= a.size;
      --k;
      mask |= u64{1} << axis;
    }
    return k == 0;
  }

  // The sizes (> 1) of the axes that reduction r keeps.
  constexpr shape kept_sizes(u32 r) const { return drop_ones(shapes_[r]); }

  // Walks one target: finds its reductions and checks that all of it fits one loop-nest tree.
  constexpr i64 discover(u32 target, shape& dims, bool first) {
    if (uses_.capacity() == 0) uses_.reserve(32);
    domain d;
    d.dims = dims;
    d.root = target;
    const bool root_reduces = tensors_.at(target).code == op::REDUCE_AXIS;
    const shapetracker natural(shapes_[target]);
    const u32 whole = view_number(dims == shapes_[target] ? natural : natural.reshape(dims));
    domains_.push_back(d);
    const u32 target_domain = static_cast<u32>(domains_.size() - 1);
    const u32 root = use_of(target, target_domain, whole, target);
    targets_.push_back(root);
    vector<reduction_use> found;
    vector<u32> stack{root};
    walk(stack, found, target);

    // What lies below each reduction must be computable inside it, whoever uses it.
    for (size_t i = 0; i < found.size(); ++i) {
      const i64 wanted = discover_reduction(found[i].node);
      if (wanted >= 0) return wanted;
    }
    // The outer axes: those of the finest reduction.
    domain& here = domains_[target_domain];
    u64 axes = 0;
    i64 finest = -1;
    i64 best = -1;
    for (size_t i = 0; i < found.size(); ++i) {
      if (root_reduces && found[i].node == target) continue;
      u64 mask = 0;
      const shapetracker& st = views_[found[i].view];
      const shape kept = kept_sizes(found[i].node);
      if (!projection(st, kept, mask)) {
        if (!st.contiguous() || st.elements() != kept.elements() || dims == kept) return blame(found[i], target);
        dims = kept;
        return again;
      }
      const i64 count = shapes_[found[i].node].elements();
      if (count > best) best = count, finest = static_cast<i64>(i), axes = mask;
    }
    if (finest < 0) {
      for (size_t axis = 0; axis < here.dims.rank(); ++axis)
        if (here.dims[axis].bits != 1) axes |= u64{1} << axis;
    } else {
      for (size_t i = 0; i < found.size(); ++i) {
        u64 mask = 0;
        if (projection(views_[found[i].view], kept_sizes(found[i].node), mask) && mask == axes) continue;
        return blame(found[i], target);
      }
      // One value for everything: worth a kernel of its own unless the work is small enough for one thread.
      if (axes == 0 && here.dims.elements() > serial_limit) return found[static_cast<size_t>(finest)].node;
    }
    order_axes(here, axes);
    if (first) {
      for (size_t i = 0; i < here.outer; ++i) out_.outer.push_back(here.dims[here.order[i]].bits);
    }
    return -1;
  }

  constexpr void order_axes(domain& d, u64 outer_mask) const {
    for (u32 axis = 0; axis < d.dims.rank(); ++axis)
      if (d.dims[axis].bits != 1 && (outer_mask >> axis & 1) != 0) d.order.push_back(axis);
    d.outer = d.order.size();
    for (u32 axis = 0; axis < d.dims.rank(); ++axis)
      if (d.dims[axis].bits != 1 && (outer_mask >> axis & 1) == 0) d.order.push_back(axis);
  }

  // What to realize so that this reduction no longer stands in the way: the whole value seen through the changed view.
  constexpr i64 blame(const reduction_use& r, u32 root) const { return r.anchor == root ? r.node : below_movement(r.anchor); }
  constexpr u32 below_movement(u32 node) const {
    while (is_movement(tensors_.at(node).code)) node = tensors_.source(node, 0);
    return node;
  }
  // Is some leaf read at every index of the domain, none of its elements twice along an axis?
  constexpr bool reads_in_full(u32 in) const {
    for (const use& u : uses_) {
      if (u.in != in || !leaf(u.node) || tensors_.at(u.node).code == op::CONST) continue;
      bool full = true;
      for (const view_axis& a : views_[u.view].views().back().axes()) full = full && (a.size == 1 || a.stride != 0);
      if (full) return true;
    }
    return false;
  }

  constexpr i64 discover_reduction(u32 r) {
    for (const u32 known : reductions_)
      if (known == r) return -1;
    const u32 source = tensors_.source(r, 0);
    domain d;
    d.dims = shapes_[source];
    d.root = source;
    u64 outer = 0;
    for (size_t axis = 0; axis < d.dims.rank(); ++axis)
      if (shapes_[r][axis].bits == d.dims[axis].bits && d.dims[axis].bits != 1) outer |= u64{1} << axis;
    for (const i64 axis : tensors_.arguments(r).subspan(1, tensors_.arguments(r).size() - 1)) outer &= ~(u64{1} << axis);
    order_axes(d, outer);
    domains_.push_back(d);
    const u32 in = static_cast<u32>(domains_.size() - 1);
    reductions_.push_back(r);
    reduction_domains_.push_back(in);
    vector<reduction_use> found;
    vector<u32> stack;
    const u32 root = use_of(source, in, view_number(shapetracker(d.dims)), source);
    reduction_sources_.push_back(root);
    stack.push_back(root);
    walk(stack, found, no_root);
    // Deeper ones first: what they need realized, they need anyway.
    for (size_t i = 0; i < found.size(); ++i) {
      const i64 wanted = discover_reduction(found[i].node);
      if (wanted >= 0) return wanted;
    }
    for (const reduction_use& f : found) {
      u64 mask = 0;
      const shape kept = kept_sizes(f.node);
      const bool projects = projection(views_[f.view], kept, mask);
      if (projects && mask == outer) continue;
      // A value for each row inside a loop over columns, say. The whole source is computed once, by loops of its own,
      // unless it is larger than what it is made of, as a product of broadcast operands is.
      if (projects && reads_in_full(in)) return source;
      return below_movement(f.anchor);
    }
    return -1;
  }

  constexpr void walk(vector<u32>& stack, vector<reduction_use>& found, u32 root) {
    while (!stack.empty()) {
      const u32 at = stack.back();
      stack.pop_back();
      const use here = uses_[at];
      const node& n = tensors_.at(here.node);
      if (here.node != root && leaf(here.node)) continue;
      if (n.code == op::BUFFER || n.code == op::CONST || n.code == op::IOTA) continue;
      if (n.code == op::REDUCE_AXIS) {
        bool known = false;
        for (const reduction_use& f : found) known = known || (f.node == here.node && f.view == here.view);
        if (!known) found.push_back({here.node, here.view, here.anchor, here.in});
        continue;
      }
      u32 sources[3]{}, count = 0;
      if (is_movement(n.code)) {
        const u32 source = tensors_.source(here.node, 0);
        const shapetracker& step = moved(here.node);
        const shapetracker& seen = views_[here.view];
        const u32 view = view_number(seen.contiguous() && seen.rank() == step.rank() && seen.shape() == step.shape() ? step : step.under(seen));
        sources[count++] = next(stack, source, here.in, view, step.contiguous() || here.anchor != domains_[here.in].root ? here.anchor : source);
      } else {
        for (const u32 source : tensors_.sources(here.node)) sources[count++] = next(stack, source, here.in, here.view, here.anchor);
      }
      for (u32 i = 0; i < count; ++i) uses_[at].sources[i] = sources[i];
      uses_[at].source_count = count;
    }
  }
  constexpr u32 next(vector<u32>& stack, u32 node, u32 in, u32 view, u32 anchor) {
    const size_t before = uses_.size();
    const u32 u = use_of(node, in, view, anchor);
    if (uses_.size() != before) stack.push_back(u);
    return u;
  }

  constexpr u32 argument(u32 buffer, bool output) {
    for (u32 i = 0; i < out_.arguments.size(); ++i)
      if (out_.arguments[i] == buffer) return i;
    const buffer_use& b = plan_.buffers[buffer];
    out_.arguments.push_back(buffer);
    out_.buffers.push_back({b.type.kind, output, false, b.elements});
    return static_cast<u32>(out_.arguments.size() - 1);
  }

  // A view of a domain's natural axes as one of (outer axes…, inner axes…), axes of size 1 dropped.
  constexpr u32 kernel_view(u32 view, u32 in) {
    const domain& d = domains_[in];
    for (size_t i = 0; i < kernel_views_.size(); ++i)
      if (kernel_views_[i].view == view && kernel_views_[i].in == in) return kernel_views_[i].number;
    const shape dropped = drop_ones(d.dims);
    shapetracker st = views_[view];
    if (dropped.rank() != d.dims.rank()) st = st.reshape(dropped);
    vector<sint, 8> order;
    bool sorted = true;
    for (const u32 axis : d.order) {
      u32 at = 0;
      for (u32 k = 0; k < axis; ++k) at += d.dims[k].bits != 1;
      sorted = sorted && at == order.size();
      order.push_back(at);
    }
    if (!sorted) st = st.permute(span<const sint>(order));
    const u32 number = out_.view_number(st);
    kernel_views_.push_back({view, in, number});
    return number;
  }

  // Emits every use, sources first: ids of tensor nodes are topological, and a use's sources have lesser ones.
  constexpr void emit() {
    graph& g = out_.nodes;
    for (u32 id = 0; id < heads_.size(); ++id) {
      for (i64 u = heads_[id]; u >= 0; u = uses_[static_cast<size_t>(u)].next) {
        use& here = uses_[static_cast<size_t>(u)];
        const node& n = tensors_.at(id);
        const bool is_root = root_use(static_cast<u32>(u));
        if (n.code == op::CONST) {
          here.emitted = g.intern(op::CONST, n.type, {}, tensors_.arguments(id));
        } else if (n.code == op::IOTA) {
          const i64 a[]{kernel_view(here.view, here.in)};
          here.emitted = g.intern(op::IOTA, n.type, {}, a);
        } else if (n.code == op::BUFFER || (plan_.buffer_of[id] >= 0 && !is_root)) {
          const i64 a[]{argument(static_cast<u32>(plan_.buffer_of[id]), false), kernel_view(here.view, here.in)};
          here.emitted = g.intern(op::LOAD, n.type, {}, a);
        } else if (n.code == op::REDUCE_AXIS) {
          u32 source = 0;
          for (size_t i = 0; i < reductions_.size(); ++i)
            if (reductions_[i] == id) source = uses_[reduction_sources_[i]].emitted;
          const i64 a[]{tensors_.argument(id, 0), static_cast<i64>(id)};
          here.emitted = g.intern(op::REDUCE_AXIS, n.type, {&source, 1}, a);
        } else if (n.code == op::PAD && !loads_directly(here)) {
          const i64 a[]{kernel_view(uses_[here.sources[0]].view, here.in)};
          here.emitted = masked(uses_[here.sources[0]].emitted, a[0], n.type);
        } else if (is_movement(n.code) || n.code == op::CONTIGUOUS) {
          here.emitted = uses_[here.sources[0]].emitted;
        } else {
          vector<u32, 3> sources;
          for (u32 i = 0; i < here.source_count; ++i) sources.push_back(uses_[here.sources[i]].emitted);
          here.emitted = g.intern(n.code, n.type, sources, tensors_.arguments(id));
        }
      }
    }
  }
  // value where the view is unmasked, else 0.
  constexpr u32 masked(u32 value, i64 view, dtype type) {
    graph& g = out_.nodes;
    if (!out_.views[static_cast<size_t>(view)].masked()) return value;
    const i64 zero[]{is_float(type) ? word_of(0.0) : 0};
    const u32 sources[]{g.intern(op::VALID, bool_, {}, {&view, 1}), value, g.intern(op::CONST, type, {}, zero)};
    return g.intern(op::WHERE, type, sources);
  }
  // Does only movement stand between this use and a load? A load through a masked view is zero there by itself.
  constexpr bool loads_directly(const use& from) const {
    u32 at = from.sources[0];
    while (is_movement(tensors_.at(uses_[at].node).code) && uses_[at].source_count != 0 && !leaf(uses_[at].node)) at = uses_[at].sources[0];
    const u32 id = uses_[at].node;
    return tensors_.at(id).code == op::BUFFER || plan_.buffer_of[id] >= 0;
  }
  constexpr bool root_use(u32 u) const {
    for (const u32 t : targets_)
      if (t == u) return true;
    return false;
  }

  constexpr vector<i64, 4> inner_of(u32 in) const {
    vector<i64, 4> out;
    const domain& d = domains_[in];
    for (size_t i = d.outer; i < d.order.size(); ++i) out.push_back(d.dims[d.order[i]].bits);
    return out;
  }

  // Reductions in topological order; one that does not depend on the stage before it and has its axes joins that stage.
  constexpr void form_stages(const vector<u32>& targets) {
    graph& g = out_.nodes;
    vector<u32> order(reductions_.size(), 0);
    for (u32 i = 0; i < order.size(); ++i) order[i] = i;
    for (size_t i = 1; i < order.size(); ++i)
      for (size_t j = i; j > 0 && reductions_[order[j]] < reductions_[order[j - 1]]; --j) {
        const u32 t = order[j];
        order[j] = order[j - 1];
        order[j - 1] = t;
      }
    for (const u32 i : order) {
      const u32 id = reductions_[i];
      const u32 emitted = emitted_reduction(id);
      const vector<i64, 4> inner = inner_of(reduction_domains_[i]);
      if (!out_.stages.empty() && out_.stages.back().inner == inner && !depends(emitted, out_.stages.back().roots)) {
        out_.stages.back().roots.push_back(emitted);
        continue;
      }
      out_.stages.push_back({inner, {emitted}});
    }
    const size_t first_store = out_.stages.size();
    for (size_t k = 0; k < targets.size(); ++k) {
      const u32 u = targets_[k];
      const u32 value = uses_[u].emitted;
      const i64 a[]{argument(static_cast<u32>(plan_.buffer_of[targets[k]]), true), kernel_view(uses_[u].view, uses_[u].in)};
      const u32 store = g.intern(op::STORE, void_type, {&value, 1}, a);
      const vector<i64, 4> inner = inner_of(uses_[u].in);
      bool joined = false;
      for (size_t s = first_store; s < out_.stages.size() && !joined; ++s)
        if (out_.stages[s].inner == inner) out_.stages[s].roots.push_back(store), joined = true;
      if (!joined) out_.stages.push_back({inner, {store}});
    }
  }
  constexpr u32 emitted_reduction(u32 id) const {
    for (i64 u = heads_[id]; u >= 0; u = uses_[static_cast<size_t>(u)].next)
      return uses_[static_cast<size_t>(u)].emitted;
    return 0;
  }
  constexpr bool depends(u32 on_top, const vector<u32, 4>& roots) const {
    const vector<u32> below = toposort(out_.nodes, {&on_top, 1});
    for (const u32 b : below)
      for (const u32 r : roots)
        if (b == r) return true;
    return false;
  }

  constexpr void count_flops() {
    i64 outer = 1;
    for (const i64 n : out_.outer) outer *= n;
    for (const stage& s : out_.stages) {
      i64 points = outer;
      for (const i64 n : s.inner) points *= n;
      for (const u32 id : toposort(out_.nodes, s.roots)) {
        const node& n = out_.nodes.at(id);
        bool root = false;
        for (const u32 r : s.roots) root = root || r == id;
        if (n.code == op::REDUCE_AXIS && root) out_.flops += points;
        else if (is_alu(n.code) && !counted(id)) out_.flops += points;
      }
    }
  }
  // Each ALU node is counted in the first stage that reaches it.
  constexpr bool counted(u32 id) {
    if (counted_.size() < out_.nodes.size()) counted_.resize(out_.nodes.size(), u8{0});
    if (counted_[id]) return true;
    counted_[id] = 1;
    return false;
  }

  constexpr void reset() {
    views_.clear();
    domains_.clear();
    uses_.clear();
    for (i64& head : heads_) head = -1;
    targets_.clear();
    reductions_.clear();
    reduction_domains_.clear();
    reduction_sources_.clear();
    out_.outer.clear();
  }

  static constexpr i64 serial_limit = 32768;
  static constexpr i64 again = -2;
  static constexpr u32 no_root = ~u32{0};
  struct kernel_view_entry {
    u32 view, in, number;
  };

  const graph& tensors_;
  const vector<shape>& shapes_;
  const schedule_plan& plan_;
  movement_trackers& moves_;
  kernel_tree& out_;
  vector<shapetracker> views_;
  vector<domain> domains_;
  vector<use> uses_;
  vector<i64> heads_;
  vector<shape> target_dims_;
  vector<u32> targets_;             // uses
  vector<u32> reductions_;          // tensor nodes
  vector<u32> reduction_domains_;
  vector<u32> reduction_sources_;   // uses
  vector<kernel_view_entry> kernel_views_;
  vector<u8> counted_;
};

}  // namespace detail

}  // namespace twill
