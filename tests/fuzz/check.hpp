// What must hold of an expression and of what simplifying makes of it. One pass evaluates every node that was made on the
// way at many assignments at once, so every step of every rule is checked and so are all bounds.
#pragma once

#include "fuzz/choices.hpp"
#include "twill/ir/print.hpp"
#include "twill/symbolic/symbolic.hpp"
#include "twill/symbolic/valid.hpp"

namespace fuzz {

using twill::dtype;
using twill::graph;
using twill::op;
using twill::scalar_kind;
using twill::size_t;
using twill::span;
using twill::text;
using twill::uop;
using twill::vector;

// What is fuzzed: a way to simplify, and the rules behind it.
struct subject {
  uop (*simplify)(uop, const twill::rewrite_options&);
  twill::rule_view rules;
  bool with_valid;  // given_valid and simplify_valid too
};
inline subject all_rules() {
  return {[](uop u, const twill::rewrite_options& options) { return twill::simplify(u, options); }, twill::symbolic.view(), true};
}

enum class fault { none, value, step, bounds, alignment, dtype, not_idempotent, endless, valid, gate };
inline const char* name(fault f) {
  constexpr const char* names[] = {"none", "value", "step", "bounds", "alignment", "dtype", "not idempotent", "endless", "given_valid", "simplify_valid"};
  return names[static_cast<int>(f)];
}
struct verdict {
  fault what = fault::none;
  text why;
  vector<i64> at;  // a word for each variable, in the order of their ids
  constexpr bool ok() const { return what == fault::none; }
};

// Values of the variables, `count` words for each. With vectors every assignment takes as many words as they have lanes; a
// scalar repeats its one.
struct assignments {
  vector<uop> variables;
  vector<i64> words;
  size_t count = 0, lanes = 1;
  i64 word(size_t variable, size_t k) const { return words[variable * count + k]; }
};

// A value of the variable's range, mostly at its ends, at 0 and near the constants that the expression mentions.
inline i64 sample(uop v, choices& r, span<const i64> constants) {
  const scalar_kind k = v.type().kind;
  if (twill::is_float(k)) {
    static constexpr double values[] = {0.0, -0.0, 1.0, -1.0, 2.0, 0.5, -3.0, 1e-8, 0x1p-149, 0x1p-1074, -0x1p-24, 65504.0, 3.4e38, -1e308, 7.25};
    const u32 choice = r.below(24);
    if (choice < 15) return twill::word_of(twill::round_to(k, values[choice]));
    if (choice == 15) return twill::word_of(twill::scalar::infinity);
    if (choice == 16) return twill::word_of(-twill::scalar::infinity);
    if (choice == 17) return twill::word_of(twill::scalar::quiet_nan);
    if (choice < 21) return twill::word_of(static_cast<double>(static_cast<int>(r.below(64)) - 32));
    return twill::word_of_raw_bits(k, r.word());
  }
  const i64 lo = v.lo(), hi = v.hi();
  const u64 width = static_cast<u64>(hi) - static_cast<u64>(lo);
  i64 value = 0;
  switch (r.below(9)) {
    case 0: return lo;
    case 1: return hi;
    case 2: value = static_cast<i64>(r.below(5)) - 2; break;
    case 3: return static_cast<i64>(static_cast<u64>(lo) + (width < 3 ? r.below(static_cast<u32>(width) + 1) : r.below(4)));
    case 4: return static_cast<i64>(static_cast<u64>(hi) - (width < 3 ? r.below(static_cast<u32>(width) + 1) : r.below(4)));
    case 5:
      if (!constants.empty()) {
        value = static_cast<i64>(static_cast<u64>(constants[r.below(static_cast<u32>(constants.size()))]) + r.below(3) - 1);
        break;
      }
      [[fallthrough]];
    case 6: value = static_cast<i64>(static_cast<u64>(lo) + (r.word() >> r.below(64)) % (width + (width != ~u64{0}))); break;
    default: value = static_cast<i64>(static_cast<u64>(lo) + r.word() % (width + (width != ~u64{0}))); break;
  }
  value = twill::wrap(k, value);
  if (static_cast<u64>(value) - static_cast<u64>(lo) > width) value = static_cast<i64>(static_cast<u64>(lo) + r.word() % (width + (width != ~u64{0})));
  return value;
}

inline vector<uop> variables_of(uop root) {
  vector<uop> out;
  for (const u32 id : twill::toposort(root))
    if (root.owner->at(id).code == op::DEFINE_VAR) out.push_back({root.owner, id});
  return out;
}
// All assignments where there are at most four times as many as asked for, else `wanted` sampled ones.
inline assignments sample_all(uop root, choices& r, size_t wanted) {
  assignments out;
  vector<i64> constants;
  u64 total = 1;
  for (const u32 id : twill::toposort(root)) {
    const uop u{root.owner, id};
    if (u.is(op::CONST) && !twill::is_float(u.type())) constants.push_back(u.argument(0));
    if (!u.is(op::DEFINE_VAR)) continue;
    out.variables.push_back(u);
    const u64 width = twill::is_float(u.type()) ? u64{1} << 16 : static_cast<u64>(u.hi()) - static_cast<u64>(u.lo());
    total = width >= 4096 || total > 4096 ? u64{1} << 32 : total * (width + 1);
  }
  for (const u32 id : twill::toposort(root)) {
    const size_t lanes = root.owner->at(id).type.lanes;
    out.lanes = lanes > out.lanes ? lanes : out.lanes;
  }
  const bool all = out.lanes == 1 && total <= 4 * wanted;
  out.count = all ? static_cast<size_t>(total) : wanted - wanted % out.lanes;
  u64 period = 1;
  for (const uop& v : out.variables) {
    const u64 values = static_cast<u64>(v.hi()) - static_cast<u64>(v.lo()) + 1;
    for (size_t k = 0; k < out.count; ++k) {
      const bool repeats = v.type().lanes < out.lanes && k % out.lanes != 0;
      out.words.push_back(all       ? static_cast<i64>(static_cast<u64>(v.lo()) + k / period % values)
                          : repeats ? out.words.back()
                                    : sample(v, r, constants));
    }
    period *= values;
  }
  return out;
}

// The values of some nodes and all below them.
class values {
 public:
  values(graph& g, span<const u8> wanted_flags, const assignments& at) : graph_(g), count_(at.count), lanes_(at.lanes), wanted_(wanted_flags), void_(at.count, u8{0}) {
    for (u32 id = static_cast<u32>(wanted_.size()); id-- > 0;)
      if (wanted_[id])
        for (const u32 s : g.sources(id)) wanted_[s] = 1;
    words_.resize(wanted_.size() * count_);
    size_t variable = 0;
    for (u32 id = 0; id < wanted_.size(); ++id) {
      if (!wanted_[id]) continue;
      const twill::node& n = g.at(id);
      i64* out = words_.data() + id * count_;
      if (n.code == op::CONST) {
        for (size_t k = 0; k < count_; ++k) out[k] = g.arguments(id)[0];
      } else if (n.code == op::DEFINE_VAR) {
        variable = 0;
        while (variable < at.variables.size() && at.variables[variable].id != id) ++variable;
        for (size_t k = 0; k < count_; ++k) out[k] = variable < at.variables.size() ? at.word(variable, k) : n.bounds.lo;
      } else if (n.code == op::VCONST) {
        for (size_t k = 0; k < count_; ++k) out[k] = g.arguments(id)[k % lanes_];
      } else if (n.code == op::VECTORIZE) {
        for (size_t k = 0; k < count_; ++k) out[k] = words_[g.sources(id)[n.source_count == 1 ? 0 : k % lanes_] * count_ + k];
      } else if (n.code == op::GEP) {
        for (size_t k = 0; k < count_; ++k) {
          const i64 lane = g.arguments(id)[n.argument_count == 1 ? 0 : k % lanes_];
          out[k] = words_[g.sources(id)[0] * count_ + k - k % lanes_ + static_cast<size_t>(lane)];
        }
      } else {
        compute(n, g.sources(id), out);
      }
    }
  }
  i64 operator()(u32 id, size_t k) const { return words_[id * count_ + k]; }
  bool has(u32 id) const { return wanted_[id] != 0; }
  // The sign of a zero that is the maximum or minimum of zeros of both signs is unspecified: nothing is known here.
  bool is_void(size_t k) const { return void_[k] != 0; }

 private:
  void compute(const twill::node& n, span<const u32> sources, i64* out) {
    const i64* from[3]{};
    for (size_t i = 0; i < sources.size() && i < 3; ++i) from[i] = words_.data() + sources[i] * count_;
    const dtype source_type = graph_.at(sources[0]).type;
    const bool zeros = (n.code == op::MAX || n.code == op::MIN) && twill::is_float(n.type);
    for (size_t k = 0; k < count_; ++k) {
      i64 words[3]{};
      for (size_t i = 0; i < sources.size() && i < 3; ++i) words[i] = from[i][k];
      out[k] = twill::exec_alu(n.code, n.type, source_type, {words, sources.size()});
      if (zeros && words[0] != words[1] && (words[0] | words[1]) << 1 == 0)
        for (size_t lane = 0; lane < lanes_; ++lane) void_[k - k % lanes_ + lane] = 1;
    }
  }
  graph& graph_;
  size_t count_, lanes_;
  vector<u8> wanted_, void_;
  vector<i64> words_;
};

// The kinds of values that an ALU op works on.
constexpr u16 kinds_of(op code) {
  using namespace twill::kinds;
  switch (code) {
    case op::IDIV: case op::MOD: case op::FLOORDIV: case op::FLOORMOD: case op::AND: case op::OR: case op::XOR: return integer | boolean;
    case op::SHL: case op::SHR: return integer;
    case op::SUB: case op::NEG: case op::MULACC: case op::POW: return integer | floating;
    case op::FDIV: case op::RECIP: case op::SQRT: case op::EXP: case op::EXP2: case op::LOG: case op::LOG2: case op::SIN: case op::TANH: return floating;
    case op::THREEFRY: return bit(scalar_kind::uint64);
    default: return all & ~bit(scalar_kind::void_);
  }
}
// Operands of the dtypes that the op takes.
inline bool well_typed(const graph& g, u32 id) {
  const twill::node& n = g.at(id);
  const span<const u32> s = g.sources(id);
  const auto type = [&](size_t i) { return g.at(s[i]).type; };
  switch (n.code) {
    case op::CONST: case op::DEFINE_VAR: return s.empty();
    case op::VCONST: return s.empty() && n.argument_count == n.type.lanes;
    case op::VECTORIZE:
      for (size_t i = 0; i < s.size(); ++i)
        if (!(type(i) == n.type.scalar()) && !(s.size() == 1 && type(i) == n.type)) return false;
      return s.size() == n.type.lanes || s.size() == 1;
    case op::GEP:
      for (const i64 lane : g.arguments(id))
        if (lane < 0 || lane >= type(0).lanes) return false;
      return s.size() == 1 && n.argument_count == n.type.lanes && type(0).kind == n.type.kind;
    case op::CMPLT: case op::CMPNE: return s.size() == 2 && type(0) == type(1) && n.type == twill::bool_.with_lanes(type(0).lanes);
    case op::WHERE: return s.size() == 3 && type(0) == twill::bool_.with_lanes(n.type.lanes) && type(1) == n.type && type(2) == n.type;
    case op::SHL: case op::SHR: return s.size() == 2 && twill::is_integer(n.type) && type(0) == n.type && twill::is_integer(type(1)) && type(1).lanes == n.type.lanes;
    case op::CAST: return s.size() == 1 && type(0).lanes == n.type.lanes;
    case op::BITCAST: return s.size() == 1 && twill::byte_size(type(0)) == twill::byte_size(n.type);
    default: break;
  }
  if (!twill::is_alu(n.code) || static_cast<int>(s.size()) != twill::traits(n.code).arity) return false;
  if ((kinds_of(n.code) >> static_cast<unsigned>(n.type.kind) & 1) == 0) return false;
  for (size_t i = 0; i < s.size(); ++i)
    if (!(type(i) == n.type)) return false;
  return true;
}

namespace detail {
inline bool aligned(const twill::node& n, i64 word) {
  const twill::alignment a = n.steps;
  if (a.modulus == 0) return word == n.bounds.lo;
  const i64 m = static_cast<i64>(a.modulus);
  return (n.type.kind == scalar_kind::uint64 ? static_cast<u64>(word) % a.modulus : static_cast<u64>((word % m + m) % m)) == a.remainder;
}
inline vector<i64> words_at(const assignments& at, size_t k) {
  vector<i64> out;
  for (size_t v = 0; v < at.variables.size(); ++v) out.push_back(at.word(v, k));
  return out;
}
inline text between(uop before, uop after) { return text(twill::render(before, 600)) << "  ->  " << twill::render(after, 600); }

// Bounds, alignment and dtype of every node that has values.
inline void check_nodes(graph& g, const values& v, const assignments& at, verdict& out) {
  for (u32 id = 0; id < g.size() && out.ok(); ++id) {
    if (!v.has(id)) continue;
    const twill::node& n = g.at(id);
    if (!well_typed(g, id)) {
      out.what = fault::dtype;
      out.why = text(twill::name(n.code)) << ' ' << twill::to_text(n.type) << ": " << twill::render({&g, id}, 600);
      return;
    }
    const bool number = twill::is_float(n.type);
    if (number && !twill::has_float_bounds(n.bounds)) continue;
    for (size_t k = 0; k < at.count; ++k) {
      const i64 word = v(id, k);
      const bool inside = number ? twill::double_of(word) >= twill::double_of(n.bounds.lo) && twill::double_of(word) <= twill::double_of(n.bounds.hi)
                                 : !twill::integer_less(n.type.kind, word, n.bounds.lo) && !twill::integer_less(n.type.kind, n.bounds.hi, word);
      if ((inside && (number || aligned(n, word))) || v.is_void(k)) continue;
      out.what = inside ? fault::alignment : fault::bounds;
      out.why = twill::render({&g, id}, 600) << " is " << word;
      if (inside) out.why << ", not " << n.steps.remainder << " modulo " << n.steps.modulus;
      else out.why << ", outside [" << n.bounds.lo << ", " << n.bounds.hi << ']';
      out.at = words_at(at, k);
      return;
    }
  }
}
inline bool same(const values& v, const assignments& at, u32 a, u32 b, size_t& where) {
  for (size_t k = 0; k < at.count; ++k)
    if (v(a, k) != v(b, k) && !v.is_void(k)) {
      where = k;
      return false;
    }
  return true;
}

inline void check_valid(uop root, const assignments& at, verdict& out) {
  graph& g = *root.owner;
  const uop gate = root.source(0), u = root.source(1);
  const uop given = twill::given_valid(gate, u), less = twill::simplify_valid(gate);
  vector<u8> wanted(g.size(), u8{0});
  for (const uop& n : {root, given, less}) wanted[n.id] = 1;
  const values v(g, wanted, at);
  check_nodes(g, v, at, out);
  if (!out.ok()) return;
  for (size_t k = 0; k < at.count; ++k) {
    if (v.is_void(k)) continue;
    if (v(gate.id, k) == v(less.id, k) && (v(gate.id, k) == 0 || v(u.id, k) == v(given.id, k))) continue;
    const bool gates = v(gate.id, k) != v(less.id, k);
    out.what = gates ? fault::gate : fault::valid;
    out.why = gates ? between(gate, less) : between(u, given) << "  where  " << twill::render(gate, 600);
    out.at = words_at(at, k);
    return;
  }
}
}  // namespace detail

// Checks one expression of one graph. A root where(gate, index, …) is checked as an index under a gate as well.
inline verdict check(uop root, const subject& s, const assignments& at, twill::match_stats* stats = nullptr) {
  graph& g = *root.owner;
  verdict out;
  twill::rewrite_trace trace;
  twill::rewrite_options options;
  options.trace = &trace;
  options.stats = stats;
  try {
    const u32 first_new = static_cast<u32>(g.size());
    const uop simplified = s.simplify(root, options);
    vector<u8> wanted(g.size(), u8{1});
    for (u32 id = 0; id < first_new; ++id) wanted[id] = 0;
    wanted[root.id] = wanted[simplified.id] = 1;
    for (const twill::rewrite_step& step : trace) wanted[step.before] = wanted[step.after] = 1;
    const values v(g, wanted, at);
    size_t where = 0;
    for (const twill::rewrite_step& step : trace) {
      if (detail::same(v, at, step.before, step.after, where)) continue;
      out.what = fault::step;
      out.why = text("rule \"") << step.rule << "\": " << detail::between({&g, step.before}, {&g, step.after});
      out.at = detail::words_at(at, where);
      return out;
    }
    if (!detail::same(v, at, root.id, simplified.id, where)) {
      out.what = fault::value;
      out.why = detail::between(root, simplified);
      out.at = detail::words_at(at, where);
      return out;
    }
    detail::check_nodes(g, v, at, out);
    if (!out.ok()) return out;
    if (!(simplified.type() == root.type())) {
      out.what = fault::dtype;
      out.why = detail::between(root, simplified);
      return out;
    }
    const size_t steps = trace.size();
    // Without a step only operands have changed places.
    if (steps == 0 && (simplified.code() != root.code() || twill::toposort(simplified).size() > twill::toposort(root).size())) {
      out.what = fault::value;
      out.why = text("changed by no rule: ") << detail::between(root, simplified);
      return out;
    }
    options.stats = nullptr;
    const uop again = s.simplify(simplified, options);
    if (!(again == simplified) || trace.size() != steps) {
      out.what = fault::not_idempotent;
      out.why = detail::between(simplified, again);
      if (trace.size() != steps) out.why << "  by rule \"" << trace[steps].rule << '"';
      return out;
    }
    if (s.with_valid && root.is(op::WHERE) && twill::is_integer(root.type())) detail::check_valid(root, at, out);
  } catch (const twill::error& e) {
    out.what = fault::endless;
    out.why = text(e.what());
  }
  return out;
}

// For printed cases: 0 where all holds at these values and at sampled ones, else 1 and what does not.
inline int replay(uop root, std::initializer_list<i64> words, const subject& s = all_rules()) {
  choices r(1);
  assignments at = sample_all(root, r, 256);
  if (words.size() == at.variables.size())
    for (size_t v = 0; v < words.size(); ++v) at.words[v * at.count] = words.begin()[v];
  const verdict out = check(root, s, at);
  if (!out.ok()) __builtin_printf("%s: %s\n", name(out.what), out.why.c_str());
  return out.ok() ? 0 : 1;
}

}  // namespace fuzz
