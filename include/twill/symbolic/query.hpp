// Questions about a node's value: what is known of it for all values of its variables, and its value for some.
#pragma once

#include "twill/ir/evaluate.hpp"
#include "twill/symbolic/symbolic.hpp"

namespace twill {

// What a condition is, where that can be shown; else the default.
constexpr bool resolve(uop condition, bool otherwise = true) {
  if (!is_bool(condition.type())) raise<dtype_error>(text("resolve: a condition is bool, not ") << to_text(condition.type()));
  const uop simple = simplify(condition);
  return simple.lo() == simple.hi() ? simple.lo() != 0 : otherwise;
}
constexpr bool resolve(bool condition, bool = true) { return condition; }
template <size_t A>
constexpr bool resolve(const expr<A>& condition, bool otherwise = true) {
  graph g(2 * A);
  return resolve(detail::load(g, condition), otherwise);
}

// The least and the greatest value that the bounds allow; of uint64, a bit pattern.
constexpr i64 vmin(uop u) {
  if (!is_integer(u.type()) && !is_bool(u.type())) raise<dtype_error>(text("vmin: no integer bounds of ") << to_text(u.type()));
  return u.lo();
}
constexpr i64 vmax(uop u) {
  if (!is_integer(u.type()) && !is_bool(u.type())) raise<dtype_error>(text("vmax: no integer bounds of ") << to_text(u.type()));
  return u.hi();
}

namespace detail {
constexpr uop extreme(op code, const char* name, span<const uop> of) {
  if (of.empty()) raise<argument_error>(text(name) << ": of no values");
  uop out = of[0];
  for (size_t i = 1; i < of.size(); ++i) out = twill::alu(code, out, of[i]);
  return simplify(out);
}
}  // namespace detail
// The least and the greatest of some values, as a node: one of them where the bounds decide it.
constexpr uop smin(span<const uop> of) { return detail::extreme(op::MIN, "smin", of); }
constexpr uop smax(span<const uop> of) { return detail::extreme(op::MAX, "smax", of); }
constexpr uop smin(std::initializer_list<uop> of) { return smin(span<const uop>(of.begin(), of.size())); }
constexpr uop smax(std::initializer_list<uop> of) { return smax(span<const uop>(of.begin(), of.size())); }
template <detail::number T> constexpr uop smin(uop a, T b) { return smin({a, detail::constant_like(a, b)}); }
template <detail::number T> constexpr uop smax(uop a, T b) { return smax({a, detail::constant_like(a, b)}); }

namespace detail {
// Numbers that a signed word holds.
constexpr bool is_small(uop u) { return is_integer(u.type()) && !(u.type().kind == scalar_kind::uint64 && (u.lo() < 0 || u.hi() < 0)); }
// What divides every value of a node, by its alignment alone; 0: the value is 0.
constexpr i64 aligned_factor(uop u) {
  const alignment a = u.get().steps;
  if (a.modulus != 0) return greatest_common_divisor(a.modulus, a.remainder);
  return u.lo() == min_value(scalar_kind::int64) ? 1 : greatest_common_divisor(u.lo(), 0);
}
}  // namespace detail

// A number that divides every value of u, the largest that is known; 0 where u is 0. Law: the value is a multiple of it.
constexpr i64 const_factor(uop u) {
  if (!detail::is_small(u)) return is_integer(u.type()) && u.get().steps.modulus != 0 ? detail::aligned_factor(u) : 1;
  detail::term_list terms(*u.owner, u.type());
  if (u.is_constant() || !terms.collect(u.id, 1, true)) return detail::aligned_factor(u);
  i64 out = terms.constant == min_value(scalar_kind::int64) ? 1 : detail::greatest_common_divisor(terms.constant, 0);
  for (u8 i = 0; i < terms.count && out != 1; ++i) {
    i64 factor = 0;
    if (terms.factors[i] == min_value(scalar_kind::int64)) factor = 1;
    else if (!mul_checked(terms.factors[i], detail::aligned_factor({u.owner, terms.bases[i]}), factor)) factor = terms.factors[i];
    out = detail::greatest_common_divisor(out, factor);
  }
  return out;
}

// u / by where every value of u is known to be a multiple of it; uop{} where that is not known.
// Law: the quotient times `by` is u, and nothing overflows.
constexpr uop divides(uop u, i64 by) {
  if (by == 0 || by == min_value(scalar_kind::int64) || !detail::is_small(u) || wrap(u.type().kind, by) != by) return {};
  if (is_signed(u.type()) && by == min_value(u.type().kind)) return {};  // its magnitude is no number of the dtype
  if (by == 1) return u;
  graph& g = *u.owner;
  detail::term_list terms(g, u.type());
  if (!terms.collect(u.id, 1, true) || terms.constant % by != 0) return {};
  terms.constant /= by;
  for (u8 i = 0; i < terms.count; ++i) {
    if (terms.factors[i] == min_value(scalar_kind::int64)) return {};
    const i64 common = detail::greatest_common_divisor(terms.factors[i], by), rest = (by < 0 ? -by : by) / common;
    terms.factors[i] /= by < 0 ? -common : common;
    if (rest == 1) continue;
    const uop base{&g, terms.bases[i]};
    if (detail::aligned_factor(base) % rest != 0) return {};
    terms.bases[i] = (base / rest).id;
  }
  i64 lo = 0, hi = 0;
  return terms.fits(lo, hi) ? terms.build() : uop{};
}

// Does u never decrease when one of its variables increases? False where that is not known.
constexpr bool is_increasing(uop u) {
  const graph& g = *u.owner;
  vector<u8> increasing(u.id + 1, u8{0});
  for (const u32 id : toposort(u)) {
    const node& n = g.at(id);
    const span<const u32> from = g.sources(id);
    if (!is_integer(n.type) || n.may_wrap) continue;
    const auto up = [&](size_t i) { return increasing[from[i]] != 0; };
    const auto at_least = [&](size_t i, i64 least) {
      const node& c = g.at(from[i]);
      return c.code == op::CONST && detail::is_small({u.owner, from[i]}) && c.bounds.lo >= least;
    };
    bool out = false;
    switch (n.code) {
      case op::ADD: case op::MAX: case op::MIN: out = up(0) && up(1); break;
      case op::MUL: out = (up(0) && at_least(1, 0)) || (up(1) && at_least(0, 0)); break;
      case op::IDIV: case op::FLOORDIV: out = up(0) && at_least(1, 1); break;
      case op::SHL: out = up(0) && at_least(1, 0) && g.at(from[1]).bounds.lo < bit_width(n.type.kind); break;
      case op::SHR: out = up(0) && at_least(1, 0); break;
      case op::CAST: out = up(0) && n.bounds == g.at(from[0]).bounds; break;  // every value stays what it is
      default: out = from.empty() ? in_group(n.code, op_group::irreducible) : n.code == op::RANGE;
    }
    increasing[id] = out ? 1 : 0;
  }
  return increasing[u.id] != 0;
}

// The value of u where its variables have these values: each of them in its range.
constexpr i64 sym_infer(uop u, span<const binding> bindings) {
  const graph& g = *u.owner;
  for (const u32 id : toposort(u)) {
    const node& n = g.at(id);
    if (n.code != op::DEFINE_VAR && n.code != op::RANGE && n.code != op::SPECIAL) continue;
    const text name = render(uop(u.owner, id));
    size_t found = bindings.size();
    for (size_t i = 0; i < bindings.size(); ++i)
      if (name == bindings[i].name) found = i;
    if (found == bindings.size()) raise<argument_error>(text("sym_infer: no value for ") << name);
    const i64 value = bindings[found].value;
    if (integer_less(n.type.kind, value, n.bounds.lo) || integer_less(n.type.kind, n.bounds.hi, value))
      raise<argument_error>(text("sym_infer: ") << name << " is " << value << ", not in [" << n.bounds.lo << ", " << n.bounds.hi << ']');
  }
  return evaluate(u, bindings);
}
constexpr i64 sym_infer(uop u, std::initializer_list<binding> bindings) { return sym_infer(u, span<const binding>(bindings.begin(), bindings.size())); }
constexpr i64 sym_infer(i64 value, span<const binding>) { return value; }
template <size_t A>
constexpr i64 sym_infer(const expr<A>& e, std::initializer_list<binding> bindings) {
  graph g(A);
  return sym_infer(detail::load(g, e), bindings);
}
template <size_t A>
constexpr i64 const_factor(const expr<A>& e) {
  graph g(A);
  return const_factor(detail::load(g, e));
}
template <size_t A>
constexpr bool is_increasing(const expr<A>& e) {
  graph g(A);
  return is_increasing(detail::load(g, e));
}

}  // namespace twill
