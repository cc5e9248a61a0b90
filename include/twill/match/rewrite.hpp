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
  // Applications of rules after which a rewrite counts as endless; 0: by the size of the graph, fewer in constant evaluation.
  u64 limit = 0;
  // Where rules do not end: stop, leaving the root as it is, instead of raising an error. The statistics say which rules.
  bool stop_at_limit = false;
  struct context* context = nullptr;
};

namespace detail {

// Called when rules would go on for ever. In constant evaluation the compiler stops at the comparison of the two names, which
// it can't decide, and shows them: clang would anyway, g++ shows no arguments of calls.
inline void endless_rewrite(const char* message) { raise<rewrite_error>(text(message)); }
constexpr void rewrite_does_not_end_because_of(const char* rule, const char* and_rule, const char* message) {
  if (rule < and_rule || and_rule <= rule) endless_rewrite(message);
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
    words[i] = g.argument(sources[i], 0);
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
    else limit_ = __builtin_is_constant_evaluated() ? 400 + 4 * static_cast<u64>(g.size())  // before the compiler's own limits
                                                    : 20000 + 200 * static_cast<u64>(g.size());
  }
  rewriter(const rewriter&) = delete;
  rewriter& operator=(const rewriter&) = delete;

  // What root becomes. Law: rewriting the result again gives the result.
  constexpr u32 operator()(u32 root) {
    const u64 applied_before = applications_;
    reach();
    push(root);
    while (!stack_.empty() && !stopped_) {
      const u32 id = stack_.back();
      u32 next = id;
      switch (state_[id].stage) {
        case fresh:
          if (options_.stats != nullptr) options_.stats->count_visit();
          if (options_.canonical && flip(id, next)) break;
          if (options_.bottom_up && apply(id, next)) break;
          state_[id].stage = open;
          if (push_sources(id)) continue;
          [[fallthrough]];
        case open:  // what was pushed since is done
          if (rebuild(id, next)) break;
          if (!options_.bottom_up && apply(id, next)) break;
          finish(id, id);
          continue;
        case forwarded: finish(id, state_[state_[id].value].value); continue;
        case done: stack_.pop_back(); continue;
      }
      // The node has become `next`, which may become something else in turn.
      reach();
      if (state_[next].stage == done) {
        finish(id, state_[next].value);
      } else {
        state_[id].value = next;
        state_[id].stage = forwarded;
        push(next);
      }
    }
    if (stopped_) return root;
    if (options_.stats != nullptr) options_.stats->stop(applications_ == applied_before ? stop_reason::nothing_to_do : stop_reason::finished);
    return state_[root].value;
  }
  constexpr uop operator()(uop root) { return {&graph_, (*this)(root.id)}; }

  // What a node that was reached has become; others are themselves.
  constexpr u32 result_of(u32 id) const { return id < states_.size() && states_[id].stage == done ? states_[id].value : id; }
  constexpr u64 applications() const { return applications_; }

 private:
  enum stage_kind : u8 { fresh, open, forwarded, done };  // fresh: what new memory holds
  struct state {
    u32 value;
    stage_kind stage;
  };

  // Room for the nodes there are.
  constexpr void reach() {
    if (states_.size() >= graph_.size()) return;
    vector<state> more(2 * graph_.size() + 16);
    for (size_t i = 0; i < states_.size(); ++i) more[i] = state_[i];
    states_ = static_cast<vector<state>&&>(more);
    state_ = states_.data();
  }
  constexpr void finish(u32 id, u32 value) {
    state_[id].value = value;
    state_[id].stage = done;
    stack_.pop_back();
  }
  constexpr void push(u32 id) {
    // A node that waits for itself: the rules go round.
    if (state_[id].stage == open || state_[id].stage == forwarded) endless(stop_reason::circle);
    stack_.push_back(id);
  }
  // The sources that are not done, the last one first, so that they are done in order. False when there is none.
  constexpr bool push_sources(u32 id) {
    bool waits = false;
    for (size_t i = graph_.at(id).source_count; i-- > 0;) {
      const u32 source = graph_.source(id, i);
      if (state_[source].stage == done) continue;
      push(source);
      waits = true;
    }
    return waits;
  }
  constexpr bool flip(u32 id, u32& next) {
    const node& n = graph_.at(id);
    if (n.source_count != 2 || !is_commutative(n.code)) return false;
    const u32 flipped[2] = {graph_.source(id, 1), graph_.source(id, 0)};
    if (!detail::out_of_order(graph_, n.code, flipped[1], flipped[0])) return false;
    const op code = n.code;
    const dtype type = n.type;
    vector<i64, 8> arguments(graph_.arguments(id));
    next = graph_.intern(code, type, {flipped, 2}, arguments);
    return true;
  }
  // The node with what its sources have become; false when they are what they were.
  constexpr bool rebuild(u32 id, u32& next) {
    const size_t count = graph_.at(id).source_count;
    bool changed = false;
    for (size_t i = 0; i < count; ++i) changed = changed || state_[graph_.source(id, i)].value != graph_.source(id, i);
    if (!changed) return false;
    const op code = graph_.at(id).code;
    const dtype type = graph_.at(id).type;
    u32 few[4]{};
    vector<u32> many;
    u32* sources = few;
    if (count > 4) {
      many.resize(count);
      sources = many.data();
    }
    for (size_t i = 0; i < count; ++i) sources[i] = state_[graph_.source(id, i)].value;
    // Interning may move the pool that the arguments stand in.
    const vector<i64, 4> arguments(graph_.arguments(id));
    next = detail::intern_canonical(graph_, code, type, {sources, count}, arguments, options_.canonical);
    return next != id;
  }

  // Tries the rules on a node whose sources are what they stay; next: what the first one that fires makes of it.
  constexpr bool apply(u32 id, u32& next) {
    const op code = graph_.at(id).code;
    if (static_cast<size_t>(code) >= op_limit) return false;
    const dispatch_view& d = set_.dispatch;
    const node& n = graph_.at(id);
    const u64* roots = d.roots + static_cast<size_t>(code) * d.words;
    const u64* types = d.kinds + static_cast<size_t>(n.type.kind) * d.words;
    const u64* source_types = d.source_kinds + (n.source_count == 0 ? scalar_kind_limit : static_cast<size_t>(graph_.at(graph_.source(id, 0)).type.kind)) * d.words;
    const bool several = n.bounds.lo != n.bounds.hi, differ = n.source_count != 2 || graph_.source(id, 0) != graph_.source(id, 1);
    // Second sources of sources are where patterns expect them only once all operands stand in canonical order.
    const bool deep = options_.canonical && !options_.bottom_up;
    bool looked = false;
    rows row;
    for (size_t w = 0; w < d.words; ++w) {
      u64 left = roots[w] & types[w] & source_types[w];
      if (several) left &= ~d.one_value[w];
      if (differ) left &= ~d.equal[w];
      if (left == 0) continue;
      if (!looked) {
        row = look(id, d.words);
        looked = true;
      }
      u64 straight = left & d.first[row.first + w] & d.second[row.second + w], swapped = 0;
      if (differ) swapped = left & d.swapped[w] & d.first[row.second + w] & d.second[row.first + w];
      if (deep && straight != 0)
        straight &= d.first_first[row.first_first + w] & d.first_second[row.first_second + w] & d.second_first[row.second_first + w] & d.second_second[row.second_second + w];
      if (deep && swapped != 0)
        swapped &= d.first_first[row.second_first + w] & d.first_second[row.second_second + w] & d.second_first[row.first_first + w] & d.second_second[row.first_second + w];
      for (left = straight | swapped; left != 0; left &= left - 1) {
        const size_t bit = static_cast<size_t>(__builtin_ctzll(left)), at = 64 * w + bit;
        const rule& r = set_.rules[at];
        if (r.pairs != 0 && (r.pairs & detail::equal_pairs(row.places)) == 0) continue;
        if (options_.stats != nullptr) options_.stats->count_try(first_entry_ + at);
        // Of the two operand orders of a swappable root only those that are not ruled out.
        const bool swappable = (d.swapped[w] >> bit & 1) != 0;
        const u8 from = swappable && (straight >> bit & 1) == 0 ? 1 : 0;
        const u8 to = swappable ? (swapped >> bit & 1) != 0 ? 2 : 1 : r.choices > 0 ? r.radix[0] : 1;
        if (!fire(r, id, from, to, deep, next)) continue;
        if (next == id) continue;  // nothing new: let later rules have it
        if (options_.stats != nullptr) options_.stats->count_application(first_entry_ + at);
        if (options_.trace != nullptr) options_.trace->push_back({r.name, id, next});
        recent_[applications_ % recent_count] = r.name;
        if (++applications_ > limit_) endless(stop_reason::limit_reached);
        return true;
      }
    }
    return false;
  }
  // Rows of the dispatch tables for a node's sources and their sources.
  struct rows {
    size_t first = 0, second = 0, first_first = 0, first_second = 0, second_first = 0, second_second = 0;
    u32 places[6] = {~0u, ~1u, ~2u, ~3u, ~4u, ~5u};  // the nodes; where there is none, numbers of no node
  };
  constexpr rows look(u32 id, size_t words) const {
    rows out;
    const size_t count = graph_.at(id).source_count;
    if (count > 0) look(graph_.source(id, 0), words, out.first, out.first_first, out.first_second, out.places[0], out.places + 2);
    if (count > 1) look(graph_.source(id, 1), words, out.second, out.second_first, out.second_second, out.places[1], out.places + 4);
    return out;
  }
  constexpr void look(u32 source, size_t words, size_t& row, size_t& first, size_t& second, u32& place, u32* below) const {
    place = source;
    row = words * graph_.at(source).kind;
    const size_t count = graph_.at(source).source_count;
    if (count > 0) first = words * graph_.at(below[0] = graph_.source(source, 0)).kind;
    if (count > 1) second = words * graph_.at(below[1] = graph_.source(source, 1)).kind;
  }
  constexpr bool fire(const rule& r, u32 id, u8 from, u8 to, bool canonical, u32& next) {
    search s(set_, r, graph_, id, from, to, canonical);
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
          // An ordered rule does not fold what wraps either.
          const bool folds = detail::fold_constants(graph_, t.code, type, {sources, count}, made);
          if (folds && r.kind == rule_kind::ordered && graph_.at(graph_.intern(t.code, type, {sources, count})).may_wrap) return false;
          if (!folds)
            made = detail::intern_canonical(graph_, t.code, type, {sources, count}, {}, options_.canonical);
          if (r.kind == rule_kind::ordered && graph_.at(made).may_wrap) return false;
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

  constexpr void endless(stop_reason why) {
    text message(name(why));
    const u64 count = applications_ < recent_count ? applications_ : recent_count;
    const char* names[recent_count]{"", ""};
    size_t shown = 0;
    for (u64 i = 0; i < count; ++i) {
      const char* rule = recent_[(applications_ - 1 - i) % recent_count];
      bool repeated = false;
      for (u64 j = 0; j < i; ++j) repeated = repeated || text_view(recent_[(applications_ - 1 - j) % recent_count]) == text_view(rule);
      if (repeated) continue;
      message << (shown == 0 ? ": \"" : ", \"") << rule << '"';
      names[shown++] = rule;
    }
    if (options_.stats != nullptr) options_.stats->stop(why, {names, shown});
    stopped_ = true;
    if (!options_.stop_at_limit) detail::rewrite_does_not_end_because_of(names[0], names[1], message.c_str());
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
  bool stopped_ = false;
  const char* recent_[recent_count]{};
  vector<state> states_;
  state* state_ = nullptr;
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
