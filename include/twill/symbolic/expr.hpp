// Expressions as values: var<"i">(0, 31) * 64 + … is a constant that owns its nodes. The functions on uops work on them by
// loading them into a graph that lives for one call.
#pragma once

#include "twill/match/rewrite.hpp"

namespace twill {

// One node; its sources are positions in the same expression.
struct expr_node {
  op code = op::NULL_OP;
  u8 count = 0;
  u16 sources[3]{};
  dtype type{};
  i64 first = 0;   // a constant's word, a variable's lower bound
  i64 second = 0;  // a variable's upper bound
  const char* name = "";
};

namespace detail {
template <fixed_string S>
struct name_of {
  static constexpr fixed_string value = S;
};
inline void expression_is_too_large() { raise<rewrite_error>("the expression needs more nodes than its capacity"); }
template <class T>
concept integer_or_bool = std::is_integral_v<T>;
}  // namespace detail

// At most Capacity nodes in order of their creation, the root last.
template <size_t Capacity>
struct expr {
  expr_node nodes[Capacity]{};
  u16 size = 0;

  constexpr const expr_node& root() const { return nodes[size - 1]; }
  constexpr dtype type() const { return root().type; }
  constexpr void push(const expr_node& n) {
    if (size == Capacity) detail::expression_is_too_large();
    nodes[size++] = n;
  }
  // Appends another expression; the position of its root.
  template <size_t N>
  constexpr u16 append(const expr<N>& other) {
    const u16 base = size;
    for (u16 i = 0; i < other.size; ++i) {
      expr_node n = other.nodes[i];
      for (u8 k = 0; k < n.count; ++k) n.sources[k] = static_cast<u16>(n.sources[k] + base);
      push(n);
    }
    return static_cast<u16>(size - 1);
  }
};

// A variable with lo <= value <= hi.
template <fixed_string Name>
constexpr expr<1> var(i64 lo, i64 hi, dtype type = int32) {
  expr<1> out;
  out.push({op::DEFINE_VAR, 0, {}, type, lo, hi, detail::name_of<Name>::value.chars});
  return out;
}

namespace detail {

constexpr expr<1> constant_expr(dtype type, i64 value) {
  expr<1> out;
  out.push({op::CONST, 0, {}, type, wrap(type.kind, value), 0, ""});
  return out;
}
template <size_t A>
constexpr expr<A + 1> make_expr(op code, dtype type, const expr<A>& a) {
  expr<A + 1> out;
  const u16 x = out.append(a);
  out.push({code, 1, {x}, type, 0, 0, ""});
  return out;
}
template <size_t A, size_t B>
constexpr expr<A + B + 1> make_expr(op code, const expr<A>& a, const expr<B>& b) {
  expr<A + B + 1> out;
  const u16 x = out.append(a), y = out.append(b);
  out.push({code, 2, {x, y}, is_comparison(code) ? bool_ : b.type(), 0, 0, ""});
  return out;
}
template <size_t A, integer_or_bool T>
constexpr expr<A + 2> make_expr(op code, const expr<A>& a, T b) {
  return make_expr(code, a, constant_expr(a.type(), static_cast<i64>(b)));
}
template <size_t B, integer_or_bool T>
constexpr expr<B + 2> make_expr(op code, T a, const expr<B>& b) {
  return make_expr(code, constant_expr(b.type(), static_cast<i64>(a)), b);
}

// The uop that e is in g; operands of commutative ops in canonical order, as all rewriting leaves them.
template <size_t A>
constexpr uop load(graph& g, const expr<A>& e) {
  u32 ids[A]{};
  for (u16 i = 0; i < e.size; ++i) {
    const expr_node& n = e.nodes[i];
    if (n.code == op::CONST) ids[i] = g.intern(op::CONST, n.type, {}, {&n.first, 1});
    else if (n.code == op::DEFINE_VAR) ids[i] = g.var(n.name, n.first, n.second, n.type).id;
    else {
      u32 sources[3]{};
      for (u8 k = 0; k < n.count; ++k) sources[k] = ids[n.sources[k]];
      ids[i] = intern_canonical(g, n.code, n.type, {sources, n.count}, {}, true);
    }
  }
  return {&g, ids[e.size - 1]};
}
// The expression that root is; names of variables are those of `names`.
template <size_t Capacity, size_t A>
constexpr expr<Capacity> store(uop root, const expr<A>& names) {
  const graph& g = *root.owner;
  const vector<u32> order = toposort(root);
  vector<u16> places(order.back() + size_t{1}, u16{0});
  expr<Capacity> out;
  for (const u32 id : order) {
    const node& n = g.at(id);
    expr_node made{n.code, static_cast<u8>(n.source_count), {}, n.type, 0, 0, ""};
    if (n.source_count > 3) expression_is_too_large();
    for (u8 k = 0; k < n.source_count; ++k) made.sources[k] = places[g.source(id, k)];
    if (n.argument_count > 0) made.first = g.argument(id, 0);
    if (n.code == op::DEFINE_VAR) {
      made.second = g.argument(id, 1);
      const text name = variable_name({root.owner, id});
      for (u16 i = 0; i < names.size; ++i)
        if (names.nodes[i].code == op::DEFINE_VAR && name == names.nodes[i].name) made.name = names.nodes[i].name;
    }
    places[id] = out.size;
    out.push(made);
  }
  return out;
}
// Room for what rewriting makes of an expression of this capacity.
constexpr size_t rewritten_capacity(size_t n) { return n < 16 ? 32 : 2 * n; }

}  // namespace detail

template <size_t A, size_t B> constexpr auto operator+(const expr<A>& a, const expr<B>& b) { return detail::make_expr(op::ADD, a, b); }
template <size_t A, size_t B> constexpr auto operator*(const expr<A>& a, const expr<B>& b) { return detail::make_expr(op::MUL, a, b); }
template <size_t A, size_t B> constexpr auto operator/(const expr<A>& a, const expr<B>& b) { return detail::make_expr(op::IDIV, a, b); }
template <size_t A, size_t B> constexpr auto operator%(const expr<A>& a, const expr<B>& b) { return detail::make_expr(op::MOD, a, b); }
template <size_t A, size_t B> constexpr auto operator<(const expr<A>& a, const expr<B>& b) { return detail::make_expr(op::CMPLT, a, b); }
template <size_t A, size_t B> constexpr auto operator&(const expr<A>& a, const expr<B>& b) { return detail::make_expr(op::AND, a, b); }
template <size_t A, size_t B> constexpr auto operator|(const expr<A>& a, const expr<B>& b) { return detail::make_expr(op::OR, a, b); }
template <size_t A, size_t B> constexpr auto operator^(const expr<A>& a, const expr<B>& b) { return detail::make_expr(op::XOR, a, b); }
template <size_t A, size_t B> constexpr auto operator<<(const expr<A>& a, const expr<B>& b) { return detail::make_expr(op::SHL, a, b); }
template <size_t A, size_t B> constexpr auto operator>>(const expr<A>& a, const expr<B>& b) { return detail::make_expr(op::SHR, a, b); }
template <size_t A, size_t B> constexpr auto max(const expr<A>& a, const expr<B>& b) { return detail::make_expr(op::MAX, a, b); }
template <size_t A, size_t B> constexpr auto min(const expr<A>& a, const expr<B>& b) { return detail::make_expr(op::MIN, a, b); }
template <size_t A, size_t B> constexpr auto not_equal(const expr<A>& a, const expr<B>& b) { return detail::make_expr(op::CMPNE, a, b); }
template <size_t A, size_t B> constexpr auto operator>(const expr<A>& a, const expr<B>& b) { return b < a; }

// A number beside an expression takes its dtype.
template <size_t A, detail::integer_or_bool T> constexpr auto operator+(const expr<A>& a, T b) { return detail::make_expr(op::ADD, a, b); }
template <size_t A, detail::integer_or_bool T> constexpr auto operator+(T a, const expr<A>& b) { return detail::make_expr(op::ADD, a, b); }
template <size_t A, detail::integer_or_bool T> constexpr auto operator*(const expr<A>& a, T b) { return detail::make_expr(op::MUL, a, b); }
template <size_t A, detail::integer_or_bool T> constexpr auto operator*(T a, const expr<A>& b) { return detail::make_expr(op::MUL, a, b); }
template <size_t A, detail::integer_or_bool T> constexpr auto operator/(const expr<A>& a, T b) { return detail::make_expr(op::IDIV, a, b); }
template <size_t A, detail::integer_or_bool T> constexpr auto operator/(T a, const expr<A>& b) { return detail::make_expr(op::IDIV, a, b); }
template <size_t A, detail::integer_or_bool T> constexpr auto operator%(const expr<A>& a, T b) { return detail::make_expr(op::MOD, a, b); }
template <size_t A, detail::integer_or_bool T> constexpr auto operator%(T a, const expr<A>& b) { return detail::make_expr(op::MOD, a, b); }
template <size_t A, detail::integer_or_bool T> constexpr auto operator<(const expr<A>& a, T b) { return detail::make_expr(op::CMPLT, a, b); }
template <size_t A, detail::integer_or_bool T> constexpr auto operator<(T a, const expr<A>& b) { return detail::make_expr(op::CMPLT, a, b); }
template <size_t A, detail::integer_or_bool T> constexpr auto operator>(const expr<A>& a, T b) { return b < a; }
template <size_t A, detail::integer_or_bool T> constexpr auto operator>(T a, const expr<A>& b) { return b < a; }
template <size_t A, detail::integer_or_bool T> constexpr auto operator&(const expr<A>& a, T b) { return detail::make_expr(op::AND, a, b); }
template <size_t A, detail::integer_or_bool T> constexpr auto operator|(const expr<A>& a, T b) { return detail::make_expr(op::OR, a, b); }
template <size_t A, detail::integer_or_bool T> constexpr auto operator^(const expr<A>& a, T b) { return detail::make_expr(op::XOR, a, b); }
template <size_t A, detail::integer_or_bool T> constexpr auto operator<<(const expr<A>& a, T b) { return detail::make_expr(op::SHL, a, b); }
template <size_t A, detail::integer_or_bool T> constexpr auto operator>>(const expr<A>& a, T b) { return detail::make_expr(op::SHR, a, b); }
template <size_t A, detail::integer_or_bool T> constexpr auto max(const expr<A>& a, T b) { return detail::make_expr(op::MAX, a, b); }
template <size_t A, detail::integer_or_bool T> constexpr auto min(const expr<A>& a, T b) { return detail::make_expr(op::MIN, a, b); }
template <size_t A, detail::integer_or_bool T> constexpr auto not_equal(const expr<A>& a, T b) { return detail::make_expr(op::CMPNE, a, b); }

template <size_t A> constexpr auto operator!(const expr<A>& a) { return detail::make_expr(op::CMPNE, a, detail::constant_expr(bool_, 1)); }
template <size_t A> constexpr auto operator-(const expr<A>& a) { return a * -1; }
template <size_t A, size_t B> constexpr auto operator-(const expr<A>& a, const expr<B>& b) { return a + b * -1; }
template <size_t A, detail::integer_or_bool T> constexpr auto operator-(const expr<A>& a, T b) { return a - detail::constant_expr(a.type(), static_cast<i64>(b)); }
template <size_t A, detail::integer_or_bool T> constexpr auto operator-(T a, const expr<A>& b) { return a + b * -1; }
template <size_t A, class T> constexpr auto operator>=(const expr<A>& a, const T& b) { return !(a < b); }
template <size_t A, class T> constexpr auto operator<=(const expr<A>& a, const T& b) { return !(b < a); }
template <size_t A, class T> constexpr auto equal_to(const expr<A>& a, const T& b) { return !not_equal(a, b); }

template <size_t C, size_t A, size_t B>
constexpr auto where(const expr<C>& condition, const expr<A>& a, const expr<B>& b) {
  expr<C + A + B + 1> out;
  const u16 c = out.append(condition), x = out.append(a), y = out.append(b);
  out.push({op::WHERE, 3, {c, x, y}, b.type(), 0, 0, ""});
  return out;
}
template <size_t C, size_t A, detail::integer_or_bool T>
constexpr auto where(const expr<C>& condition, const expr<A>& a, T b) { return where(condition, a, detail::constant_expr(a.type(), static_cast<i64>(b))); }
template <size_t C, size_t B, detail::integer_or_bool T>
constexpr auto where(const expr<C>& condition, T a, const expr<B>& b) { return where(condition, detail::constant_expr(b.type(), static_cast<i64>(a)), b); }
template <size_t A>
constexpr auto cast(const expr<A>& a, dtype to) { return detail::make_expr(op::CAST, to, a); }

// Identity: are they one node, once their operands stand in canonical order? Not an elementwise comparison.
template <size_t A, size_t B>
constexpr bool operator==(const expr<A>& a, const expr<B>& b) {
  graph g(A + B);
  return detail::load(g, a) == detail::load(g, b);
}
// Is it this constant?
template <size_t A, detail::integer_or_bool T>
constexpr bool operator==(const expr<A>& a, T b) {
  return a.root().code == op::CONST && a.root().first == static_cast<i64>(b);
}

// The known range of its value.
template <size_t A>
constexpr interval bounds(const expr<A>& e) {
  graph g(A);
  return bounds(detail::load(g, e));
}
template <size_t A>
constexpr text render(const expr<A>& e) {
  graph g(A);
  return render(detail::load(g, e));
}
template <size_t A, size_t N>
constexpr auto graph_rewrite(const expr<A>& e, const rule_set<N>& set, const rewrite_options& options = {}) {
  graph g(2 * A);
  return detail::store<detail::rewritten_capacity(A)>(graph_rewrite(detail::load(g, e), set, options), e);
}

}  // namespace twill
