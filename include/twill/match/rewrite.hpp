// Rewriting a graph with a set of rules until none fires: sources first, then the node itself, memoised, iterative.
#pragma once

#include "twill/ir/order.hpp"
#include "twill/match/matcher.hpp"
#include "twill/match/stats.hpp"

namespace twill {

struct rewrite_options {
  match_stats* stats = nullptr;
  rewrite_trace* trace = nullptr;
  // Apply rules to a node before its sources were rewritten: for substitutions and for rules that look at whole patterns.
  bool bottom_up = false;
  // Keep the operands of commutative nodes in canonical order.
  bool canonical = true;
  // Applications of rules after which a rewrite counts as endless; 0: by the size of the graph.
  u64 limit = 0;
  struct context* context = nullptr;
};

namespace detail {

// Called when rules would go on for ever; in constant evaluation this is where the compiler stops, showing the names.
inline void endless_rewrite(const char* message) { raise<rewrite_error>(text(message)); }
constexpr void rewrite_does_not_end_because_of(const char* rule, const char* and_rule, const char* message) {
  if (rule != nullptr || and_rule != nullptr) endless_rewrite(message);
}

// Canonical order of operands: b stands before a.
constexpr bool out_of_order(graph& g, u32 a, u32 b) {
  if (a == b) return false;
  const node &p = g.at(a), &q = g.at(b);
  const u8 p_rank = traits(p.code).rank, q_rank = traits(q.code).rank;
  if (p_rank != q_rank) return q_rank < p_rank;
  return before(uop(&g, b), uop(&g, a));
}

// The same for the operands of one op: chains nest to the left, (a + b) + c.
constexpr bool out_of_order(graph& g, op code, u32 a, u32 b) {
  const bool nested = g.at(b).code == code;
  return nested != (g.at(a).code == code) ? nested : out_of_order(g, a, b);
}

// The node with these parts; operands of a commutative op in canonical order.
constexpr u32 intern_canonical(graph& g, op code, dtype type, span<const u32> sources, span<const i64> arguments, bool canonical) {
  if (canonical && sources.size() == 2 && is_commutative(code) && out_of_order(g, code, sources[0], sources[1])) {
    const u32 flipped[2] = {sources[1], sources[0]};
    return g.intern(code, type, {flipped, 2}, arguments);
  }
  return g.intern(code, type, sources, arguments);
}

// Ops whose value on constants is the same in every compiler and at run time.
constexpr bool folds_exactly(op code) {
  switch (code) {
    case op::EXP: case op::LOG: case op::LOG2: case op::SIN: case op::TANH: case op::EXP2: case op::THREEFRY: return false;
    default: return is_alu(code) || code == op::CAST || code == op::BITCAST;
  }
}
// The constant that an op on constants is, if it is one.
constexpr bool fold_constants(graph& g, op code, dtype type, span<const u32> sources, u32& out) {
  if (sources.empty() || sources.size() > 3 || !folds_exactly(code)) return false;
  if (type.is_pointer() || type.kind == scalar_kind::void_) return false;
  i64 words[3]{};
  for (size_t i = 0; i < sources.size(); ++i) {
    const node& s = g.at(sources[i]);
    if (s.code != op::CONST || (code == op::BITCAST && s.type.lanes != type.lanes)) return false;
    words[i] = g.arguments(sources[i])[0];
  }
  const i64 word = exec_alu(code, type, g.at(sources[0]).type, {words, sources.size()});
  out = g.intern(op::CONST, type, {}, {&word, 1});
  return true;
}

}  // namespace detail

// Rewrites nodes of one graph with one set of rules, remembering what it has done.
class rewriter {
 public:
  constexpr rewriter(graph& g, const rule_view& set, const rewrite_options& options = {}) : graph_(g), set_(set), options_(options) {
    if (options.stats != nullptr) first_entry_ = options.stats->enter(set);
    if (options.context != nullptr) context_ = options.context;
    if (options.limit != 0) limit_ = options.limit;
    else limit_ = 20000 + 200 * static_cast<u64>(g.size());
  }
  rewriter(const rewriter&) = delete;
  rewriter& operator=(const rewriter&) = delete;

  // What root becomes. Law: rewriting the result again gives the result.
  constexpr u32 operator()(u32 root) {
    stack_.clear();
    push(root);
    while (!stack_.empty()) {
      const u32 id = stack_.back();
      const state s = at(id);
      if (s.stage == done) {
        stack_.pop_back();
        continue;
      }
      if (s.stage == forwarded) {
        const state next = at(s.value);
        if (next.stage == done) finish(at(id), next.value);
        else push(s.value);
        continue;
      }
      if (s.stage == fresh) {
        if (options_.stats != nullptr) options_.stats->count_visit();
        u32 next = id;
        if (options_.canonical && flip(id, next)) {
          forward(id, next);
          continue;
        }
        if (options_.bottom_up && apply(id, next)) {
          forward(id, next);
          continue;
        }
        at(id).stage = open;
      }
      // Sources first; the last one is pushed first, so that they are done in order.
      const span<const u32> sources = graph_.sources(id);
      bool waits = false, changed = false;
      for (size_t i = sources.size(); i-- > 0;) {
        const state& source = at(sources[i]);
        if (source.stage == done) {
          changed = changed || source.value != sources[i];
        } else {
          push(sources[i]);
          waits = true;
        }
      }
      if (waits) continue;
      u32 next = id;
      if (changed) {
        next = rebuild(id);
        if (next != id) {
          forward(id, next);
          continue;
        }
      }
      if (!options_.bottom_up && apply(id, next)) {
        forward(id, next);
        continue;
      }
      finish(at(id), id);
    }
    return at(root).value;
  }
  constexpr uop operator()(uop root) { return {&graph_, (*this)(root.id)}; }

  // What a node that was reached has become; others are themselves.
  constexpr u32 result_of(u32 id) const { return id < states_.size() && states_[id].stage == done ? states_[id].value : id; }
  constexpr u64 applications() const { return applications_; }

 private:
  enum stage_kind : u8 { fresh, open, forwarded, done };
  struct state {
    u32 value = 0;
    stage_kind stage = fresh;
  };

  constexpr state& at(u32 id) {
    if (id >= states_.size()) states_.resize(graph_.size() > id + 1 ? graph_.size() : id + 1);
    return states_[id];
  }
  static constexpr void finish(state& s, u32 value) {
    s.value = value;
    s.stage = done;
  }
  constexpr void push(u32 id) {
    // A node that waits for itself: the rules go round.
    const stage_kind stage = at(id).stage;
    if (stage == open || stage == forwarded) endless("rules go round in a circle: ");
    stack_.push_back(id);
  }
  constexpr void forward(u32 id, u32 next) {
    state& s = at(id);
    s.value = next;
    s.stage = forwarded;
  }
  constexpr bool flip(u32 id, u32& next) {
    const node& n = graph_.at(id);
    if (n.source_count != 2 || !is_commutative(n.code)) return false;
    const span<const u32> sources = graph_.sources(id);
    if (!detail::out_of_order(graph_, n.code, sources[0], sources[1])) return false;
    const u32 flipped[2] = {sources[1], sources[0]};
    const op code = n.code;
    const dtype type = n.type;
    vector<i64, 8> arguments(graph_.arguments(id));
    next = graph_.intern(code, type, {flipped, 2}, arguments);
    return true;
  }
  constexpr u32 rebuild(u32 id) {
    const op code = graph_.at(id).code;
    const dtype type = graph_.at(id).type;
    const size_t count = graph_.at(id).source_count;
    u32 few[4]{};
    vector<u32> many;
    u32* sources = few;
    if (count > 4) {
      many.resize(count);
      sources = many.data();
    }
    for (size_t i = 0; i < count; ++i) sources[i] = at(graph_.sources(id)[i]).value;
    // Interning may move the pool that the arguments stand in.
    const vector<i64, 4> arguments(graph_.arguments(id));
    return detail::intern_canonical(graph_, code, type, {sources, count}, arguments, options_.canonical);
  }

  // Tries the rules on a node whose sources are what they stay; next: what the first one that fires makes of it.
  constexpr bool apply(u32 id, u32& next) {
    const op code = graph_.at(id).code;
    if (static_cast<size_t>(code) >= op_limit) return false;
    const u64* index = set_.index + static_cast<size_t>(code) * set_.words;
    u64 children = 0, grandchildren = 0;
    bool looked = false, looked_deeper = false;
    for (size_t w = 0; w < set_.words; ++w) {
      for (u64 left = index[w]; left != 0; left &= left - 1) {
        const size_t at = 64 * w + static_cast<size_t>(__builtin_ctzll(left));
        const rule& r = set_.rules[at];
        if (r.children != 0) {
          if (!looked) {
            for (const u32 s : graph_.sources(id)) children |= detail::class_of(graph_, s);
            looked = true;
          }
          if ((r.children & ~children) != 0) continue;
          if (r.grandchildren != 0) {
            if (!looked_deeper) {
              for (const u32 s : graph_.sources(id))
                for (const u32 t : graph_.sources(s)) grandchildren |= detail::class_of(graph_, t);
              looked_deeper = true;
            }
            if ((r.grandchildren & ~grandchildren) != 0) continue;
          }
        }
        if (((r.types >> static_cast<unsigned>(graph_.at(id).type.kind)) & 1) == 0) continue;
        if (options_.stats != nullptr) options_.stats->count_try(first_entry_ + at);
        if (!fire(r, id, next)) continue;
        if (next == id) continue;  // nothing new: let later rules have it
        if (options_.stats != nullptr) options_.stats->count_application(first_entry_ + at);
        if (options_.trace != nullptr) options_.trace->push_back({r.name, id, next});
        recent_[applications_ % recent_count] = r.name;
        if (++applications_ > limit_) endless("rules do not end: ");
        return true;
      }
    }
    return false;
  }
  constexpr bool fire(const rule& r, u32 id, u32& next) {
    search s(set_, r, graph_, id);
    while (s.next()) {
      if (r.act) {
        const uop made = r.act(s.found, *context_);
        if (made.owner == nullptr) continue;
        next = made.id;
        return true;
      }
      if (build(r, s.found, next)) return true;
    }
    return false;
  }
  // Builds the right side: tokens from the last to the first, operands on a stack.
  constexpr bool build(const rule& r, const match& m, u32& out) {
    const token* right = set_.tokens + r.first + r.left;
    u32 nodes[pattern::capacity]{};
    detail::known numbers[pattern::capacity]{};
    int top = 0, number_top = 0;
    for (u8 i = r.right; i-- > 0;) {
      const token& t = right[i];
      if (t.binds) {
        detail::compute(t, m, numbers, number_top);
        continue;
      }
      switch (t.what) {
        case part::any: case part::constant: nodes[top++] = m.names[t.name - 1]; break;
        case part::literal: case part::real: case part::exact_real: {
          const dtype type = type_of(t, m);
          i64 word = t.value;
          if (t.what != part::literal) word = word_of(round_to(type.kind, static_cast<double>(__builtin_bit_cast(float, t.value))));
          else if (is_float(type)) word = word_of(static_cast<double>(t.value));
          else word = wrap(type.kind, word);
          nodes[top++] = graph_.intern(op::CONST, type, {}, {&word, 1});
          break;
        }
        case part::fold: {
          const detail::known value = numbers[--number_top];
          const dtype type = type_of(t, m);
          if (!value.ok || is_float(type)) return false;
          if (wrap(type.kind, value.value) != value.value || (type.kind == scalar_kind::uint64 && value.value < 0)) return false;
          nodes[top++] = graph_.intern(op::CONST, type, {}, {&value.value, 1});
          break;
        }
        default: {
          u32 sources[8]{};
          const u8 count = t.count;
          for (u8 k = 0; k < count; ++k) sources[k] = nodes[--top];
          dtype type = i == 0 ? graph_.at(m.root_id).type : graph_.at(sources[count - 1]).type;
          if (i != 0 && is_comparison(t.code)) type = bool_.with_lanes(type.lanes);
          u32 made = 0;
          if (!detail::fold_constants(graph_, t.code, type, {sources, count}, made))
            made = detail::intern_canonical(graph_, t.code, type, {sources, count}, {}, options_.canonical);
          if (r.kind == rule_kind::ordered && search::may_overflow(graph_, t.code, made)) return false;
          nodes[top++] = made;
        }
      }
    }
    out = nodes[0];
    return true;
  }
  constexpr dtype type_of(const token& t, const match& m) const {
    constexpr u8 of_bool = 254;
    const dtype root = graph_.at(m.root_id).type;
    if (t.parent == of_bool) return bool_.with_lanes(root.lanes);
    return t.parent == 0 ? root : graph_.at(m.names[t.parent - 1]).type;
  }

  constexpr void endless(const char* why) {
    text message(why);
    const u64 count = applications_ < recent_count ? applications_ : recent_count;
    const char* names[2] = {"", ""};
    int shown = 0;
    for (u64 i = 0; i < count; ++i) {
      const char* name = recent_[(applications_ - 1 - i) % recent_count];
      bool repeated = false;
      for (u64 j = 0; j < i; ++j) repeated = repeated || text_view(recent_[(applications_ - 1 - j) % recent_count]) == text_view(name);
      if (repeated) continue;
      if (shown < 2) names[shown] = name;
      if (shown > 0) message << ", ";
      message << '"' << name << '"';
      ++shown;
    }
    detail::rewrite_does_not_end_because_of(names[0], names[1], message.c_str());
  }

  static constexpr u64 recent_count = 16;
  graph& graph_;
  rule_view set_;
  rewrite_options options_;
  struct context no_context_{};
  struct context* context_ = &no_context_;
  size_t first_entry_ = 0;
  u64 limit_ = 0;
  u64 applications_ = 0;
  const char* recent_[recent_count]{};
  vector<state> states_;
  vector<u32> stack_;
};

// Rewrites all below root with a set of rules until none fires any more. Several roots: under one SINK.
template <size_t N>
constexpr uop graph_rewrite(uop root, const rule_set<N>& set, const rewrite_options& options = {}) {
  rewriter r(*root.owner, set.view(), options);
  return r(root);
}
// The same for several roots of one graph.
template <size_t N>
constexpr vector<uop> graph_rewrite(span<const uop> roots, const rule_set<N>& set, const rewrite_options& options = {}) {
  vector<uop> out;
  if (roots.empty()) return out;
  rewriter r(*roots[0].owner, set.view(), options);
  for (const uop& root : roots) out.push_back(r(root));
  return out;
}

// What every node below the roots has become.
struct rewrite_pair {
  uop before;
  uop after;
};
class rewrite_map {
 public:
  constexpr void put(uop before, uop after) { pairs_.push_back({before, after}); }
  // The node that replaces `before`; a node that was not below the roots stays itself.
  constexpr uop operator[](uop before) const {
    size_t from = 0, to = pairs_.size();  // ordered by id
    while (from < to) {
      const size_t middle = from + (to - from) / 2;
      if (pairs_[middle].before.id < before.id) from = middle + 1;
      else to = middle;
    }
    return from < pairs_.size() && pairs_[from].before == before ? pairs_[from].after : before;
  }
  constexpr size_t size() const { return pairs_.size(); }
  constexpr const rewrite_pair* begin() const { return pairs_.begin(); }
  constexpr const rewrite_pair* end() const { return pairs_.end(); }

 private:
  vector<rewrite_pair> pairs_;
};
template <size_t N>
constexpr rewrite_map graph_rewrite_map(uop root, const rule_set<N>& set, const rewrite_options& options = {}) {
  graph& g = *root.owner;
  const vector<u32> order = toposort(root);
  rewriter r(g, set.view(), options);
  r(root);
  rewrite_map out;
  for (const u32 id : order) out.put({&g, id}, {&g, r(id)});
  return out;
}

}  // namespace twill
