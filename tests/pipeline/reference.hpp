// Evaluates a recording node by node, as NumPy would: every value whole, in row-major order, no views and no fusion. It
// shares nothing with the schedule, the lowering and the executors but the meaning of one scalar operation (exec_alu).
//
// Every float carries the interval that an implementation may answer from: one point where SEMANTICS leaves no choice,
// wider after elementary functions (4 ulp), sums (2 * sqrt(n) * eps of the sum of magnitudes), float16 and bfloat16 values
// that are rounded only where they are stored, and whatever is computed from such values. Integers and bools are exact, or
// unknown where they hang on a float within its interval.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "twill/ir/arithmetic.hpp"
#include "twill/lower/program.hpp"
#include "twill/tensor/tracer.hpp"

namespace pipeline {

using namespace twill;

struct cell {
  i64 word = 0;            // the nominal value
  double lo = 0, hi = 0;   // of a float
  bool unknown = false;    // anything goes
  bool exact() const { return !unknown && word_of(lo) == word_of(hi); }
  bool nan() const { return !unknown && lo != lo; }
};

struct tensor_value {
  shape dims;
  dtype type;
  std::vector<cell> cells;
};

inline cell number(scalar_kind kind, i64 word) {
  cell c;
  c.word = word;
  if (is_float(kind)) c.lo = c.hi = double_of(word);
  return c;
}
inline cell anything(i64 word) {
  cell c;
  c.word = word;
  c.unknown = true;
  return c;
}

// The n-th neighbour of v among float32 or float64 values; upwards for positive n.
inline double neighbour(scalar_kind kind, double v, int n) {
  const double limit = n < 0 ? -HUGE_VAL : HUGE_VAL;
  for (int i = n < 0 ? -n : n; i > 0; --i)
    v = kind == scalar_kind::float64 ? std::nextafter(v, limit) : static_cast<double>(std::nextafter(static_cast<float>(v), static_cast<float>(limit)));
  return v;
}
inline double greatest(scalar_kind kind) {
  return kind == scalar_kind::float64 ? std::numeric_limits<double>::max() : static_cast<double>(std::numeric_limits<float>::max());
}

struct freedom {
  bool contracted = false;  // a product may be rounded together with a following sum, as flags of the user allow
  bool sequential = false;  // sums may be computed by one accumulator, whose error grows with n where all roundings go one way
};

class reference {
 public:
  explicit reference(const recorder& r, freedom allowed = {}) : r_(r), allowed_(allowed), values_(r.nodes.size()), done_(r.nodes.size(), 0) {}

  void set_input(i64 slot, std::vector<i64> words) {
    if (inputs_.size() <= static_cast<size_t>(slot)) inputs_.resize(static_cast<size_t>(slot) + 1);
    inputs_[static_cast<size_t>(slot)] = std::move(words);
  }
  const tensor_value& operator()(u32 node) {
    for (const u32 id : toposort(r_.nodes, {&node, 1})) {
      if (done_[id] != 0) continue;
      values_[id] = evaluate(id);
      done_[id] = 1;
    }
    return values_[node];
  }

 private:
  using index = std::vector<i64>;
  static i64 size_of(const shape& s, size_t axis) { return s[axis].bits; }
  // Calls f(index, position) for every element in row-major order.
  template <class F>
  static void each(const shape& s, const F& f) {
    index at(s.rank(), 0);
    const i64 n = s.elements();
    for (i64 i = 0; i < n; ++i) {
      f(at, static_cast<size_t>(i));
      for (size_t a = s.rank(); a-- > 0;) {
        if (++at[a] < size_of(s, a)) break;
        at[a] = 0;
      }
    }
  }
  static size_t position(const shape& s, const index& at) {
    i64 p = 0;
    for (size_t a = 0; a < s.rank(); ++a) p = p * size_of(s, a) + at[a];
    return static_cast<size_t>(p);
  }

  tensor_value evaluate(u32 id) {
    const node& n = r_.nodes.at(id);
    const span<const i64> a = r_.nodes.arguments(id);
    tensor_value out{r_.shapes[id], n.type, {}};
    out.cells.resize(static_cast<size_t>(out.dims.elements()));
    const auto source = [&](size_t k) -> const tensor_value& { return values_[r_.nodes.sources(id)[k]]; };
    switch (n.code) {
      case op::BUFFER:
        for (size_t i = 0; i < out.cells.size(); ++i) out.cells[i] = number(n.type.kind, inputs_[static_cast<size_t>(a[0])][i]);
        break;
      case op::CONST: out.cells[0] = number(n.type.kind, a[0]); break;
      case op::IOTA:
        for (size_t i = 0; i < out.cells.size(); ++i) {
          const i64 word = static_cast<i64>(i);
          out.cells[i] = number(n.type.kind, exec_alu(op::CAST, n.type, int64, {&word, 1}));
        }
        break;
      case op::CONTIGUOUS:
        out.cells = source(0).cells;
        for (cell& c : out.cells) c = stored(n.type.kind, c);
        break;
      case op::RESHAPE: out.cells = source(0).cells; break;
      case op::EXPAND:
        each(out.dims, [&](index at, size_t i) {
          for (size_t x = 0; x < at.size(); ++x)
            if (size_of(source(0).dims, x) == 1) at[x] = 0;
          out.cells[i] = source(0).cells[position(source(0).dims, at)];
        });
        break;
      case op::PERMUTE:
        each(out.dims, [&](const index& at, size_t i) {
          index from(at.size(), 0);
          for (size_t x = 0; x < at.size(); ++x) from[static_cast<size_t>(a[x])] = at[x];
          out.cells[i] = source(0).cells[position(source(0).dims, from)];
        });
        break;
      case op::PAD:
        each(out.dims, [&](index at, size_t i) {
          bool inside = true;
          for (size_t x = 0; x < at.size(); ++x) {
            at[x] -= a[2 * x];
            inside = inside && at[x] >= 0 && at[x] < size_of(source(0).dims, x);
          }
          out.cells[i] = inside ? source(0).cells[position(source(0).dims, at)] : number(n.type.kind, is_float(n.type) ? word_of(0.0) : 0);
        });
        break;
      case op::SHRINK:
        each(out.dims, [&](index at, size_t i) {
          for (size_t x = 0; x < at.size(); ++x) at[x] += a[2 * x];
          out.cells[i] = source(0).cells[position(source(0).dims, at)];
        });
        break;
      case op::FLIP:
        each(out.dims, [&](index at, size_t i) {
          for (size_t x = 0; x < at.size(); ++x)
            if (a[x] != 0) at[x] = size_of(out.dims, x) - 1 - at[x];
          out.cells[i] = source(0).cells[position(source(0).dims, at)];
        });
        break;
      case op::REDUCE_AXIS: reduce(static_cast<op>(a[0]), a.subspan(1, a.size() - 1), source(0), out); break;
      default: {
        const size_t count = r_.nodes.sources(id).size();
        for (size_t i = 0; i < out.cells.size(); ++i) {
          cell c[3];
          for (size_t k = 0; k < count; ++k) c[k] = source(k).dims.rank() == 0 ? source(k).cells[0] : source(k).cells[i];
          out.cells[i] = alu(n.code, n.type.kind, source(0).type.kind, c, count);
        }
      }
    }
    return out;
  }

  // A value of the kind after memory: float16 and bfloat16 are rounded.
  static cell stored(scalar_kind kind, cell c) {
    if (!is_float(kind) || c.unknown) return c;
    c.word = word_of(round_to(kind, double_of(c.word)));
    c.lo = round_to(kind, c.lo);
    c.hi = round_to(kind, c.hi);
    return c;
  }

  cell alu(op code, scalar_kind kind, scalar_kind from, const cell* c, size_t count) const {
    const scalar_kind computed = code == op::CAST ? kind : register_kind(kind);
    i64 words[3]{};
    bool unknown = false, exact = true;
    for (size_t k = 0; k < count; ++k) {
      words[k] = c[k].word;
      unknown = unknown || c[k].unknown;
      exact = exact && c[k].exact();
    }
    const i64 nominal = exec_alu(code, dtype{computed}, dtype{code == op::CAST ? from : register_kind(from)}, {words, count});
    if (code == op::WHERE) return c[0].unknown ? hull(c[1], c[2], nominal) : c[0].word != 0 ? c[1] : c[2];
    if (kind == scalar_kind::bool_ && !is_float(from)) {  // what one operand decides
      for (size_t k = 0; k < count; ++k)
        if (!c[k].unknown && ((code == op::OR && c[k].word != 0) || (code == op::AND && c[k].word == 0))) return number(kind, nominal);
    }
    if (unknown) return anything(nominal);
    if (code == op::CMPLT || code == op::CMPNE) {
      if (exact || c[0].nan() || c[1].nan()) return number(kind, nominal);
      if (c[0].hi < c[1].lo) return number(kind, 1);
      if (code == op::CMPLT ? c[0].lo >= c[1].hi : c[1].hi < c[0].lo) return number(kind, code == op::CMPNE);
      return anything(nominal);
    }
    if (code == op::CAST && !is_float(kind)) {
      if (exact || !is_float(from)) return number(kind, nominal);
      if (is_bool(kind)) return c[0].lo > 0 || c[0].hi < 0 || (c[0].lo == 0 && c[0].hi == 0) ? number(kind, c[0].lo != 0) : anything(nominal);
      return saturating_cast(kind, c[0].lo) == saturating_cast(kind, c[0].hi) ? number(kind, nominal) : anything(nominal);
    }
    if (!is_float(kind)) return number(kind, nominal);
    cell out = number(kind, nominal);
    if (code == op::CAST) {
      if (!is_float(from)) return out;
      out.lo = round_to(kind, c[0].lo);
      out.hi = round_to(kind, c[0].hi);
      return out;
    }
    if (!exact && !corners(code, computed, c, count, out)) return anything(nominal);
    widen(code, computed, out);
    if (computed != kind && out.lo == out.lo) {
      // In registers it has float32's precision; where the schedule stores it, its own.
      const double lo = round_to(kind, out.lo), hi = round_to(kind, out.hi);
      if (lo < out.lo) out.lo = lo;
      if (hi > out.hi) out.hi = hi;
    }
    return out;
  }

  // The values that the operation takes over its operands' intervals. False: it may be anything.
  static bool corners(op code, scalar_kind kind, const cell* c, size_t count, cell& out) {
    for (size_t k = 0; k < count; ++k)
      if (c[k].nan()) {
        out.lo = out.hi = double_of(out.word);
        return out.lo != out.lo;
      }
    const auto infinite = [](const cell& x) { return x.lo == -HUGE_VAL || x.hi == HUGE_VAL; };
    const auto has_zero = [](const cell& x) { return x.lo <= 0 && x.hi >= 0; };
    if (code == op::MUL && ((has_zero(c[0]) && infinite(c[1])) || (has_zero(c[1]) && infinite(c[0])))) return false;
    if (code == op::RECIP && !c[0].exact() && has_zero(c[0])) return false;
    if (code == op::FDIV && ((!c[1].exact() && has_zero(c[1])) || (has_zero(c[0]) && has_zero(c[1])) || (infinite(c[0]) && infinite(c[1])))) return false;
    if (code == op::SIN) {
      if (infinite(c[0])) return false;
      const double mid = double_of(out.word), reach = c[0].hi - c[0].lo;
      out.lo = mid - reach > -1 ? mid - reach : -1;
      out.hi = mid + reach < 1 ? mid + reach : 1;
      out.lo = neighbour(kind, round_to(kind, out.lo), -1);
      out.hi = neighbour(kind, round_to(kind, out.hi), 1);
      return true;
    }
    out.lo = HUGE_VAL, out.hi = -HUGE_VAL;
    for (unsigned corner = 0; corner < 1u << count; ++corner) {
      i64 words[3]{};
      for (size_t k = 0; k < count; ++k) words[k] = word_of((corner >> k & 1) != 0 ? c[k].hi : c[k].lo);
      const double v = double_of(exec_alu(code, dtype{kind}, dtype{kind}, {words, count}));
      if (v != v) return false;
      if (v < out.lo || (v == out.lo && std::signbit(v))) out.lo = v;
      if (v > out.hi || (v == out.hi && !std::signbit(v))) out.hi = v;
    }
    return true;
  }

  void widen(op code, scalar_kind kind, cell& out) const {
    if (out.lo != out.lo) return;
    const bool exact = out.exact(), special = exact && (out.lo == 0 || std::isinf(out.lo));
    switch (code) {
      case op::EXP: case op::EXP2: case op::LOG: case op::LOG2: case op::SIN: case op::TANH:
        if (special) return;
        out.lo = neighbour(kind, out.lo, -4);
        out.hi = neighbour(kind, out.hi, 4);
        return;
      case op::MUL:
        // A multiply-add may round once, or not overflow where the product does.
        if (exact && std::isinf(out.lo)) {
          if (out.lo > 0) out.lo = greatest(kind);
          else out.hi = -greatest(kind);
        } else if (allowed_.contracted && !special) {
          out.lo = neighbour(kind, out.lo, -1);
          out.hi = neighbour(kind, out.hi, 1);
        }
        return;
      case op::MAX: case op::MIN:  // the sign of a zero is not said
        if (out.lo == 0) out.lo = -0.0;
        if (out.hi == 0) out.hi = 0.0;
        return;
      default: return;
    }
  }

  static cell hull(const cell& a, const cell& b, i64 nominal) {
    cell out = a;
    out.word = nominal;
    if (a.exact() && b.exact() && a.word == b.word) return out;
    if (a.unknown || b.unknown || a.nan() || b.nan() || (a.lo == 0 && a.hi == 0 && b.lo == 0 && b.hi == 0 && a.word != b.word && !a.exact())) return anything(nominal);
    out.lo = b.lo < a.lo ? b.lo : a.lo;
    out.hi = b.hi > a.hi ? b.hi : a.hi;
    out.unknown = out.lo == out.hi;  // integers that differ
    return out;
  }

  void reduce(op code, span<const i64> axes, const tensor_value& from, tensor_value& out) const {
    std::vector<std::vector<cell>> groups(out.cells.size());
    each(from.dims, [&](index at, size_t i) {
      for (const i64 axis : axes) at[static_cast<size_t>(axis)] = 0;
      groups[position(out.dims, at)].push_back(from.cells[i]);
    });
    const scalar_kind kind = out.type.kind;
    for (size_t g = 0; g < groups.size(); ++g) {
      if (is_float(kind) && code == op::ADD) out.cells[g] = sum(kind, groups[g]);
      else if (is_float(kind) && code == op::MUL) out.cells[g] = product(kind, groups[g]);
      else {
        cell total = groups[g][0];
        for (size_t i = 1; i < groups[g].size(); ++i) {
          const cell both[]{total, groups[g][i]};
          total = alu(code, kind, kind, both, 2);
        }
        out.cells[g] = total;
      }
    }
  }
  cell sum(scalar_kind kind, const std::vector<cell>& items) const {
    long double nominal = 0, lo = 0, hi = 0, magnitude = 0;
    bool nan = false, up = false, down = false, wide = false;
    for (const cell& c : items) {
      if (c.unknown) return anything(0);
      nan = nan || c.nan();
      if (c.exact() && std::isinf(c.lo)) {
        (c.lo > 0 ? up : down) = true;
        continue;
      }
      wide = wide || std::isinf(c.lo) || std::isinf(c.hi);
      nominal += static_cast<long double>(double_of(c.word));
      lo += static_cast<long double>(c.lo);
      hi += static_cast<long double>(c.hi);
      magnitude += static_cast<long double>(std::fmax(std::fabs(c.lo), std::fabs(c.hi)));
    }
    if (nan || (up && down)) return number(kind, word_of(scalar::quiet_nan));
    const bool overflows = wide || magnitude > static_cast<long double>(greatest(kind)) * 0.999L;
    if (overflows) return anything(0);
    if (up || down) return number(kind, word_of(up ? HUGE_VAL : -HUGE_VAL));
    const long double n = static_cast<long double>(items.size()), eps = kind == scalar_kind::float64 ? 0x1p-52L : 0x1p-23L;
    const long double steps = allowed_.sequential ? std::fmax(2 * std::sqrt(n), n / 2) : 2 * std::sqrt(n);
    const long double tolerance = steps * eps * magnitude + (kind == scalar_kind::float64 ? 0x1p-1074L : 0x1p-149L) * n;
    cell out;
    out.word = word_of(round_to(kind, static_cast<double>(nominal)));
    out.lo = neighbour(scalar_kind::float64, static_cast<double>(lo - tolerance), -1);
    out.hi = neighbour(scalar_kind::float64, static_cast<double>(hi + tolerance), 1);
    return out;
  }
  static cell product(scalar_kind kind, const std::vector<cell>& items) {
    long double nominal = 1, lo = 1, hi = 1, most = 1, least = 1;
    bool zero = false, infinite = false;
    for (const cell& c : items)
      if (c.nan()) return number(kind, word_of(scalar::quiet_nan));
    for (const cell& c : items) {
      if (c.unknown) return anything(0);
      infinite = infinite || std::isinf(c.lo) || std::isinf(c.hi);
      const long double a = static_cast<long double>(c.lo), b = static_cast<long double>(c.hi);
      zero = zero || (a <= 0 && b >= 0);
      nominal *= static_cast<long double>(double_of(c.word));
      const long double corner[]{lo * a, lo * b, hi * a, hi * b};
      lo = hi = corner[0];
      for (const long double v : corner) {
        if (v < lo) lo = v;
        if (v > hi) hi = v;
      }
      const long double m = std::fmax(std::fabs(a), std::fabs(b)), s = std::fmin(std::fabs(a), std::fabs(b));
      if (m > 1) most *= m;
      if (s < 1 && s > 0) least *= s;
    }
    if (infinite || most > static_cast<long double>(greatest(kind)) / 2) return anything(0);
    const long double eps = kind == scalar_kind::float64 ? 0x1p-52L : 0x1p-23L;
    const long double floor = kind == scalar_kind::float64 ? 0x1p-1020L : 0x1p-124L;
    if (least < floor && !zero) return anything(0);
    const long double off = static_cast<long double>(items.size()) * eps;
    cell out;
    out.word = word_of(round_to(kind, static_cast<double>(nominal)));
    out.lo = neighbour(scalar_kind::float64, static_cast<double>(lo - std::fabs(lo) * off), -1);
    out.hi = neighbour(scalar_kind::float64, static_cast<double>(hi + std::fabs(hi) * off), 1);
    if (zero && least < floor) {
      out.lo = std::fmin(out.lo, -static_cast<double>(floor));
      out.hi = std::fmax(out.hi, static_cast<double>(floor));
    }
    return out;
  }

  const recorder& r_;
  freedom allowed_;
  std::vector<tensor_value> values_;
  std::vector<char> done_;
  std::vector<std::vector<i64>> inputs_;
};

// May an implementation store `word` where the reference has c? zero_signs: a zero that is exact has its sign.
inline bool allows(const cell& c, scalar_kind kind, i64 word, bool zero_signs = true) {
  if (c.unknown) return true;
  if (!is_float(kind)) return word == c.word;
  const double got = double_of(word), lo = round_to(kind, c.lo), hi = round_to(kind, c.hi);
  if (lo != lo) return got != got;
  if (!(got >= lo && got <= hi)) return false;
  return !zero_signs || got != 0 || !c.exact() || std::signbit(got) == std::signbit(lo);
}

}  // namespace pipeline
