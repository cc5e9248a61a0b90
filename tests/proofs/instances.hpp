// Every rule, declarative or procedural, applied by the engine to instances of its own left side, small and many: each
// application must keep the value for every value of the variables, and decrease the order.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "proofs/order.hpp"
#include "proofs/side.hpp"
#include "twill/ir/evaluate.hpp"
#include "twill/match/list.hpp"

namespace proofs {

struct random_source {
  u64 state;
  u64 next() {
    state += 0x9e3779b97f4a7c15u;
    u64 z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  size_t below(size_t n) { return static_cast<size_t>(next() % n); }
  bool one_in(size_t n) { return below(n) == 0; }
};

// The values of two nodes of a graph, lane by lane, for any values of the variables below them.
class evaluator {
 public:
  static constexpr size_t lanes = 4;
  using value = std::array<i64, lanes>;
  evaluator(graph& g, uop a, uop b) : g_(g), values_(std::max(a.id, b.id) + 1) {
    const u32 roots[2] = {a.id, b.id};
    for (const u32 id : toposort(g, {roots, 2})) {
      order_.push_back(id);
      if (g.at(id).code == op::DEFINE_VAR) variables.push_back(id);
    }
  }
  std::vector<u32> variables;
  void set(u32 variable, i64 word) { values_[variable].fill(word); }
  const value& operator[](uop u) const { return values_[u.id]; }
  void run() {
    for (const u32 id : order_) {
      const node& n = g_.at(id);
      value& out = values_[id];
      const auto sources = g_.sources(id);
      const auto arguments = g_.arguments(id);
      switch (n.code) {
        case op::DEFINE_VAR: break;
        case op::CONST: out.fill(arguments[0]); break;
        case op::VCONST:
          for (size_t i = 0; i < arguments.size() && i < lanes; ++i) out[i] = arguments[i];
          break;
        case op::VECTORIZE:
          for (size_t i = 0; i < sources.size() && i < lanes; ++i) out[i] = values_[sources[i]][0];
          break;
        case op::GEP: {
          const value from = values_[sources[0]];
          for (size_t i = 0; i < arguments.size() && i < lanes; ++i) out[i] = from[static_cast<size_t>(arguments[i])];
          break;
        }
        default: {
          i64 words[3]{};
          for (size_t lane = 0; lane < n.type.lanes && lane < lanes; ++lane) {
            for (size_t i = 0; i < sources.size() && i < 3; ++i) words[i] = values_[sources[i]][lane];
            out[lane] = exec_alu(n.code, n.type, g_.at(sources[0]).type, {words, sources.size()});
          }
        }
      }
    }
  }

 private:
  graph& g_;
  std::vector<value> values_;
  std::vector<u32> order_;
};

// What became of a rule's instances.
struct findings {
  std::string rule;
  u64 instances = 0, applications = 0, points = 0;
  u64 not_decreased = 0, ordered = 0;
  std::string wrong;           // a case where the value changed
  std::string does_not_decrease;  // a case where the order did not
};

class instance_check {
 public:
  instance_check(const rule_view& set, const rule& r, u64 seed) : left_(left_of(set, r)), types_(left_), random_{seed} {
    out_.rule = r.name;
    alone_.rules[0] = r;
    alone_.rules[0].first = 0;
    const size_t size = static_cast<size_t>(r.left + r.right + r.guard);
    for (size_t i = 0; i < size; ++i) alone_.pool[i] = set.tokens[r.first + i];
    alone_.used = static_cast<u16>(size);
    alone_.enter(0);
    alone_.dispatch.finish();
    for (int i = 0; i < left_.size(); ++i) {
      const token& t = left_.tokens[i];
      if (t.what == part::constant && (t.name == 0 || t.binds)) ++constants_;
    }
  }

  // Is the order asked for where operands don't stand in canonical order, too? The engine never applies rules there.
  bool judge_unsorted = false;

  // Constants in all combinations of small numbers, names as variables of small ranges; then names as random expressions.
  findings run(u64 random_instances, u64 most_points) {
    most_points_ = most_points;
    std::vector<i64> numbers = small_numbers();
    if (constants_ > 0 && constants_ <= 3) {
      std::vector<size_t> at(static_cast<size_t>(constants_), 0);
      while (true) {
        chosen_.clear();
        for (const size_t a : at) chosen_.push_back(numbers[a]);
        plain_ = true;
        for (int k = 0; k < 2; ++k) one();
        size_t i = 0;
        while (i < at.size() && ++at[i] == numbers.size()) at[i++] = 0;
        if (i == at.size()) break;
      }
    }
    for (u64 i = 0; i < random_instances; ++i) {
      chosen_.clear();
      for (int c = 0; c < constants_; ++c) chosen_.push_back(some_number());
      plain_ = i % 3 == 0;
      one();
    }
    return out_;
  }

  // A node that the left side may match, in a graph of the caller's; void when there is none.
  uop instance(graph& g) {
    g_ = &g;
    next_constant_ = 0;
    chosen_.clear();
    for (int c = 0; c < constants_; ++c) chosen_.push_back(static_cast<i64>(random_.below(17)) - 4);
    for (u32& n : names_) n = ~u32{0};
    kinds_.assign(types_.kinds_of.size(), scalar_kind::bool_);
    for (size_t c = 0; c < kinds_.size(); ++c) kinds_[c] = some_kind(types_.kinds_of[c]);
    pool_.clear();
    plain_ = !random_.one_in(3);
    return build(0);
  }

 private:
  std::vector<i64> small_numbers() const {
    std::vector<i64> out;
    const int reach = constants_ == 1 ? 20 : constants_ == 2 ? 8 : 5;
    for (int i = -reach; i <= reach; ++i) out.push_back(i);
    for (const i64 more : {12, 16, 127, -128})
      if (constants_ < 3 || more < 100) out.push_back(more);
    if (constants_ == 1)
      for (const i64 more : {64, 100, 255, 32767, -32768, 2147483647}) out.push_back(more);
    return out;
  }
  i64 some_number() {
    switch (random_.below(8)) {
      case 0: return static_cast<i64>(random_.below(256)) - 128;
      case 1: return i64{1} << random_.below(31);
      case 2: return random_.one_in(3) ? static_cast<i64>(random_.next()) : static_cast<i64>(random_.below(70000)) - 35000;
      default: return static_cast<i64>(random_.below(17)) - 6;
    }
  }

  // One instance of the left side.
  void one() {
    graph g;
    g_ = &g;
    next_constant_ = 0;
    for (u32& n : names_) n = ~u32{0};
    kinds_.assign(types_.kinds_of.size(), scalar_kind::bool_);
    for (size_t c = 0; c < kinds_.size(); ++c) kinds_[c] = some_kind(types_.kinds_of[c]);
    pool_.clear();
    const uop root = build(0);
    if (root.owner == nullptr) return;
    ++out_.instances;
    rewrite_trace steps;
    rewrite_options options;
    options.trace = &steps;
    options.limit = 12;
    options.canonical = !random_.one_in(4);
    try {
      rewriter r(g, alone_.view(), options);
      r(root.id);
    } catch (const rewrite_error&) {
      // Endless: what it did is judged all the same.
    }
    for (size_t i = 0; i < steps.size() && i < 4; ++i) judge({&g, steps[i].before}, {&g, steps[i].after}, options.canonical);
  }
  scalar_kind some_kind(u16 allowed) {
    if ((allowed & kinds::integer) != 0 && !random_.one_in(3)) {
      for (const scalar_kind k : {scalar_kind::int32, scalar_kind::int8})
        if ((allowed & kinds::bit(k)) != 0 && random_.one_in(2)) return k;
    }
    std::vector<scalar_kind> all;
    for (int k = 1; k < 14; ++k)
      if ((allowed >> k & 1) != 0) all.push_back(static_cast<scalar_kind>(k));
    return all.empty() ? scalar_kind::void_ : all[random_.below(all.size())];
  }

  uop variable(scalar_kind k) {
    std::vector<uop>& known = pool_[k];
    if (known.size() >= 3 || (!known.empty() && random_.one_in(3))) return known[random_.below(known.size())];
    text name("v");
    name << static_cast<u64>(known.size()) << '_' << twill::name(k);
    i64 lo = 0, hi = 0;
    if (is_bool(k)) hi = 1;
    else if (is_integer(k)) {
      const i64 ranges[][2] = {{-4, 3}, {0, 6}, {-7, -1}, {0, 1}, {2, 5}, {-1, 1}, {1, 9}, {-12, 11}, {0, 15}};
      const size_t pick = random_.below(14);
      const i64 least = min_value(k), most = max_value(k);
      if (pick < 9) lo = ranges[pick][0], hi = ranges[pick][1];
      else if (pick == 9) lo = most - 3, hi = most;
      else if (pick == 10 && is_signed(k)) lo = least, hi = least + 4;
      else lo = least, hi = most;
      if (!is_signed(k) && lo < 0 && !(k == scalar_kind::uint64 && pick >= 9)) lo = 0, hi = hi < 0 ? 5 : hi;
    }
    known.push_back(g_->var(name.view(), lo, hi, dtype{k}));
    return known.back();
  }
  uop constant(scalar_kind k, i64 v) { return is_float(k) && random_.one_in(2) ? g_->constant(dtype{k}, static_cast<double>(v) / 2) : g_->constant(dtype{k}, v); }
  uop make(op code, scalar_kind k, std::initializer_list<uop> s) { return g_->make(code, dtype{is_comparison(code) ? scalar_kind::bool_ : k}, s); }
  // Whatever expression.
  uop expression(scalar_kind k, int depth) {
    const size_t pick = random_.below(16);
    if (depth == 0 || pick < 3) return pick == 0 && !random_.one_in(3) ? constant(k, some_number()) : variable(k);
    const auto below = [&] { return expression(k, depth - 1); };
    if (is_bool(k)) {
      const scalar_kind of = random_.one_in(5) ? scalar_kind::float32 : random_.one_in(4) ? scalar_kind::uint8 : scalar_kind::int32;
      switch (pick) {
        case 3: case 4: case 5: return make(op::CMPLT, of, {expression(of, depth - 1), constant(of, some_number())});
        case 6: case 7: return make(op::CMPLT, of, {constant(of, some_number()), expression(of, depth - 1)});
        case 8: return make(op::CMPNE, of, {expression(of, depth - 1), constant(of, some_number())});
        case 9: return make(op::CMPLT, of, {expression(of, depth - 1), expression(of, depth - 1)});
        case 10: return make(op::OR, k, {below(), below()});
        case 11: return make(op::CMPNE, k, {below(), g_->constant(bool_, 1)});
        case 12: return make(op::WHERE, k, {below(), below(), below()});
        default: return make(op::AND, k, {below(), below()});
      }
    }
    if (is_float(k)) return make(pick < 8 ? op::ADD : pick < 13 ? op::MUL : op::MAX, k, {below(), below()});
    const auto number = [&] { return constant(k, some_number()); };
    switch (pick) {
      case 3: case 4: case 5: return make(op::ADD, k, {below(), below()});
      case 6: return make(op::ADD, k, {below(), number()});
      case 7: case 8: return make(op::MUL, k, {below(), number()});
      case 9: return make(op::IDIV, k, {below(), number()});
      case 10: return make(op::MOD, k, {below(), number()});
      case 11: return make(random_.one_in(2) ? op::MAX : op::MIN, k, {below(), random_.one_in(2) ? number() : below()});
      case 12: return make(op::WHERE, k, {expression(scalar_kind::bool_, depth - 1), below(), below()});
      case 13: return make(random_.one_in(2) ? op::FLOORDIV : op::FLOORMOD, k, {below(), number()});
      case 14: return make(random_.one_in(2) ? op::AND : op::OR, k, {below(), number()});
      default: return make(op::MUL, k, {below(), below()});
    }
  }
  // A node of any op; an operand by `source`.
  template <class F>
  uop any_operation(scalar_kind k, F source) {
    if (is_bool(k)) {
      const scalar_kind of = some_kind(kinds::all & ~3u);
      if (random_.one_in(2)) return make(random_.one_in(2) ? op::CMPLT : op::CMPNE, of, {source(of), source(of)});
      const op codes[] = {op::AND, op::OR, op::ADD, op::MUL, op::CMPNE, op::XOR};
      return make(codes[random_.below(6)], k, {source(k), source(k)});
    }
    if (random_.one_in(6)) {
      const scalar_kind of = some_kind(kinds::all & ~1u);
      return g_->make(op::CAST, dtype{k}, {source(of)});
    }
    if (random_.one_in(7)) return make(op::WHERE, k, {source(scalar_kind::bool_), source(k), source(k)});
    if (is_float(k)) {
      const op codes[] = {op::ADD, op::MUL, op::MAX, op::FDIV, op::MIN, op::SUB};
      if (random_.one_in(6)) return make(random_.one_in(2) ? op::NEG : op::RECIP, k, {source(k)});
      return make(codes[random_.below(6)], k, {source(k), source(k)});
    }
    const op codes[] = {op::ADD, op::MUL, op::MAX, op::MIN, op::IDIV, op::MOD, op::FLOORDIV, op::FLOORMOD, op::AND, op::OR, op::XOR, op::SHL, op::SHR, op::SUB, op::POW};
    return make(codes[random_.below(15)], k, {source(k), source(k)});
  }
  uop vector_of(scalar_kind k) {
    if (random_.one_in(3)) {
      std::vector<i64> words;
      for (size_t i = 0; i < evaluator::lanes; ++i) words.push_back(constant(k, some_number()).argument(0));
      return g_->make(op::VCONST, dtype{k}.with_lanes(evaluator::lanes), {}, {words.data(), words.size()});
    }
    if (random_.one_in(4)) {
      const i64 word = constant(k, some_number()).argument(0);
      return g_->make(op::CONST, dtype{k}.with_lanes(evaluator::lanes), {}, {&word, 1});
    }
    std::vector<uop> parts;
    for (size_t i = 0; i < evaluator::lanes; ++i) parts.push_back(expression(k, 1));
    return g_->make(op::VECTORIZE, dtype{k}.with_lanes(evaluator::lanes), {parts.data(), parts.size()});
  }
  uop lanes_of(uop from, size_t count, bool in_order) {
    std::vector<i64> picked;
    for (size_t i = 0; i < count; ++i) picked.push_back(static_cast<i64>(in_order ? i : random_.below(from.type().lanes)));
    return g_->make(op::GEP, from.type().with_lanes(static_cast<u16>(count)), {from}, {picked.data(), picked.size()});
  }

  uop build(int i) {
    const token& t = left_.tokens[i];
    if (t.name != 0 && !t.binds && names_[t.name] != ~u32{0}) return {g_, names_[t.name]};
    const scalar_kind k = kinds_[static_cast<size_t>(types_.of_token[static_cast<size_t>(i)])];
    uop out;
    switch (t.what) {
      case part::any: out = plain_ && !random_.one_in(6) ? variable(k) : expression(k, random_.one_in(3) ? 3 : 2); break;
      case part::constant: out = constant(k, next_constant_ < chosen_.size() ? chosen_[next_constant_++] : some_number()); break;
      case part::literal:
        out = is_float(k) ? g_->constant(dtype{k}, t.value == 0 && random_.one_in(2) ? -0.0 : static_cast<double>(t.value)) : g_->constant(dtype{k}, static_cast<i64>(t.value));
        break;
      case part::real: case part::exact_real: out = g_->constant(dtype{k}, static_cast<double>(__builtin_bit_cast(float, t.value))); break;
      case part::alternatives: out = build(left_.operands(i)[random_.below(t.count)]); break;
      case part::any_alu: {
        const bool constants = t.count == 1 && left_.tokens[left_.operands(i)[0]].what == part::constant;
        if (t.count == 1 && !constants) {  // lanes
          const scalar_kind of = some_kind(kinds::integer);
          const op codes[] = {op::ADD, op::MUL, op::MAX, op::IDIV, op::CMPLT};
          const op code = codes[random_.below(5)];
          uop a = vector_of(of), b = vector_of(of);
          out = g_->make(code, dtype{is_comparison(code) ? scalar_kind::bool_ : of}.with_lanes(evaluator::lanes), {a, b});
          break;
        }
        for (int tries = 0; tries < 40; ++tries) {
          if (constants) out = any_operation(k, [&](scalar_kind of) { return constant(of, some_number()); });
          else out = any_operation(k, [&](scalar_kind of) { return expression(of, 1); });
          if (!t.one_value || (out.lo() == out.hi() && !is_float(k))) break;
        }
        break;
      }
      case part::operation: case part::operation_set: {
        const op code = code_of(t, static_cast<int>(random_.below(static_cast<size_t>(choices_of(left_, i)))));
        if (code == op::GEP) {
          uop from = vector_of(k);
          if (random_.one_in(3)) from = lanes_of(from, 2 + random_.below(3), false);
          out = lanes_of(from, random_.one_in(2) ? 1 : from.type().lanes, random_.one_in(3));
          break;
        }
        if (code == op::VECTORIZE) {
          std::vector<uop> parts;
          const uop from = vector_of(k);
          const size_t pick = random_.below(3);
          for (size_t n = 0; n < evaluator::lanes; ++n)
            parts.push_back(pick == 0 ? constant(k, some_number()) : pick == 1 ? lanes_of(from, 1, false) : expression(k, 1));
          if (random_.one_in(4)) parts.resize(1);
          out = g_->make(code, dtype{k}.with_lanes(static_cast<u16>(parts.size())), {parts.data(), parts.size()});
          break;
        }
        std::vector<uop> sources;
        if (t.sources == order::unchecked) {
          scalar_kind of = k;
          if (is_comparison(code)) of = some_kind(kinds::all & ~1u);
          // Some rules look for operands with a sign in front.
          const bool negated = is_integer(of) && random_.one_in(4);
          for (int n = 0; n < traits(code).arity; ++n) {
            if (negated) sources.push_back(make(op::MUL, of, {variable(of), constant(of, -1)}));
            else sources.push_back(expression(code == op::WHERE && n == 0 ? scalar_kind::bool_ : of, 2));
          }
        } else {
          for (const int o : left_.operands(i)) sources.push_back(build(o));
        }
        for (const uop& s : sources)
          if (s.owner == nullptr) return {};
        if (t.sources == order::permutation && sources.size() == 2 && random_.one_in(2)) std::swap(sources[0], sources[1]);
        out = g_->make(code, dtype{is_comparison(code) ? scalar_kind::bool_ : k}, {sources.data(), sources.size()});
        break;
      }
      default: return {};
    }
    if (t.name != 0) names_[t.name] = out.id;
    return out;
  }

  // The values that a variable takes: all of them, or the edges and some others.
  std::vector<i64> values_of(u32 variable, bool all) {
    const node& n = g_->at(variable);
    const scalar_kind k = n.type.kind;
    std::vector<i64> out;
    if (is_float(k)) {
      if (all && byte_size(k) == 2) {
        for (u32 bits = 0; bits < 65536; ++bits) out.push_back(word_of_raw_bits(k, bits));
        return out;
      }
      for (const double v : {0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 3.0, 1e-4, 60000.0, 1e30, 1e-40, 1e300, __builtin_huge_val(), -__builtin_huge_val(), __builtin_nan("")})
        out.push_back(word_of(round_to(k, v)));
      for (int i = 0; i < 3; ++i) out.push_back(word_of_raw_bits(k, random_.next()));
      return out;
    }
    const i64 lo = n.bounds.lo, hi = n.bounds.hi;
    const u64 width = static_cast<u64>(hi) - static_cast<u64>(lo);
    if (width < 24 || (all && width < 256)) {
      for (u64 i = 0; i <= width; ++i) out.push_back(static_cast<i64>(static_cast<u64>(lo) + i));
      return out;
    }
    for (const i64 d : {0, 1, 2, 5}) {
      out.push_back(static_cast<i64>(static_cast<u64>(lo) + static_cast<u64>(d)));
      out.push_back(static_cast<i64>(static_cast<u64>(hi) - static_cast<u64>(d)));
    }
    for (const i64 v : {-3, -2, -1, 0, 1, 2, 3, 7})
      if (!twill::integer_less(k, wrap(k, v), lo) && !twill::integer_less(k, hi, wrap(k, v))) out.push_back(wrap(k, v));
    for (int i = 0; i < 6; ++i) out.push_back(static_cast<i64>(static_cast<u64>(lo) + (width == ~u64{0} ? random_.next() : random_.next() % (width + 1))));
    return out;
  }
  void judge(uop before, uop after, bool canonical) {
    ++out_.applications;
    evaluator e(*g_, before, after);
    if (!(before.type() == after.type())) {
      out_.wrong = "another dtype: " + std::string(render(before).c_str()) + " -> " + render(after).c_str();
      return;
    }
    std::vector<std::vector<i64>> values;
    u64 count = 1;
    for (const u32 v : e.variables) {
      values.push_back(values_of(v, e.variables.size() == 1));
      count *= values.back().size();
    }
    const bool all = count <= most_points_ || e.variables.size() == 1;
    if (!all) count = most_points_;
    const bool floats = is_float(before.type()), zero_of_any_sign = floats && has_extremum(before, after);
    for (u64 p = 0; p < count; ++p) {
      u64 rest = p;
      for (size_t v = 0; v < values.size(); ++v) {
        e.set(e.variables[v], all ? values[v][rest % values[v].size()] : values[v][random_.below(values[v].size())]);
        rest /= values[v].size();
      }
      e.run();
      ++out_.points;
      bool same = true;
      for (size_t lane = 0; lane < before.type().lanes && lane < evaluator::lanes; ++lane) {
        const i64 x = e[before][lane], y = e[after][lane];
        same = same && (x == y || (floats && word_of(double_of(x)) == word_of(double_of(y))) || (zero_of_any_sign && double_of(x) == double_of(y)));
      }
      if (same) continue;
      if (out_.wrong.empty()) {
        out_.wrong = std::string(render(before).c_str()) + " -> " + render(after).c_str() + " where";
        for (const u32 v : e.variables) out_.wrong += " " + std::string(variable_name({g_, v}).c_str()) + " = " + std::to_string(e[{g_, v}][0]);
      }
      return;
    }
    if ((!canonical && !judge_unsorted) || out_.applications > 4000) return;
    ++out_.ordered;
    const measure m = measured(before), n = measured(after);
    if (m.too_large || n.too_large || compare(n, m) < 0) return;
    ++out_.not_decreased;
    if (out_.does_not_decrease.empty()) out_.does_not_decrease = std::string(render(before).c_str()) + " -> " + render(after).c_str();
  }
  static bool has_extremum(uop a, uop b) {
    for (const uop u : {a, b})
      for (const u32 id : toposort(u))
        if (u.owner->at(id).code == op::MAX || u.owner->at(id).code == op::MIN) return true;
    return false;
  }

  side left_;
  type_classes types_;
  random_source random_;
  rule_set<1> alone_{};
  findings out_;
  int constants_ = 0;
  graph* g_ = nullptr;
  std::vector<scalar_kind> kinds_;
  std::map<scalar_kind, std::vector<uop>> pool_;
  u32 names_[pattern::name_count + 1]{};
  std::vector<i64> chosen_;
  size_t next_constant_ = 0;
  bool plain_ = true;
  u64 most_points_ = 1000;
};

}  // namespace proofs
