// Patterns: constexpr values, flat tables of tokens in prefix order. One kind of value says what a rule matches, what it
// builds and when it may: `rewrite("divide twice", x / c0 / c1, x / fold(c0 * c1), c0 > 0 && c1 > 0)`.
#pragma once

#include "twill/ir/uop.hpp"

namespace twill {

// Sets of scalar kinds, one bit for each.
namespace kinds {
constexpr u16 bit(scalar_kind k) { return static_cast<u16>(1u << static_cast<unsigned>(k)); }
inline constexpr u16 boolean = bit(scalar_kind::bool_);
inline constexpr u16 integer = 0x3fc;
inline constexpr u16 signed_integer = 0x154;
inline constexpr u16 floating = 0x3c00;
inline constexpr u16 all = 0x3fff;
}  // namespace kinds

// What one token of a pattern stands for.
enum class part : u8 {
  any,           // whatever node; of the dtypes in `types`
  constant,      // a CONST
  literal,       // a CONST with this value; on the right: that constant
  real,          // a CONST with this floating value (a float's bits in `value`)
  exact_real,    // the same, and the same sign of zero
  operation,     // a node of this op
  operation_set, // a node of one of four ops, packed in `value`
  any_alu,       // an ALU op, CAST or BITCAST
  alternatives,  // one of the patterns below it
  fold,          // right side only: the constant whose checked value stands below it
  low, high,     // numbers: bounds of what a name stands for
  divisor,       // numbers: greatest common divisor of two
};

// How the sources of an operation are matched.
enum class order : u8 { tuple, permutation, prefix, each, unchecked };

struct token {
  part what = part::any;
  op code = op::NULL_OP;
  u8 name = 0;    // slot + 1; 0: nameless
  u8 count = 0;   // patterns of sources that follow
  order sources = order::tuple;
  u8 binds = 0;   // decided when the rule is built: first occurrence of its name
  bool one_value = false;  // only a node whose bounds leave one value
  u16 types = kinds::all;
  i32 value = 0;
  // Places, filled in when the rule is built: index of the parent, position under it, number of the choice + 1, end.
  u8 parent = 0, position = 0, choice = 0, end = 0;
};

namespace pattern {

inline constexpr size_t name_count = 10;
inline constexpr size_t capacity = 40;

// The patterns' algebra. Not a uop: nothing here touches a graph.
struct term {
  token tokens[capacity]{};
  u8 size = 0;

  constexpr term() = default;
  constexpr term(bool value) : term(part::literal, value) { tokens[0].types = kinds::boolean; }
  constexpr term(int value) : term(part::literal, value) {}
  constexpr term(double value) : term(part::real, __builtin_bit_cast(i32, static_cast<float>(value))) { tokens[0].types = kinds::floating; }
  constexpr term(part what, i32 value) {
    tokens[0].what = what;
    tokens[0].value = value;
    size = 1;
  }
  constexpr void push(const term& other) {
    if (size + other.size > capacity) raise_too_long();
    for (u8 i = 0; i < other.size; ++i) tokens[size++] = other.tokens[i];
  }
  static void raise_too_long() { __builtin_abort(); }

  friend constexpr term binary(op code, const term& a, const term& b) {
    term out(part::operation, 0);
    out.tokens[0].code = code;
    out.tokens[0].count = 2;
    out.tokens[0].sources = is_commutative(code) ? order::permutation : order::tuple;
    out.push(a);
    out.push(b);
    return out;
  }
  friend constexpr term operator+(const term& a, const term& b) { return binary(op::ADD, a, b); }
  friend constexpr term operator*(const term& a, const term& b) { return binary(op::MUL, a, b); }
  friend constexpr term operator-(const term& a, const term& b) { return binary(op::ADD, a, -b); }
  // As in the IR; of a number it is a number.
  friend constexpr term operator-(const term& a) {
    return a.tokens[0].what == part::literal ? term(part::literal, -a.tokens[0].value) : binary(op::MUL, a, -1);
  }
  friend constexpr term operator/(const term& a, const term& b) { return binary(op::IDIV, a, b); }
  friend constexpr term operator%(const term& a, const term& b) { return binary(op::MOD, a, b); }
  friend constexpr term operator<(const term& a, const term& b) { return binary(op::CMPLT, a, b); }
  friend constexpr term operator>(const term& a, const term& b) { return binary(op::CMPLT, b, a); }
  friend constexpr term operator!(const term& a) { return binary(op::CMPNE, a, true); }
  friend constexpr term operator>=(const term& a, const term& b) { return !(a < b); }
  friend constexpr term operator<=(const term& a, const term& b) { return !(b < a); }
  friend constexpr term operator!=(const term& a, const term& b) { return binary(op::CMPNE, a, b); }
  friend constexpr term operator==(const term& a, const term& b) { return !(a != b); }
  friend constexpr term operator&(const term& a, const term& b) { return binary(op::AND, a, b); }
  friend constexpr term operator|(const term& a, const term& b) { return binary(op::OR, a, b); }
  friend constexpr term operator^(const term& a, const term& b) { return binary(op::XOR, a, b); }
  friend constexpr term operator<<(const term& a, const term& b) { return binary(op::SHL, a, b); }
  friend constexpr term operator>>(const term& a, const term& b) { return binary(op::SHR, a, b); }
  friend constexpr term operator&&(const term& a, const term& b) { return binary(op::AND, a, b); }
  friend constexpr term operator||(const term& a, const term& b) { return binary(op::OR, a, b); }
  friend constexpr term max(const term& a, const term& b) { return binary(op::MAX, a, b); }
  friend constexpr term min(const term& a, const term& b) { return binary(op::MIN, a, b); }
};

namespace detail {
constexpr term named(part what, u8 slot) {
  term out(what, 0);
  out.tokens[0].name = static_cast<u8>(slot + 1);
  return out;
}
constexpr term under(part what, const term& a) {
  term out(what, 0);
  out.tokens[0].count = 1;
  out.push(a);
  return out;
}
constexpr term restricted(term a, u16 types) {
  a.tokens[0].types = static_cast<u16>(a.tokens[0].types & types);
  return a;
}
}  // namespace detail

// Names: x, y, z, w stand for anything, c0 … c3 for constants. A name that occurs twice stands for one node.
inline constexpr term x = detail::named(part::any, 0), y = detail::named(part::any, 1), z = detail::named(part::any, 2),
                      w = detail::named(part::any, 3);
inline constexpr term c0 = detail::named(part::constant, 4), c1 = detail::named(part::constant, 5),
                      c2 = detail::named(part::constant, 6), c3 = detail::named(part::constant, 7);
inline constexpr term anything = term(part::any, 0), any_constant = term(part::constant, 0);
inline constexpr term always{};  // the guard of a rule without one

// On the right: a constant computed from bound ones; the rule does not fire when that overflows the dtype.
constexpr term fold(const term& a) { return detail::under(part::fold, a); }
// In guards and fold: the bounds of what a name stands for.
constexpr term lo(const term& a) { return detail::under(part::low, a); }
constexpr term hi(const term& a) { return detail::under(part::high, a); }
constexpr term gcd(const term& a, const term& b) {
  term out(part::divisor, 0);
  out.tokens[0].count = 2;
  out.push(a);
  out.push(b);
  return out;
}

// The same pattern on nodes of these dtypes only.
constexpr term integers(const term& a) { return detail::restricted(a, kinds::integer); }
constexpr term signed_integers(const term& a) { return detail::restricted(a, kinds::signed_integer); }
constexpr term floats(const term& a) { return detail::restricted(a, kinds::floating); }
constexpr term bools(const term& a) { return detail::restricted(a, kinds::boolean); }
constexpr term integers_or_bools(const term& a) { return detail::restricted(a, kinds::integer | kinds::boolean); }
constexpr term of(dtype type, const term& a) { return detail::restricted(a, kinds::bit(type.kind)); }

// The same pattern on integer nodes and bools whose bounds leave one value only.
constexpr term one_value(term a) {
  a = detail::restricted(a, kinds::integer | kinds::boolean);
  a.tokens[0].one_value = true;
  return a;
}

// -0.0, told from 0.0: a literal compares by value.
constexpr term negative_zero() {
  term out(-0.0);
  out.tokens[0].what = part::exact_real;
  return out;
}

// A node of any op: its sources as a tuple, in any order, a prefix of them, every one alike, or left alone.
template <class... T>
constexpr term node(op code, const T&... sources) {
  term out(part::operation, 0);
  out.tokens[0].code = code;
  out.tokens[0].count = static_cast<u8>(sizeof...(T));
  if (sizeof...(T) > 1 && is_commutative(code)) out.tokens[0].sources = order::permutation;
  (out.push(term(sources)), ...);
  return out;
}
constexpr term with(term a, order sources) {
  a.tokens[0].sources = sources;
  return a;
}
constexpr term where(const term& c, const term& a, const term& b) { return node(op::WHERE, c, a, b); }
// A node of one of up to four ops.
struct op_set { op codes[4]{}; };
template <class... T>
constexpr term node(op_set set, const T&... sources) {
  term out = node(set.codes[0], sources...);
  u32 packed = 0;
  for (int i = 0; i < 4; ++i) packed |= static_cast<u32>(set.codes[i]) << (8 * i);
  out.tokens[0].what = part::operation_set;
  out.tokens[0].value = static_cast<i32>(packed);
  return out;
}
// A node of any op whose sources are left alone.
constexpr term leaf(op code) { return with(node(code), order::unchecked); }
// Any ALU op, CAST or BITCAST: with whatever sources, or with sources that are all like this.
constexpr term any_alu() { return with(term(part::any_alu, 0), order::unchecked); }
constexpr term any_alu_of(const term& each) { return with(detail::under(part::any_alu, each), order::each); }
// Whatever one of these patterns matches.
template <class... T>
constexpr term any_of(const T&... patterns) {
  term out(part::alternatives, 0);
  out.tokens[0].count = static_cast<u8>(sizeof...(T));
  (out.push(term(patterns)), ...);
  return out;
}
// The node that a matches, under a name: named(x, y + z).
constexpr term named(const term& name, term a) {
  a.tokens[0].name = name.tokens[0].name;
  return a;
}

}  // namespace pattern

// What a rule found: the node at the root and the nodes that the names stand for.
struct match {
  graph* owner = nullptr;
  u32 root_id = 0;
  u32 names[pattern::name_count];  // of names that are bound

  constexpr uop root() const { return {owner, root_id}; }
  // The node that a name of the left side stands for: m[x].
  constexpr uop operator[](const pattern::term& name) const { return {owner, names[name.tokens[0].name - 1]}; }
};

}  // namespace twill
