// What a condition says about an index: simplification of a value that only matters where a gate holds.
#pragma once

#include "twill/ir/replace.hpp"
#include "twill/symbolic/symbolic.hpp"

namespace twill {

namespace detail {

// So many clauses of a gate are looked at, and so many facts kept, so that the work is bounded by the size of the graph.
inline constexpr size_t clause_limit = 32, fact_limit = 64;

constexpr bool is_negation(uop u) { return u.is(op::CMPNE) && u.source(1).is_constant(1) && is_bool(u.source(0).type()); }
constexpr uop negation(uop u) { return is_negation(u) ? u.source(0) : !u; }

// The conjuncts of a gate; a negated alternative is two of them. False: there are more than clause_limit, and some are missing.
constexpr bool clauses(uop valid, vector<uop>& out) {
  vector<uop> stack{valid};
  while (!stack.empty()) {
    if (out.size() > clause_limit) return false;
    const uop u = stack.back();
    stack.pop_back();
    if (u.is(op::AND) && is_bool(u.type())) {
      stack.push_back(u.source(1));
      stack.push_back(u.source(0));
    } else if (is_negation(u) && u.source(0).is(op::OR)) {
      stack.push_back(negation(u.source(0).source(1)));
      stack.push_back(negation(u.source(0).source(0)));
    } else {
      out.push_back(u);
    }
  }
  return true;
}
constexpr uop conjunction(graph& g, span<const uop> clauses) {
  uop out;
  for (const uop& c : clauses) out = out.owner == nullptr ? c : out & c;
  return out.owner == nullptr ? g.constant(bool_, 1) : out;
}

// What clauses say together: lo <= value <= hi for some nodes. Bounds of integers are those of int64: uint64 is left out.
struct fact {
  uop value;
  i64 lo = 0;
  i64 hi = 0;
};
struct fact_list {
  vector<fact> facts;
  bool possible = true;  // false: the clauses contradict each other

  constexpr interval range(uop value) const {
    for (const fact& f : facts)
      if (f.value == value) return {f.lo, f.hi};
    return bounds(value);
  }
  constexpr void narrow(uop value, i64 lo, i64 hi) {
    fact* known = nullptr;
    for (fact& f : facts)
      if (f.value == value) known = &f;
    if (known == nullptr) {
      if (lo <= value.lo() && hi >= value.hi()) return;
      if (value.is_constant()) {
        if (lo > value.lo() || hi < value.lo()) possible = false;
        return;
      }
      if (facts.size() == fact_limit) return;
      facts.push_back({value, value.lo(), value.hi()});
      known = &facts.back();
    }
    if (lo > known->lo) known->lo = lo;
    if (hi < known->hi) known->hi = hi;
    if (known->lo > known->hi) possible = false;
  }

  // sum <= 0: each base is bounded by the least that the others can be.
  constexpr void narrow_terms(const term_list& sum) {
    i64 least[term_list::limit]{}, total = sum.constant;
    for (u8 i = 0; i < sum.count; ++i) {
      const interval r = range({sum.owner, sum.bases[i]});
      i64 p = 0, q = 0;
      if (!mul_checked(r.lo, sum.factors[i], p) || !mul_checked(r.hi, sum.factors[i], q)) return;
      least[i] = p < q ? p : q;
      if (!add_checked(total, least[i], total)) return;
    }
    if (total > 0) possible = false;
    for (u8 i = 0; i < sum.count; ++i) {
      const i64 factor = sum.factors[i];
      i64 most = 0;  // of factor * base
      if (factor == 0 || factor == min_value(scalar_kind::int64) || !subtract_checked(least[i], total, most)) continue;
      const uop base{sum.owner, sum.bases[i]};
      const interval r = range(base);
      if (factor > 0) narrow(base, r.lo, floor_quotient(most, factor));
      else if (most != min_value(scalar_kind::int64)) narrow(base, -floor_quotient(most, -factor), r.hi);
    }
  }
  // a - b + offset <= 0. With what a constant says of a sum as a whole.
  constexpr void at_most(uop a, uop b, i64 offset) {
    i64 limit = 0;
    if (b.is_constant() && subtract_checked(b.argument(0), offset, limit)) narrow(a, a.lo(), limit);
    if (a.is_constant() && add_checked(a.argument(0), offset, limit)) narrow(b, limit, b.hi());
    term_list sum(*a.owner, a.type());
    if (!sum.collect(a.id, 1, true) || !sum.collect(b.id, -1, true) || !add_checked(sum.constant, offset, sum.constant)) return;
    narrow_terms(sum);
  }
  constexpr void learn(uop clause) {
    if (clause.is_constant()) {
      possible = possible && !clause.is_constant(0);
      return;
    }
    const bool negated = is_negation(clause);
    if (negated) clause = clause.source(0);
    narrow(clause, negated ? 0 : 1, negated ? 0 : 1);
    if (!is_comparison(clause.code()) || !is_integer(clause.source(0).type()) || clause.source(0).type().kind == scalar_kind::uint64) return;
    const uop a = clause.source(0), b = clause.source(1);
    if (clause.is(op::CMPLT)) {
      if (negated) at_most(b, a, 0);
      else at_most(a, b, 1);
    } else if (negated) {  // equal
      at_most(a, b, 0);
      at_most(b, a, 0);
    } else if (b.is_constant()) {  // other than one end of the range
      const interval r = range(a);
      const i64 c = b.argument(0);
      if (r.lo == r.hi) possible = possible && r.lo != c;
      else if (c == r.lo) narrow(a, c + 1, r.hi);
      else if (c == r.hi) narrow(a, r.lo, c - 1);
    }
  }
  constexpr void learn_all(uop valid) {
    vector<uop> all;
    clauses(valid, all);
    for (size_t i = 0; i < all.size() && i < clause_limit; ++i) learn(all[i]);
  }
};

constexpr size_t node_count(uop u) { return toposort(u).size(); }

// u where the facts hold: nodes are replaced by variables of narrower ranges, what that gives is simplified, and the nodes
// are put back.
struct narrowing {
  graph& g;
  vector<replacement> there{}, back{};

  constexpr uop stand_in(const fact& f) {
    if (f.lo == f.hi) return g.constant(f.value.type(), f.lo);
    text name("?");  // no identifier: nobody's variable has it
    name << there.size();
    const uop out = g.var(name.view(), f.lo, f.hi, f.value.type());
    back.push_back({out, f.value});
    return out;
  }
  constexpr uop restored(uop u) const {
    // Stand-ins of sums may stand for values of other stand-ins.
    for (size_t i = back.size(); i-- > 0;) u = substitute(u, {&back[i], 1});
    return simplify(u);
  }
  constexpr uop operator()(const fact_list& known, uop u) {
    // What nothing is computed from, and truths, at once; then values, the small ones first.
    const auto is_leaf = [](const fact& f) { return in_group(f.value.code(), op_group::irreducible) || is_bool(f.value.type()); };
    for (const fact& f : known.facts)
      if (is_leaf(f)) there.push_back({f.value, stand_in(f)});
    uop now = substitute(u, there);
    if (!(now == u)) now = simplify(now);
    vector<const fact*> others;
    for (const fact& f : known.facts)
      if (!is_leaf(f)) {
        size_t at = others.size();
        others.push_back(&f);
        for (; at > 0 && f.value.id < others[at - 1]->value.id; --at) others[at] = others[at - 1];
        others[at] = &f;
      }
    for (const fact* f : others) {
      const uop value = simplify(substitute(f->value, there));
      if (value.is_constant()) continue;
      fact narrower{value, f->lo > value.lo() ? f->lo : value.lo(), f->hi < value.hi() ? f->hi : value.hi()};
      if (narrower.lo > narrower.hi || (narrower.lo == value.lo() && narrower.hi == value.hi())) continue;
      const replacement one{value, stand_in(narrower)};
      there.push_back(one);
      now = simplify(substitute(now, {&one, 1}));
    }
    const uop out = restored(now);
    return out == u || node_count(out) > node_count(u) ? u : out;
  }
};
constexpr uop narrowed(const fact_list& known, uop u) {
  if (!known.possible || known.facts.empty()) return u;
  narrowing n{*u.owner};
  return n(known, u);
}

}  // namespace detail

// u under the assumption that valid holds. Law: equal to u wherever valid is true. Where it never is, u itself.
constexpr uop given_valid(uop valid, uop u) {
  if (valid.type().lanes != 1) return simplify(u);
  detail::fact_list known;
  const uop simple_valid = simplify(valid);
  for (int round = 0; round < 2; ++round) {  // a clause may bound what an earlier one needs
    known.learn_all(simple_valid);
    if (!(valid == simple_valid)) known.learn_all(valid);  // simplified, a clause may speak of another value: x / 16 % 5 < 1 of x % 80
  }
  const uop simple = simplify(u), out = detail::narrowed(known, simple);
  if (simple == u) return out;
  // Simplifying can take apart a value that a clause speaks of: (x % 8) / 4.
  const uop from_given = detail::narrowed(known, u);
  return !(from_given == u) && detail::node_count(from_given) < detail::node_count(out) ? from_given : out;
}

// A gate without clauses that the others imply, its clauses simplified where the others hold. Law: equal to valid everywhere.
constexpr uop simplify_valid(uop valid) {
  graph& g = *valid.owner;
  valid = simplify(valid);
  vector<uop> kept;
  if (!detail::clauses(valid, kept) || kept.size() < 2 || kept.size() > detail::clause_limit || valid.type().lanes != 1) return valid;
  bool changed = true;
  for (int round = 0; changed && round < 3; ++round) {
    changed = false;
    for (size_t i = kept.size(); i-- > 0;) {
      detail::fact_list others;
      for (int twice = 0; twice < 2; ++twice)
        for (size_t j = 0; j < kept.size(); ++j)
          if (j != i) others.learn(kept[j]);
      if (!others.possible) return g.constant(bool_, 0);
      const uop now = detail::narrowed(others, kept[i]);
      if (now == kept[i]) continue;
      if (now.is_constant(0)) return now;
      changed = true;
      vector<uop> next;
      for (size_t j = 0; j < kept.size(); ++j)
        if (j != i) next.push_back(kept[j]);
        else if (!now.is_constant(1)) {
          vector<uop> parts;
          if (detail::clauses(now, parts)) next.append(parts);
          else next.push_back(now);
        }
      kept = next;
    }
  }
  return simplify(detail::conjunction(g, kept));
}
// Can it be shown that valid never holds? (A load under it is a constant.)
constexpr bool never_holds(uop valid) { return simplify_valid(valid).is_constant(0); }

}  // namespace twill
