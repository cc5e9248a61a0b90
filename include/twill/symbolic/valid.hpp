// What a condition says about an index: simplification of a value that only matters where a gate holds.
#pragma once

#include "twill/ir/replace.hpp"
#include "twill/symbolic/symbolic.hpp"

namespace twill {

namespace detail {
// The conjuncts of a gate.
constexpr vector<uop> clauses(uop valid) {
  vector<uop> out, stack{valid};
  while (!stack.empty()) {
    const uop u = stack.back();
    stack.pop_back();
    if (u.is(op::AND) && is_bool(u.type())) {
      stack.push_back(u.source(1));
      stack.push_back(u.source(0));
    } else {
      out.push_back(u);
    }
  }
  return out;
}
// A clause as a bound of a value: x < c, c < x and their negations.
struct bounded {
  uop value;
  i64 lo = 0;
  i64 hi = 0;
};
constexpr bool as_bound(uop clause, bounded& out) {
  bool negated = false;
  if (clause.is(op::CMPNE) && clause.source(1).is_constant(1) && is_bool(clause.source(0).type())) {
    negated = true;
    clause = clause.source(0);
  }
  if (!clause.is(op::CMPLT) || !is_integer(clause.source(0).type()) || clause.source(0).type().kind == scalar_kind::uint64) return false;
  const uop a = clause.source(0), b = clause.source(1);
  if (a.is_constant() == b.is_constant()) return false;
  const bool upper = b.is_constant();  // x < c
  const i64 c = upper ? b.argument(0) : a.argument(0);
  out.value = upper ? a : b;
  out.lo = out.value.lo();
  out.hi = out.value.hi();
  i64 limit = c;
  if (upper != negated) {  // x < c, or not c < x: x <= c
    if (upper && !subtract_checked(c, 1, limit)) return false;
    if (limit < out.hi) out.hi = limit;
  } else {  // c < x, or not x < c: x >= c
    if (!upper && !add_checked(c, 1, limit)) return false;
    if (limit > out.lo) out.lo = limit;
  }
  return true;
}
}  // namespace detail

// u under the assumption that valid holds. Law: equal to u wherever valid is true.
constexpr uop given_valid(uop valid, uop u) {
  graph& g = *u.owner;
  u = simplify(u);
  vector<detail::bounded> known;
  for (const uop& clause : detail::clauses(simplify(valid))) {
    detail::bounded b;
    if (!detail::as_bound(clause, b) || b.value.is_constant()) continue;
    bool found = false;
    for (detail::bounded& k : known)
      if (k.value == b.value) {
        if (b.lo > k.lo) k.lo = b.lo;
        if (b.hi < k.hi) k.hi = b.hi;
        found = true;
      }
    if (!found) known.push_back(b);
  }
  for (size_t i = 0; i < known.size(); ++i) {
    const detail::bounded& k = known[i];
    if (k.lo > k.hi) return u;  // valid never holds: the caller sees that valid is false
    if (k.lo == k.value.lo() && k.hi == k.value.hi()) continue;
    // A variable with the narrower range stands in for the value; a name of this kind can't be anyone's identifier.
    text name("?");
    name << i;
    const uop stand_in = k.lo == k.hi ? g.constant(k.value.type(), k.lo) : g.var(name.view(), k.lo, k.hi, k.value.type());
    const replacement there{k.value, stand_in}, back{stand_in, k.value};
    uop narrowed = simplify(substitute(u, {&there, 1}));
    if (!stand_in.is_constant()) narrowed = simplify(substitute(narrowed, {&back, 1}));
    u = narrowed;
  }
  return u;
}

// A gate without clauses that the others imply. Law: equal to valid everywhere.
constexpr uop simplify_valid(uop valid) {
  valid = simplify(valid);
  vector<uop> clauses = detail::clauses(valid);
  if (clauses.size() < 2) return valid;
  vector<uop> kept;
  for (size_t i = 0; i < clauses.size(); ++i) {
    // Given the clauses kept and those still to come.
    uop others;
    for (const uop& k : kept) others = others.owner == nullptr ? k : others & k;
    for (size_t j = i + 1; j < clauses.size(); ++j) others = others.owner == nullptr ? clauses[j] : others & clauses[j];
    const uop now = others.owner == nullptr ? clauses[i] : given_valid(others, clauses[i]);
    if (!now.is_constant(1)) kept.push_back(clauses[i]);
  }
  uop out;
  for (const uop& k : kept) out = out.owner == nullptr ? k : out & k;
  return out.owner == nullptr ? valid.owner->constant(bool_, 1) : simplify(out);
}

}  // namespace twill
