// A node of a graph as a value: two words that compare by identity, with the operators that build more nodes.
#pragma once

#include "twill/ir/graph.hpp"

namespace twill {

struct uop {
  graph* owner = nullptr;
  u32 id = 0;

  constexpr uop() = default;
  constexpr uop(graph* g, u32 i) : owner(g), id(i) {}
  constexpr explicit operator bool() const { return owner != nullptr; }
  constexpr const node& get() const { return owner->at(id); }
  constexpr op code() const { return get().code; }
  constexpr bool is(op o) const { return get().code == o; }
  constexpr dtype type() const { return get().type; }
  constexpr size_t source_count() const { return get().source_count; }
  constexpr uop source(size_t i) const { return {owner, owner->source(id, i)}; }
  constexpr size_t argument_count() const { return get().argument_count; }
  constexpr i64 argument(size_t i) const { return owner->argument(id, i); }
  constexpr span<const i64> arguments() const { return owner->arguments(id); }
  constexpr i64 lo() const { return get().bounds.lo; }
  constexpr i64 hi() const { return get().bounds.hi; }
  constexpr bool is_constant() const { return get().code == op::CONST; }
  constexpr bool is_constant(i64 value) const { return is_constant() && !is_float(type()) && argument(0) == value; }

  // Identity: equal nodes of one graph are one node.
  friend constexpr bool operator==(const uop& a, const uop& b) { return a.owner == b.owner && a.id == b.id; }
};

constexpr uop graph::make(op code, dtype type, span<const uop> sources, span<const i64> arguments) {
  vector<u32, 8> ids;
  for (const uop& s : sources) ids.push_back(s.id);
  return {this, intern(code, type, {ids.data(), ids.size()}, arguments)};
}
constexpr uop graph::make(op code, dtype type, std::initializer_list<uop> sources, span<const i64> arguments) {
  return make(code, type, span<const uop>(sources.begin(), sources.size()), arguments);
}
// value is converted to the dtype as by CAST.
constexpr uop graph::constant(dtype type, i64 value) {
  const i64 word = cast_word(type.kind, scalar_kind::int64, value);
  return {this, intern(op::CONST, type, {}, {&word, 1})};
}
constexpr uop graph::constant(dtype type, int value) { return constant(type, static_cast<i64>(value)); }
constexpr uop graph::constant(dtype type, double value) {
  const i64 word = cast_word(type.kind, scalar_kind::float64, word_of(value));
  return {this, intern(op::CONST, type, {}, {&word, 1})};
}
// A variable with lo <= value <= hi. Arguments: lo, hi, length of the name, then its characters, eight to a word.
constexpr uop graph::var(text_view name, i64 lo, i64 hi, dtype type) {
  vector<i64, 8> words{lo, hi, static_cast<i64>(name.size())};
  for (size_t i = 0; i < name.size(); i += 8) {
    u64 packed = 0;
    for (size_t j = i; j < name.size() && j < i + 8; ++j) packed |= static_cast<u64>(static_cast<u8>(name[j])) << (8 * (j - i));
    words.push_back(static_cast<i64>(packed));
  }
  return {this, intern(op::DEFINE_VAR, type, {}, words)};
}
constexpr uop graph::at_id(u32 id) { return {this, id}; }

// A name among the arguments of a node: its length, then its characters, eight to a word.
constexpr text packed_text(span<const i64> words) {
  text out;
  for (size_t i = 0; i < static_cast<size_t>(words[0]); ++i)
    out << static_cast<char>(static_cast<u8>(static_cast<u64>(words[1 + i / 8]) >> (8 * (i % 8))));
  return out;
}
// The name of a DEFINE_VAR.
constexpr text variable_name(uop v) { return packed_text(v.arguments().subspan(2, v.argument_count() - 2)); }

// An ALU node. The dtype of a comparison is bool, of every other one that of its last source (as in the seed).
constexpr uop alu(op code, uop a) { return a.owner->make(code, a.type(), {a}); }
constexpr uop alu(op code, uop a, uop b) {
  return a.owner->make(code, is_comparison(code) ? bool_.with_lanes(b.type().lanes) : b.type(), {a, b});
}
constexpr uop alu(op code, uop a, uop b, uop c) { return a.owner->make(code, c.type(), {a, b, c}); }

namespace detail {
template <class T>
concept number = std::is_arithmetic_v<T>;
template <number T>
constexpr uop constant_like(uop like, T value) {
  if constexpr (std::is_floating_point_v<T>) return like.owner->constant(like.type(), static_cast<double>(value));
  else return like.owner->constant(like.type(), static_cast<i64>(value));
}
}  // namespace detail

constexpr uop operator+(uop a, uop b) { return alu(op::ADD, a, b); }
constexpr uop operator*(uop a, uop b) { return alu(op::MUL, a, b); }
// x - y is x + y * -1, as in the seed: one form to match.
constexpr uop operator-(uop a) { return alu(op::MUL, a, detail::constant_like(a, -1)); }
constexpr uop operator-(uop a, uop b) { return a + alu(op::MUL, b, detail::constant_like(b, -1)); }
constexpr uop operator/(uop a, uop b) { return alu(is_float(a.type()) ? op::FDIV : op::IDIV, a, b); }
constexpr uop operator%(uop a, uop b) { return alu(op::MOD, a, b); }
constexpr uop operator<(uop a, uop b) { return alu(op::CMPLT, a, b); }
constexpr uop operator>(uop a, uop b) { return alu(op::CMPLT, b, a); }
constexpr uop operator!(uop a) { return alu(op::CMPNE, a, a.owner->constant(bool_, 1)); }
constexpr uop operator>=(uop a, uop b) { return !(a < b); }
constexpr uop operator<=(uop a, uop b) { return !(b < a); }
constexpr uop operator&(uop a, uop b) { return alu(op::AND, a, b); }
constexpr uop operator|(uop a, uop b) { return alu(op::OR, a, b); }
constexpr uop operator^(uop a, uop b) { return alu(op::XOR, a, b); }
constexpr uop operator<<(uop a, uop b) { return alu(op::SHL, a, b); }
constexpr uop operator>>(uop a, uop b) { return alu(op::SHR, a, b); }

// A C++ number beside a uop takes the uop's dtype.
template <detail::number T> constexpr uop operator+(uop a, T b) { return a + detail::constant_like(a, b); }
template <detail::number T> constexpr uop operator+(T a, uop b) { return detail::constant_like(b, a) + b; }
template <detail::number T> constexpr uop operator-(uop a, T b) { return a - detail::constant_like(a, b); }
template <detail::number T> constexpr uop operator-(T a, uop b) { return detail::constant_like(b, a) - b; }
template <detail::number T> constexpr uop operator*(uop a, T b) { return a * detail::constant_like(a, b); }
template <detail::number T> constexpr uop operator*(T a, uop b) { return detail::constant_like(b, a) * b; }
template <detail::number T> constexpr uop operator/(uop a, T b) { return a / detail::constant_like(a, b); }
template <detail::number T> constexpr uop operator/(T a, uop b) { return detail::constant_like(b, a) / b; }
template <detail::number T> constexpr uop operator%(uop a, T b) { return a % detail::constant_like(a, b); }
template <detail::number T> constexpr uop operator%(T a, uop b) { return detail::constant_like(b, a) % b; }
template <detail::number T> constexpr uop operator<(uop a, T b) { return a < detail::constant_like(a, b); }
template <detail::number T> constexpr uop operator<(T a, uop b) { return detail::constant_like(b, a) < b; }
template <detail::number T> constexpr uop operator>(uop a, T b) { return a > detail::constant_like(a, b); }
template <detail::number T> constexpr uop operator>(T a, uop b) { return detail::constant_like(b, a) > b; }
template <detail::number T> constexpr uop operator>=(uop a, T b) { return a >= detail::constant_like(a, b); }
template <detail::number T> constexpr uop operator>=(T a, uop b) { return detail::constant_like(b, a) >= b; }
template <detail::number T> constexpr uop operator<=(uop a, T b) { return a <= detail::constant_like(a, b); }
template <detail::number T> constexpr uop operator<=(T a, uop b) { return detail::constant_like(b, a) <= b; }
template <detail::number T> constexpr uop operator&(uop a, T b) { return a & detail::constant_like(a, b); }
template <detail::number T> constexpr uop operator|(uop a, T b) { return a | detail::constant_like(a, b); }
template <detail::number T> constexpr uop operator^(uop a, T b) { return a ^ detail::constant_like(a, b); }
template <detail::number T> constexpr uop operator<<(uop a, T b) { return a << detail::constant_like(a, b); }
template <detail::number T> constexpr uop operator>>(uop a, T b) { return a >> detail::constant_like(a, b); }

constexpr uop not_equal(uop a, uop b) { return alu(op::CMPNE, a, b); }
constexpr uop equal_to(uop a, uop b) { return !not_equal(a, b); }
template <detail::number T> constexpr uop not_equal(uop a, T b) { return not_equal(a, detail::constant_like(a, b)); }
template <detail::number T> constexpr uop equal_to(uop a, T b) { return !not_equal(a, b); }
constexpr uop max(uop a, uop b) { return alu(op::MAX, a, b); }
constexpr uop min(uop a, uop b) { return alu(op::MIN, a, b); }
template <detail::number T> constexpr uop max(uop a, T b) { return max(a, detail::constant_like(a, b)); }
template <detail::number T> constexpr uop min(uop a, T b) { return min(a, detail::constant_like(a, b)); }
constexpr uop where(uop condition, uop a, uop b) { return alu(op::WHERE, condition, a, b); }
constexpr uop cast(uop a, dtype to) { return a.type() == to ? a : a.owner->make(op::CAST, to, {a}); }
constexpr uop bitcast(uop a, dtype to) { return a.type() == to ? a : a.owner->make(op::BITCAST, to, {a}); }

// The known range of an integer node's value.
constexpr interval bounds(uop a) { return a.get().bounds; }

// All nodes that root depends on, sources before users, root last. Ids are such an order already.
constexpr vector<u32> toposort(const graph& g, span<const u32> roots) {
  u32 top = 0;
  for (const u32 r : roots) top = r > top ? r : top;
  vector<u8> wanted(roots.empty() ? 0 : size_t{top} + 1);
  for (const u32 r : roots) wanted[r] = 1;
  size_t count = 0;
  for (u32 id = static_cast<u32>(wanted.size()); id-- > 0;) {
    if (!wanted[id]) continue;
    ++count;
    for (const u32 s : g.sources(id)) wanted[s] = 1;
  }
  vector<u32> order;
  order.reserve(count);
  for (u32 id = 0; id < wanted.size(); ++id)
    if (wanted[id]) order.push_back(id);
  return order;
}
constexpr vector<u32> toposort(uop root) { return toposort(*root.owner, {&root.id, 1}); }

}  // namespace twill
