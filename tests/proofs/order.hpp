// The order that rules decrease, on terms (graphs unfolded into trees). A term is measured by, in this order:
//   1. its weight: 2 for a constant, 3 for any other leaf, for an op by weight_of from the weights of its sources,
//   2. its leaves that are not constants,
//   3. its nodes,
//   4. its comparisons with a constant on the left,
//   5. the sum of its constants' magnitudes,
//   6. the operands of its associative ops that stand out of order or in a chain on the right, innermost chains first.
// Each is a natural number (6. one for each height), so nothing decreases for ever. Weights grow strictly with the weight of
// each operand and the counts are sums over the term, so what decreases at the root of a rule decreases in every context.
#pragma once

#include <cstring>
#include <map>
#include <vector>

#include "twill/match/rewrite.hpp"

namespace proofs {

using namespace twill;

// The weight of a node from those of its sources, of numbers or of polynomials, for weights of at least 2. positive: is it a
// division by a positive constant? picks: the lanes that a GEP picks. Sums, products, maxima and minima weigh the same however
// they are nested; a common factor weighs the same inside and outside of a sum.
template <class N>
N weight_of(op code, const std::vector<N>& w, bool positive, int picks) {
  const auto n = [](int v) { return N(v); };
  if (w.size() == 2) {
    const N &a = w[0], &b = w[1];
    switch (code) {
      case op::ADD: return a + b;
      case op::MUL: return a * b;
      case op::IDIV: return a * n(3) + b;
      case op::MOD: return positive ? a + b + n(1) : a + b + n(2);
      case op::FLOORDIV: return a * n(positive ? 4 : 20) + b;
      case op::FLOORMOD: return positive ? a + b + n(3) : a * n(20) + b;
      case op::MAX: case op::MIN: case op::CMPNE: return a + b + n(1);
      case op::AND: case op::OR: return a + b - n(1);
      case op::XOR: case op::CMPLT: case op::FDIV: return a * n(2) + b * n(2);
      case op::POW: return a * a * a * n(4) + b * n(8);
      default: return a + b + n(2);
    }
  }
  if (code == op::WHERE) return w[0] * n(3) + w[1] + w[2] + n(5);
  if (code == op::GEP) return w[0] * n(picks) + n(1);
  N sum = n(1);
  for (const N& one : w) sum = sum + one;
  return sum;
}

struct measure {
  unsigned __int128 weight = 0, leaves = 0, nodes = 1;
  int left_constants = 0;
  std::vector<int> disorder;  // by height
  unsigned __int128 constants = 0;
  bool too_large = false;
};

inline bool associates(op code) {
  switch (code) {
    case op::ADD: case op::MUL: case op::AND: case op::OR: case op::MAX: case op::MIN: return true;
    default: return false;
  }
}
inline measure measured(uop root) {
  graph& g = *root.owner;
  const std::vector<u32> order = [&] {
    std::vector<u32> out;
    for (const u32 id : toposort(root)) out.push_back(id);
    return out;
  }();
  std::map<u32, measure> of;
  std::map<u32, size_t> height;
  const unsigned __int128 most = static_cast<unsigned __int128>(1) << 110;
  for (const u32 id : order) {
    measure m;
    const node& n = g.at(id);
    std::vector<unsigned __int128> weights;
    size_t h = 0;
    const auto sources = g.sources(id);
    for (const u32 s : sources) {
      const measure& below = of[s];
      m.leaves += below.leaves;
      m.nodes += below.nodes;
      m.left_constants += below.left_constants;
      m.constants += below.constants;
      m.too_large = m.too_large || below.too_large || below.weight > (static_cast<unsigned __int128>(1) << 36);
      if (m.disorder.size() < below.disorder.size()) m.disorder.resize(below.disorder.size());
      for (size_t i = 0; i < below.disorder.size(); ++i) m.disorder[i] += below.disorder[i];
      weights.push_back(below.weight);
      h = std::max(h, height[s] + 1);
    }
    height[id] = h;
    if (n.code == op::CONST) {
      m.weight = 2;
      if (!is_float(n.type)) {
        const i64 v = g.arguments(id)[0];
        m.constants = v < 0 && n.type.kind != scalar_kind::uint64 ? u64{0} - static_cast<u64>(v) : static_cast<u64>(v);
      }
    } else if (n.code == op::VCONST) {
      m.weight = 2;
    } else if (sources.empty()) {
      m.weight = 3;
      m.leaves = 1;
    } else {
      const bool positive = sources.size() == 2 && g.at(sources[1]).code == op::CONST && !(is_signed(n.type) && g.at(sources[1]).bounds.lo < 0);
      m.weight = m.too_large ? most : weight_of(n.code, weights, positive, static_cast<int>(n.argument_count));
    }
    if (n.code == op::CMPLT && g.at(sources[0]).code == op::CONST) ++m.left_constants;
    if (sources.size() == 2 && associates(n.code)) {
      // Of the chain that ends here: operands out of order, and chains nested to the right.
      std::vector<u32> leaves, stack{id};
      int wrong = 0;
      while (!stack.empty()) {
        const u32 at = stack.back();
        stack.pop_back();
        if (g.at(at).code != n.code) {
          leaves.push_back(at);
          continue;
        }
        if (g.at(g.sources(at)[1]).code == n.code) wrong += 1;
        stack.push_back(g.sources(at)[1]);
        stack.push_back(g.sources(at)[0]);
      }
      for (size_t i = 0; i < leaves.size(); ++i)
        for (size_t k = i + 1; k < leaves.size(); ++k)
          if (twill::detail::out_of_order(g, leaves[i], leaves[k])) ++wrong;
      if (m.disorder.size() <= h) m.disorder.resize(h + 1);
      m.disorder[h] += wrong;
    }
    of[id] = m;
  }
  return of[root.id];
}
// Negative, zero, positive: a is less, the same, greater.
inline int compare(const measure& a, const measure& b) {
  const auto by = [](auto x, auto y) { return x < y ? -1 : x > y ? 1 : 0; };
  if (int c = by(a.weight, b.weight)) return c;
  if (int c = by(a.leaves, b.leaves)) return c;
  if (int c = by(a.nodes, b.nodes)) return c;
  if (int c = by(a.left_constants, b.left_constants)) return c;
  if (int c = by(a.constants, b.constants)) return c;
  for (size_t i = 0; i < a.disorder.size() || i < b.disorder.size(); ++i) {
    const int x = i < a.disorder.size() ? a.disorder[i] : 0, y = i < b.disorder.size() ? b.disorder[i] : 0;
    if (int c = by(x, y)) return c;
  }
  return 0;
}

// Rules that do not always decrease it, and why they end all the same.
struct order_exception {
  const char* rule;
  const char* reason;
};
inline constexpr order_exception order_exceptions[] = {
    {"sum / c", "factors and constants inside become smaller than c or lose what they share with it, and no rule makes them larger; what leaves the division or remainder may weigh more"},
    {"sum floordiv c", "factors and constants inside lose multiples of c, and no rule gives them back; what leaves the division may weigh more"},
    {"(x + k) floormod c", "k becomes its own rest, which lies in [0, c), and then the rule does not fire; it may have been nearer to 0"},
    {"(x * c) floordiv d", "x's factor and d lose what they have in common, and no rule gives it back"},
    {"(x * c) floormod d", "x's factor and d lose what they have in common, and no rule gives it back; it leaves the remainder as a factor"},
    {"normal form of a sum", "x - x % c becomes (x / c) * c: a quotient weighs more than a remainder, but the sum has a term and an x less, and no rule takes a quotient apart"},
    {"max(x, x + y)", "equal only where x is 0, and then x + y is no normal form: sources are rewritten first"},
    {"min(x, x + y)", "equal only where x is 0, and then x + y is no normal form: sources are rewritten first"},
};
inline const char* order_exception_of(const char* rule) {
  for (const order_exception& e : order_exceptions)
    if (std::strcmp(e.rule, rule) == 0) return e.reason;
  return nullptr;
}

}  // namespace proofs
