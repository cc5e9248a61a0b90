// Rules and rule sets. A rule is a value, all rules have one type; a set is one array of tokens with tables for early
// rejection. What is malformed does not compile.
#pragma once

#include "twill/base/error.hpp"
#include "twill/match/dispatch.hpp"

namespace twill {

// Passed through to procedural rules; derive from it to carry something.
struct context {
  // The derived context: c.as<my_context>().
  template <class T>
  constexpr T& as() {
    return static_cast<T&>(*this);
  }
};

// The right side of a procedural rule: the new node, or uop{} when the rule does not apply after all.
using action = uop (*)(const match&, context&);
// A guard that must compute.
using predicate = bool (*)(const match&);

// A function that may be absent. g++ with -fsanitize=undefined does not compare function pointers in constant evaluation.
template <class F>
struct optional_function {
  F function = nullptr;
  bool present = false;
  constexpr optional_function() = default;
  constexpr optional_function(decltype(nullptr)) {}
  constexpr optional_function(F f) : function(f), present(true) {}
  constexpr explicit operator bool() const { return present; }
  template <class... A>
  constexpr auto operator()(A&&... arguments) const {
    return function(static_cast<A&&>(arguments)...);
  }
  friend constexpr bool operator==(const optional_function& a, const optional_function& b) {
    return a.present == b.present && (!a.present || a.function == b.function);
  }
};

// ring: true modulo 2^n. ordered: needs that nothing overflows, so it fires only where bounds show that nothing can.
enum class rule_kind : u8 { ring, ordered };

// One rule on its own, before it is put into a set.
struct rule_source {
  const char* name = "";
  const char* file = "";
  int line = 0;
  rule_kind kind = rule_kind::ring;
  pattern::term left{}, right{}, guard{};
  optional_function<action> act;
  optional_function<predicate> test;

  constexpr rule_source as(rule_kind k) const {
    rule_source out = *this;
    out.kind = k;
    return out;
  }
};

inline constexpr size_t max_choices = 8;
inline constexpr size_t max_pattern = 24;  // tokens of a left side

// A rule inside a set; its tokens stand in the set's pool: left side, right side, guard.
struct rule {
  const char* name = "";
  const char* file = "";
  int line = 0;
  optional_function<action> act;
  optional_function<predicate> test;
  u16 types = kinds::all;         // of the root
  u16 source_types = kinds::all;  // of its first source
  u16 first = 0;
  u8 left = 0, right = 0, guard = 0;  // counts of tokens
  rule_kind kind = rule_kind::ring;
  u8 choices = 0;
  u16 pairs = 0;        // of the nodes at the top one of these pairs must be one node (detail::needed_pairs)
  u32 overflowing = 0;  // tokens of the left side that must not overflow for an ordered rule
  u8 settled = 0;  // choices that canonical order of operands leaves no other way
  u8 choice_at[max_choices]{};
  u8 radix[max_choices]{};
};

// Called for what is malformed: not constexpr, so the compiler stops here and shows the names.
namespace malformed {
[[noreturn]] inline void name_on_the_right_is_not_bound_on_the_left(const char* rule) { raise<rewrite_error>(text("name on the right is not bound on the left: ") << rule); }
[[noreturn]] inline void name_in_the_guard_is_not_bound_on_the_left(const char* rule) { raise<rewrite_error>(text("name in the guard is not bound on the left: ") << rule); }
[[noreturn]] inline void value_of_a_name_that_is_no_constant(const char* rule) { raise<rewrite_error>(text("value of a name that is no constant; lo(x), hi(x) are its bounds: ") << rule); }
[[noreturn]] inline void left_side_is_repeated_with_the_same_guard(const char* rule, const char*) { raise<rewrite_error>(text("left side is repeated with the same guard: ") << rule); }
[[noreturn]] inline void rule_is_unreachable_behind_an_unguarded_one(const char* rule, const char*) { raise<rewrite_error>(text("rule is unreachable behind an unguarded one: ") << rule); }
[[noreturn]] inline void pattern_is_too_long(const char* rule) { raise<rewrite_error>(text("pattern is too long: ") << rule); }
[[noreturn]] inline void pattern_is_not_allowed_here(const char* rule) { raise<rewrite_error>(text("pattern is not allowed here: ") << rule); }
}  // namespace malformed

namespace detail {

constexpr bool is_ring_op(op o) {
  switch (o) {
    case op::ADD: case op::MUL: case op::SUB: case op::NEG: case op::XOR: case op::OR: case op::AND: case op::WHERE:
    case op::CMPNE: return true;
    default: return false;
  }
}
constexpr bool is_ring_term(const pattern::term& t) {
  for (u8 i = 0; i < t.size; ++i) {
    const part p = t.tokens[i].what;
    if (p == part::operation_set || p == part::any_alu || p == part::low || p == part::high) return false;
    if (p == part::operation && !is_ring_op(t.tokens[i].code)) return false;
  }
  return true;
}
constexpr rule_source make_rule(const char* name, const pattern::term& left, const pattern::term& right, optional_function<action> act,
                                const pattern::term& guard, optional_function<predicate> test, const char* file, int line) {
  rule_source out;
  out.name = name;
  out.file = file;
  out.line = line;
  out.left = left;
  out.right = right;
  out.guard = guard;
  out.act = act;
  out.test = test;
  // A procedural rule looks after itself.
  if (!act && !(is_ring_term(left) && is_ring_term(right))) out.kind = rule_kind::ordered;
  return out;
}

template <class F>
concept procedural = std::is_convertible_v<F, action> && !std::is_arithmetic_v<F> && !std::is_null_pointer_v<F>;
template <class F>
concept guarding = std::is_convertible_v<F, predicate> && !std::is_arithmetic_v<F> && !std::is_null_pointer_v<F>;

}  // namespace detail

// A rule: what it matches, what that becomes, and when. The guard is part of the search over operand orders.
consteval rule_source rewrite(const char* name, const pattern::term& left, const pattern::term& right,
                              const pattern::term& guard = pattern::always, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  return detail::make_rule(name, left, right, nullptr, guard, nullptr, file, line);
}
template <detail::procedural F>
consteval rule_source rewrite(const char* name, const pattern::term& left, F right, const pattern::term& guard = pattern::always,
                              const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  return detail::make_rule(name, left, {}, static_cast<action>(right), guard, nullptr, file, line);
}
template <detail::guarding G>
consteval rule_source rewrite(const char* name, const pattern::term& left, const pattern::term& right, G guard,
                              const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  return detail::make_rule(name, left, right, nullptr, {}, static_cast<predicate>(guard), file, line);
}
template <detail::procedural F, detail::guarding G>
consteval rule_source rewrite(const char* name, const pattern::term& left, F right, G guard, const char* file = __builtin_FILE(),
                              int line = __builtin_LINE()) {
  return detail::make_rule(name, left, {}, static_cast<action>(right), {}, static_cast<predicate>(guard), file, line);
}

namespace detail {

constexpr bool is_constant_pattern(const token& t) {
  return t.what == part::constant || t.what == part::literal || t.what == part::real || t.what == part::exact_real;
}
constexpr bool is_numeric(part p) { return p == part::low || p == part::high || p == part::divisor; }

// Checks and completes one rule: places of the left side's tokens, which occurrence binds, where the right side's
// constants take their dtype from, masks. Loops over tables only.
struct rule_builder {
  const rule_source& source;
  token* out;
  rule result{};
  u16 bound = 0;

  constexpr void build_left() {
    const pattern::term& left = source.left;
    if (left.size == 0 || left.size > max_pattern) malformed::pattern_is_too_long(source.name);
    u8 open[max_pattern]{}, seen[max_pattern]{};  // open patterns and how many of their sources were seen
    u16 before[max_pattern]{}, common[max_pattern]{};
    int depth = 0;
    for (u8 i = 0; i < left.size; ++i) {
      token t = left.tokens[i];
      if (t.what == part::fold || is_numeric(t.what)) malformed::pattern_is_not_allowed_here(source.name);
      if (depth > 0) {
        t.parent = open[depth - 1];
        t.position = seen[depth - 1]++;
        if (out[t.parent].what == part::alternatives && t.position > 0) bound = before[depth - 1];
      }
      if (t.what == part::alternatives || (t.sources == order::permutation && t.count > 1)) {
        if (result.choices == max_choices) malformed::pattern_is_too_long(source.name);
        u8 radix = t.count;
        if (t.what != part::alternatives)
          for (u8 k = static_cast<u8>(t.count - 1); k > 1; --k) radix = static_cast<u8>(radix * k);
        result.choice_at[result.choices] = i;
        result.radix[result.choices] = radix;
        t.choice = ++result.choices;
      }
      if (t.name != 0) {
        const u16 bit = static_cast<u16>(1u << t.name);
        t.binds = (bound & bit) == 0;
        bound = static_cast<u16>(bound | bit);
      }
      out[i] = t;
      if (t.count > 0) {
        open[depth] = i;
        seen[depth] = 0;
        before[depth] = bound;
        common[depth] = static_cast<u16>(~0u);
        ++depth;
        continue;
      }
      out[i].end = static_cast<u8>(i + 1);
      close(open, seen, before, common, depth, i);
    }
    result.left = left.size;
    imply_types();
    result.pairs = needed_pairs(out, result.left);
    settle();
    for (u8 i = 0; i < left.size; ++i)
      if (out[i].what == part::operation && can_overflow(out[i].code)) result.overflowing |= 1u << i;
  }
  constexpr void close(const u8* open, const u8* seen, const u16* before, u16* common, int& depth, u8 i) {
    while (depth > 0) {
      const token& parent = out[open[depth - 1]];
      if (parent.what == part::alternatives) common[depth - 1] = static_cast<u16>(common[depth - 1] & bound);
      if (seen[depth - 1] != parent.count) return;
      if (parent.what == part::alternatives) bound = static_cast<u16>(common[depth - 1] | before[depth - 1]);
      out[open[depth - 1]].end = static_cast<u8>(i + 1);
      --depth;
    }
  }
  // The dtypes that the root and its first source can have, given what is asked of the nodes below.
  constexpr void imply_types() {
    u16 types[max_pattern]{};
    for (u8 i = 0; i < result.left; ++i) types[i] = out[i].types;
    const bool compares = out[0].what == part::operation && is_comparison(out[0].code);
    for (u8 i = result.left; i-- > 1;) {
      const u8 p = out[i].parent;
      if (shares_dtype(out[p], out[i].position)) types[p] = static_cast<u16>(types[p] & types[i]);
      if (p == 0 && (out[i].position == 0 || compares) && (out[0].what == part::operation)) result.source_types = static_cast<u16>(result.source_types & types[i]);
    }
    if (out[0].what == part::operation && out[0].sources == order::permutation && !compares) result.source_types = types[0];
    result.types = types[0];
  }
  // Is the dtype of this source the node's own?
  static constexpr bool shares_dtype(const token& t, u8 position) {
    if (t.what != part::operation || !is_alu(t.code) || is_comparison(t.code)) return false;
    if (t.code == op::WHERE) return position > 0;
    if (t.code == op::SHL || t.code == op::SHR) return position == 0;
    return true;
  }
  // Where operands stand in canonical order a constant is the second one, unless both are constants: of x * c there is one
  // order to try. (The root's own order is the dispatch tables' business.) Of two constants only the written order is
  // tried: such nodes are folded before rules that take them apart would matter. c * x is turned round for this.
  constexpr void settle() {
    for (u8 c = 0; c < result.choices; ++c) {
      const u8 at = result.choice_at[c];
      if (at == 0 || out[at].what == part::alternatives || out[at].count != 2) continue;
      const u8 a = static_cast<u8>(at + 1), b = out[a].end;
      const bool a_constant = is_constant_pattern(out[a]), b_constant = is_constant_pattern(out[b]);
      if (a_constant == b_constant) continue;
      result.settled = static_cast<u8>(result.settled | 1u << c);
      if (!a_constant) continue;
      out[a].position = 1;
      out[b].position = 0;
    }
  }
  // A right side or a guard. Marks the numbers among its tokens; they are computed, not built.
  constexpr void build_value(const pattern::term& term, token* place, bool guard) {
    u8 numeric_end = guard ? term.size : 0;
    u8 parents[pattern::capacity]{}, open[pattern::capacity]{}, left[pattern::capacity]{};
    int depth = 0;
    for (u8 i = 0; i < term.size; ++i) {
      token t = term.tokens[i];
      parents[i] = depth > 0 ? open[depth - 1] : u8{255};
      if (t.what == part::operation_set || t.what == part::any_alu || t.what == part::alternatives || (t.what == part::any && t.name == 0)) malformed::pattern_is_not_allowed_here(source.name);
      if (t.name != 0 && t.what != part::operation && (bound & (1u << t.name)) == 0) {
        if (guard) malformed::name_in_the_guard_is_not_bound_on_the_left(source.name);
        malformed::name_on_the_right_is_not_bound_on_the_left(source.name);
      }
      const bool under_bound = parents[i] != 255 && (place[parents[i]].what == part::low || place[parents[i]].what == part::high);
      if (under_bound) {
        // lo(x): one token, the name inside.
        place[parents[i]].name = t.name;
        if (t.name == 0) malformed::pattern_is_not_allowed_here(source.name);
      } else if (i < numeric_end && t.what == part::any) {
        malformed::value_of_a_name_that_is_no_constant(source.name);
      }
      t.binds = i < numeric_end;  // a number
      if (t.what == part::fold || is_numeric(t.what)) {
        if (!t.binds && t.what != part::fold) malformed::pattern_is_not_allowed_here(source.name);
      }
      place[i] = t;
      if (t.what == part::fold) {
        u8 end = i, pending = 1;
        while (pending > 0) {
          ++end;
          pending = static_cast<u8>(pending - 1 + term.tokens[end].count);
        }
        numeric_end = static_cast<u8>(end + 1);
      }
      if (t.count > 0) {
        open[depth] = i;
        left[depth++] = t.count;
      } else {
        while (depth > 0 && --left[depth - 1] == 0) --depth;
      }
    }
    if (!guard) types_of_constants(place, term.size, parents);
  }
  // place[i].parent: the dtype of token i's node: name slot + 1, 0 the root's, 254 bool, 253 not yet known.
  constexpr void types_of_constants(token* place, u8 size, const u8* parents) {
    constexpr u8 of_bool = 254, unknown = 253;
    for (u8 i = size; i-- > 0;) {
      token& t = place[i];
      u8 type = unknown;
      if ((t.what == part::any || t.what == part::constant) && !t.binds) type = t.name;
      else if (t.what == part::literal && t.types == kinds::boolean) type = of_bool;
      else if (t.what == part::operation && !t.binds) {
        if (is_comparison(t.code)) type = of_bool;
        else
          for (u8 j = static_cast<u8>(i + 1); j < size; ++j)
            if (parents[j] == i && !(t.code == op::WHERE && first_child(parents, size, i) == j) && place[j].parent != unknown) type = place[j].parent;
      }
      t.parent = type;
    }
    for (u8 i = 0; i < size; ++i) {
      token& t = place[i];
      if (t.parent != unknown || t.binds) continue;
      const u8 p = parents[i];
      if (p == 255) t.parent = 0;
      else if (place[p].what == part::operation && is_comparison(place[p].code)) {
        for (u8 j = 0; j < size; ++j)
          if (parents[j] == p && place[j].parent != unknown) t.parent = place[j].parent;
        if (t.parent == unknown) t.parent = first_name(place, size, i);
      } else if (place[p].what == part::operation && place[p].code == op::WHERE && first_child(parents, size, p) == i) t.parent = of_bool;
      else t.parent = place[p].parent;
    }
  }
  static constexpr u8 first_child(const u8* parents, u8 size, u8 p) {
    for (u8 j = static_cast<u8>(p + 1); j < size; ++j)
      if (parents[j] == p) return j;
    return 255;
  }
  static constexpr u8 first_name(const token* place, u8 size, u8 from) {
    for (u8 j = from; j < size; ++j)
      if (place[j].name != 0) return place[j].name;
    return 0;
  }
};

constexpr bool same_tokens(const token* a, u8 a_size, const token* b, u8 b_size) {
  if (a_size != b_size) return false;
  for (u8 i = 0; i < a_size; ++i) {
    const token &s = a[i], &t = b[i];
    if (s.what != t.what || s.code != t.code || s.name != t.name || s.value != t.value || s.types != t.types || s.one_value != t.one_value || s.count != t.count || s.sources != t.sources) return false;
  }
  return true;
}

}  // namespace detail

// What the engine reads of a rule set, whatever its size.
struct rule_view {
  const rule* rules = nullptr;
  size_t count = 0;
  const token* tokens = nullptr;
  dispatch_view dispatch{};
};

// N rules in one array of plain values.
template <size_t N>
struct rule_set {
  static constexpr size_t pool_size = 28 * N + 64;
  rule rules[N]{};
  token pool[pool_size]{};
  dispatch_table<(N + 63) / 64> dispatch{};
  u16 used = 0;

  static constexpr size_t size() { return N; }
  constexpr rule_view view() const { return {rules, N, pool, dispatch.view()}; }

  constexpr void put(size_t at, const rule_source& source) {
    const size_t needed = static_cast<size_t>(source.left.size + source.right.size + source.guard.size);
    if (used + needed > pool_size) malformed::pattern_is_too_long(source.name);
    detail::rule_builder b{source, pool + used};
    b.build_left();
    b.build_value(source.right, pool + used + source.left.size, false);
    b.build_value(source.guard, pool + used + source.left.size + source.right.size, true);
    rule& r = b.result;
    r.name = source.name;
    r.file = source.file;
    r.line = source.line;
    r.act = source.act;
    r.test = source.test;
    r.kind = source.kind;
    r.first = used;
    r.right = source.right.size;
    r.guard = source.guard.size;
    rules[at] = r;
    used = static_cast<u16>(used + needed);
    enter(at);
  }
  constexpr void enter(size_t at) { dispatch.enter(at, rules[at].types, rules[at].source_types, pool + rules[at].first); }
  template <size_t M>
  constexpr void put_all(size_t at, const rule_set<M>& other) {
    if (static_cast<size_t>(used) + other.used > pool_size) malformed::pattern_is_too_long("sum of rule sets");
    for (size_t i = 0; i < M; ++i) {
      rules[at + i] = other.rules[i];
      rules[at + i].first = static_cast<u16>(rules[at + i].first + used);
    }
    for (u16 i = 0; i < other.used; ++i) pool[used + i] = other.pool[i];
    used = static_cast<u16>(used + other.used);
    for (size_t i = 0; i < M; ++i) enter(at + i);
  }
  // Within one set no left side may come twice with the same guard, nor behind the same one without a guard.
  constexpr void check() const {
    for (size_t i = 0; i < N; ++i)
      for (size_t j = 0; j < i; ++j) {
        const rule &earlier = rules[j], &later = rules[i];
        if (earlier.left != later.left || pool[earlier.first].code != pool[later.first].code) continue;
        if (!detail::same_tokens(pool + earlier.first, earlier.left, pool + later.first, later.left)) continue;
        if (earlier.act) continue;  // it may decline
        const token *a = pool + earlier.first + earlier.left + earlier.right, *b = pool + later.first + later.left + later.right;
        if (earlier.guard == 0 && !earlier.test && !(earlier.kind == rule_kind::ordered && later.kind == rule_kind::ring))
          malformed::rule_is_unreachable_behind_an_unguarded_one(later.name, earlier.name);
        if (earlier.test == later.test && detail::same_tokens(a, earlier.guard, b, later.guard))
          malformed::left_side_is_repeated_with_the_same_guard(later.name, earlier.name);
      }
  }
};

// A set of rules, tried in this order.
template <class... R>
  requires(std::is_same_v<R, rule_source> && ...)
consteval rule_set<sizeof...(R)> rules(const R&... sources) {
  rule_set<sizeof...(R)> out;
  size_t at = 0;
  (out.put(at++, sources), ...);
  out.dispatch.finish();
  out.check();
  return out;
}

// The rules of several sets, one after the other; never refuses.
template <size_t... N>
constexpr rule_set<(N + ...)> combine(const rule_set<N>&... sets) {
  rule_set<(N + ...)> out;
  size_t at = 0;
  ((out.put_all(at, sets), at += N), ...);
  out.dispatch.finish();
  return out;
}
template <size_t A, size_t B>
constexpr rule_set<A + B> operator+(const rule_set<A>& a, const rule_set<B>& b) {
  return combine(a, b);
}

}  // namespace twill
