// Random typed expressions: any op on any dtype, index arithmetic, and left sides of rules filled with random operands, so
// that every rule gets its chance.
#pragma once

#include "fuzz/check.hpp"

namespace fuzz {

using twill::part;
using twill::token;

class generator {
 public:
  // applied: how often each rule was applied so far (may be empty); rules that were not get more chances. tried: the node
  // that a procedural rule is tried on, for the case that it does not come back.
  generator(graph& g, choices& r, const twill::rule_view& rules, span<const u64> applied, uop& tried)
      : graph_(g), r_(r), rules_(rules), applied_(applied), tried_(tried) {
    lanes_ = r_.one_in(24) ? u16{4} : u16{1};
    vectors_ = lanes_ > 1;
    main_ = r_.below(8) < 3 ? dtype{scalar_kind::int32} : any_type();
    main_ = main_.with_lanes(lanes_);
    variable_limit_ = 1 + r_.below(4);
  }

  uop operator()(int budget) {
    if (r_.below(3) == 0)
      if (const uop u = rare_rule(budget)) return u;
    if (!twill::is_integer(main_) || !r_.one_in(10)) return expression(r_.below(5) == 0 ? some_type() : main_, budget);
    // An index under a gate.
    const uop index = expression(main_, budget);
    uop gate = comparison(main_, budget / 2);
    for (u32 more = r_.below(3); more > 0; --more) gate = make(op::AND, gate.type(), {gate, comparison(main_, budget / 2)});
    return make(op::WHERE, main_, {gate, index, graph_.constant(main_, 0)});
  }

 private:
  dtype any_type() { return dtype{static_cast<scalar_kind>(1 + r_.below(13))}; }
  dtype bool_type() const { return twill::bool_.with_lanes(lanes_); }
  dtype some_type() {
    switch (r_.below(8)) {
      case 0: return bool_type();
      case 1: case 2: return any_type().with_lanes(lanes_);
      default: return main_;
    }
  }
  dtype some_integer_type() {
    return twill::is_integer(main_) && !r_.one_in(4) ? main_ : dtype{static_cast<scalar_kind>(2 + r_.below(8))}.with_lanes(lanes_);
  }
  uop make(op code, dtype type, std::initializer_list<uop> sources) { return make(code, type, span<const uop>(sources.begin(), sources.size())); }
  uop make(op code, dtype type, span<const uop> sources) {
    u32 ids[3]{};
    for (size_t i = 0; i < sources.size() && i < 3; ++i) ids[i] = sources[i].id;
    const uop out{&graph_, graph_.intern(code, type, {ids, sources.size()})};
    pool_.push_back(out);
    return out;
  }
  uop make(op code, uop a) { return make(code, a.type(), {a}); }
  uop make(op code, uop a, uop b) { return make(code, twill::is_comparison(code) ? bool_type() : a.type(), {a, b}); }
  uop constant_word(dtype type, i64 word) { return {&graph_, graph_.intern(op::CONST, type, {}, {&word, 1})}; }

  // Leaves.
  i64 number(scalar_kind k) {
    static constexpr i64 small[] = {0, 1, -1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 24, 32, -2, -3, -4, -5, -6, -8, -16};
    i64 value = 0;
    const u32 choice = tame_ ? r_.below(8) : r_.below(12);
    const u32 known = static_cast<u32>(numbers_.size());
    if (choice < 4 || (choice < 8 && known == 0)) {
      value = tame_ ? 1 + r_.below(8) : small[r_.below(sizeof(small) / sizeof(i64))];
    } else if (choice < 8) {
      const u64 a = static_cast<u64>(numbers_[r_.below(known)]), b = static_cast<u64>(numbers_[r_.below(known)]);
      switch (r_.below(9)) {
        case 0: case 1: value = static_cast<i64>(a); break;
        case 2: value = static_cast<i64>(a * b); break;
        case 3: value = static_cast<i64>(a + b); break;
        case 4: value = static_cast<i64>(a - b); break;
        case 5: value = static_cast<i64>(u64{0} - a); break;
        case 6: value = twill::idiv(scalar_kind::int64, static_cast<i64>(a), static_cast<i64>(b)); break;
        case 7: value = static_cast<i64>(a * (2 + r_.below(3))); break;
        default: value = static_cast<i64>(a + r_.below(3) - 1);
      }
    } else if (choice == 8) {
      value = static_cast<i64>((u64{1} << r_.below(static_cast<u32>(twill::bit_width(k)))) + r_.below(3) - 1);
      if (r_.one_in(3)) value = static_cast<i64>(u64{0} - static_cast<u64>(value));
    } else if (choice == 9) {
      const i64 limits[] = {twill::min_value(k), twill::max_value(k), twill::max_value(k) / 2, twill::min_value(k) / 2};
      value = static_cast<i64>(static_cast<u64>(limits[r_.below(4)]) + r_.below(3) - 1);
    } else {
      value = static_cast<i64>(r_.word() >> r_.below(64));
      if (r_.one_in(2)) value = static_cast<i64>(u64{0} - static_cast<u64>(value));
    }
    value = twill::wrap(k, value);
    if (numbers_.size() < 12) numbers_.push_back(value);
    else numbers_[r_.below(12)] = value;
    return value;
  }
  uop constant(dtype type) {
    if (type.lanes > 1 && r_.one_in(3)) {
      vector<i64, 4> words;
      for (u16 i = 0; i < type.lanes; ++i) words.push_back(constant(type.scalar()).argument(0));
      for (u16 i = 1; i < type.lanes; ++i)
        if (words[i] != words[0]) return {&graph_, graph_.intern(op::VCONST, type, {}, words)};
      return constant_word(type, words[0]);
    }
    if (!twill::is_float(type)) return constant_word(type, twill::is_bool(type) ? static_cast<i64>(r_.below(2)) : number(type.kind));
    static constexpr double values[] = {0.0, -0.0, 1.0, -1.0, 2.0, 0.5, -2.0, 3.0, 10.0, 0x1p-24, 65504.0, 1e300, -0.1};
    const u32 choice = r_.below(18);
    double value = choice < 13 ? values[choice] : 0;
    if (choice == 13) value = twill::scalar::infinity;
    if (choice == 14) value = twill::scalar::quiet_nan;
    if (choice > 15) return constant_word(type, twill::word_of_raw_bits(type.kind, r_.word()));
    return constant_word(type, twill::word_of(twill::round_to(type.kind, value)));
  }
  // A range of the kind, in its own order.
  twill::interval range(scalar_kind k) {
    static constexpr i64 sizes[] = {1, 2, 3, 4, 5, 7, 8, 10, 12, 16, 31, 32, 63, 64, 100, 255, 256, 1000, 4095};
    const i64 least = twill::min_value(k), most = twill::max_value(k);
    const auto size = [&] { return sizes[r_.below(tame_ ? 12 : 19)]; };
    const auto clipped = [&](i64 lo, i64 hi) {
      if (k == scalar_kind::uint64) return twill::interval{lo < 0 ? 0 : lo, hi < 0 ? 0 : hi};
      const auto clip = [&](i64 v) { return v < least ? least : v > most ? most : v; };
      return twill::interval{clip(lo), clip(hi)};
    };
    switch (tame_ ? r_.below(5) : r_.below(12)) {
      case 0: case 1: return clipped(0, size() - 1);
      case 2: return clipped(1, size());
      case 3: return clipped(-size(), size());
      case 4: return clipped(-size() - 3, r_.one_in(2) ? -1 : 0);
      case 5: case 6: return {least, most};
      case 7: return {least, static_cast<i64>(static_cast<u64>(least) + r_.below(100))};
      case 8: return {static_cast<i64>(static_cast<u64>(most) - r_.below(100)), most};
      case 9: {
        const i64 at = number(k);
        return {at, at};
      }
      case 10: {
        const i64 at = number(k);
        return at == most ? twill::interval{at, at} : twill::interval{at, at + 1};
      }
      default: {
        const i64 a = number(k), b = number(k);
        return twill::integer_less(k, b, a) ? twill::interval{b, a} : twill::interval{a, b};
      }
    }
  }
  uop variable(dtype type) {
    uop same[8]{};
    u32 count = 0;
    for (const uop& v : variables_)
      if (v.type() == type) same[count++] = v;
    if (count > 0 && (variables_.size() >= variable_limit_ || r_.below(3) != 0)) return same[r_.below(count)];
    if (variables_.size() >= 6) {
      const uop other = variables_[r_.below(6)];
      return twill::is_bool(type) || other.type().lanes != type.lanes ? constant(type) : make(op::CAST, type, {other});
    }
    const char name[2] = {static_cast<char>('a' + variables_.size()), '\0'};
    const twill::interval at = twill::is_float(type) ? twill::interval{} : twill::is_bool(type) ? twill::interval{0, 1} : range(type.kind);
    variables_.push_back(graph_.var(name, at.lo, at.hi, type));
    return variables_.back();
  }
  uop pooled(dtype type) {
    for (u32 tries = 0; tries < 4 && !pool_.empty(); ++tries) {
      const uop u = pool_[r_.below(static_cast<u32>(pool_.size()))];
      if (u.type() == type) return u;
    }
    return {};
  }
  uop leaf(dtype type) {
    const u32 choice = r_.below(8);
    if (choice == 7) return constant(type);
    if (choice == 6 && pool_.size() > 0)
      if (const uop u = pooled(type)) return u;
    return variable(type);
  }

  // Vectors made of scalars, and lanes of vectors.
  uop of_lanes(dtype type, int budget) {
    if (type.lanes > 1 && r_.one_in(2)) {
      const uop common = r_.one_in(3) ? expression(type, budget / 2) : uop{};
      const bool constants = r_.one_in(3);
      const u16 lanes = lanes_;
      const dtype main = main_;
      lanes_ = 1;
      main_ = main_.scalar();
      vector<u32, 4> parts;
      for (u16 i = 0; i < lanes; ++i) {
        const i64 lane = r_.one_in(4) ? static_cast<i64>(r_.below(lanes)) : i;
        parts.push_back(constants ? constant(type.scalar()).id : common.owner != nullptr ? graph_.intern(op::GEP, type.scalar(), {&common.id, 1}, {&lane, 1}) : expression(type.scalar(), budget / 4).id);
      }
      lanes_ = lanes;
      main_ = main;
      pool_.push_back({&graph_, graph_.intern(op::VECTORIZE, type, parts)});
      return pool_.back();
    }
    const u16 lanes = lanes_;
    const dtype main = main_;
    lanes_ = 4;
    main_ = main_.with_lanes(4);
    const uop from = expression(type.with_lanes(4), budget - 1);
    lanes_ = lanes;
    main_ = main;
    vector<i64, 4> picked;
    for (u16 i = 0; i < type.lanes; ++i) picked.push_back(static_cast<i64>(r_.below(4)));
    pool_.push_back({&graph_, graph_.intern(op::GEP, type, {&from.id, 1}, picked)});
    return pool_.back();
  }

  uop expression(dtype type, int budget) {
    if (budget <= 1) return leaf(type);
    if (vectors_ && r_.one_in(8)) return of_lanes(type, budget);
    if (r_.one_in(8))
      if (const uop u = pooled(type)) return u;
    const u32 choice = r_.below(10);
    if (choice < 5)
      if (const uop u = of_rule(type, budget)) return u;
    if (choice < 7 && twill::is_integer(type)) return index_like(type, budget);
    return operation(type, budget);
  }
  uop comparison(dtype type, int budget) {
    const bool strict = r_.below(4) != 0;
    uop a = expression(type, budget / 2), b = r_.below(3) != 0 ? constant(type) : expression(type, budget / 2);
    if (r_.one_in(3)) {
      const uop c = a;
      a = b;
      b = c;
    }
    const uop out = make(strict ? op::CMPLT : op::CMPNE, a, b);
    return r_.one_in(3) ? make(op::CMPNE, out, constant_word(bool_type(), 1)) : out;
  }

  // What a sum of rows, columns and their quotients looks like.
  uop linear(dtype type, i64 base, int budget) {
    uop out;
    for (u32 terms = 1 + r_.below(4); terms > 0; --terms) {
      uop term = r_.below(4) != 0 ? variable(type) : expression(type, budget / 4);
      const i64 factors[] = {1, base, number(type.kind), static_cast<i64>(static_cast<u64>(base) * (1 + r_.below(4))), static_cast<i64>(u64{0} - static_cast<u64>(base))};
      const i64 factor = twill::wrap(type.kind, factors[r_.below(5)]);
      if (factor != 1) term = make(op::MUL, term, constant_word(type, factor));
      out = out.owner == nullptr ? term : make(op::ADD, out, term);
    }
    if (r_.one_in(2)) out = make(op::ADD, out, constant(type));
    return out;
  }
  uop index_like(dtype type, int budget) {
    static constexpr i64 bases[] = {2, 3, 4, 4, 5, 8, 10, 16, 64};
    const scalar_kind k = type.kind;
    const i64 base = r_.one_in(6) ? number(k) : twill::wrap(k, bases[r_.below(9)]);
    const i64 multiple = twill::wrapping_mul(k, base, 1 + r_.below(5));
    const i64 divisors[] = {base, base, multiple, number(k)};
    const i64 by = divisors[r_.below(4)];
    const auto c = [&](i64 value) { return constant_word(type, twill::wrap(k, value)); };
    const op div = r_.one_in(4) ? op::FLOORDIV : op::IDIV, mod = r_.one_in(4) ? op::FLOORMOD : op::MOD;
    switch (r_.below(8)) {
      case 0: return linear(type, base, budget);
      case 1: return make(div, linear(type, base, budget), c(by));
      case 2: return make(mod, linear(type, base, budget), c(by));
      case 3: {  // (x / c) * c * f + (x % c) * f
        const uop x = expression(type, budget / 2);
        const i64 f = r_.one_in(2) ? 1 : number(k);
        const uop q = make(op::MUL, make(div, x, c(by)), c(twill::wrapping_mul(k, by, f)));
        const uop rest = make(mod, x, c(by));
        return make(op::ADD, q, f == 1 ? rest : make(op::MUL, rest, c(f)));
      }
      case 4: {  // x / c % d * c + x % c
        const uop x = expression(type, budget / 2);
        const i64 d = r_.one_in(2) ? base : 1 + r_.below(6);
        return make(op::ADD, make(op::MUL, make(mod, make(div, x, c(by)), c(d)), c(by)), make(mod, x, c(by)));
      }
      case 5: {  // x / c + (x + 1) / c + …
        const uop x = r_.one_in(2) ? variable(type) : expression(type, budget / 2);
        const i64 count = 2 + r_.below(3);
        uop out = make(div, x, c(count));
        for (i64 i = 1; i < count; ++i) out = make(op::ADD, out, make(div, make(op::ADD, x, c(i)), c(count)));
        return out;
      }
      case 6: {  // x - x / c * c
        const uop x = expression(type, budget / 2);
        return make(op::ADD, x, make(op::MUL, make(div, x, c(by)), c(twill::wrapping_sub(k, 0, by))));
      }
      default: {
        const uop gate = make(op::CMPLT, linear(type, base, budget / 2), c(number(k)));
        return make(op::WHERE, type, {gate, linear(type, base, budget / 2), expression(type, budget / 2)});
      }
    }
  }

  uop second_operand(dtype type, int budget) { return r_.below(4) != 0 ? constant(type) : expression(type, budget); }
  uop operation(dtype type, int budget) {
    if (twill::is_bool(type)) {
      static constexpr op codes[] = {op::AND, op::OR, op::XOR, op::CMPNE, op::ADD, op::MUL, op::MAX, op::MIN, op::IDIV, op::MOD};
      const u32 choice = r_.below(20);
      if (choice < 8) return comparison(some_type(), budget - 1);
      if (choice < 16) {
        const uop a = expression(type, budget / 2);
        return make(r_.one_in(6) ? codes[4 + r_.below(6)] : codes[r_.below(4)], a, r_.one_in(6) ? constant(type) : expression(type, budget / 2));
      }
      if (choice < 18) return make(op::CMPNE, expression(type, budget - 1), constant_word(type, 1));
      return choice == 18 ? conversion(type, budget) : conditional(type, budget);
    }
    if (twill::is_float(type)) {
      static constexpr op codes[] = {op::ADD, op::MUL, op::ADD, op::MUL, op::FDIV, op::SUB, op::MAX, op::MIN};
      static constexpr op unary[] = {op::NEG, op::NEG, op::RECIP, op::RECIP, op::SQRT, op::EXP2, op::LOG2, op::SIN, op::EXP, op::LOG, op::TANH};
      const u32 choice = r_.below(20);
      if (choice < 11) {
        const uop a = expression(type, budget / 2);
        return make(codes[r_.below(8)], a, r_.one_in(3) ? constant(type) : expression(type, budget / 2));
      }
      if (choice < 14) return make(unary[r_.one_in(6) ? r_.below(11) : r_.below(5)], expression(type, budget - 1));
      if (choice == 14) return make(op::MULACC, type, {expression(type, budget / 3), expression(type, budget / 3), expression(type, budget / 3)});
      if (choice == 15 && r_.one_in(3)) return make(op::POW, expression(type, budget / 2), r_.one_in(2) ? constant(type) : expression(type, budget / 2));
      return choice < 18 ? conversion(type, budget) : conditional(type, budget);
    }
    static constexpr op codes[] = {op::ADD, op::ADD, op::ADD, op::MUL, op::MUL, op::IDIV, op::IDIV, op::MOD, op::MOD, op::MAX, op::MIN, op::AND, op::OR,
                                   op::XOR, op::SUB, op::FLOORDIV, op::FLOORMOD, op::POW};
    const u32 choice = r_.below(28);
    if (choice < 18) {
      const uop a = r_.one_in(12) ? constant(type) : expression(type, budget / 2);
      const bool sum = codes[choice] == op::ADD || codes[choice] == op::SUB;
      return make(codes[choice], a, sum ? (r_.one_in(3) ? constant(type) : expression(type, budget / 2)) : second_operand(type, budget / 2));
    }
    if (choice < 20) {
      const dtype counts = r_.one_in(3) ? some_integer_type() : type;
      const uop a = expression(type, budget / 2);
      const uop count = r_.one_in(3) ? expression(counts, budget / 2)
                                     : constant_word(counts, twill::wrap(counts.kind, static_cast<i64>(r_.below(static_cast<u32>(twill::bit_width(type.kind)) + 2)) - 1));
      return make(choice == 18 ? op::SHL : op::SHR, type, {a, count});
    }
    if (choice == 20) return make(op::NEG, expression(type, budget - 1));
    if (choice == 21) return make(op::MULACC, type, {expression(type, budget / 3), second_operand(type, budget / 3), expression(type, budget / 3)});
    if (choice == 22 && type.kind == scalar_kind::uint64 && r_.one_in(4)) return make(op::THREEFRY, expression(type, budget / 2), constant(type));
    return choice < 25 ? conversion(type, budget) : conditional(type, budget);
  }
  uop conversion(dtype type, int budget) {
    if (r_.one_in(4)) {
      // The kinds of the same size.
      dtype from = any_type().with_lanes(lanes_);
      for (int tries = 0; tries < 12 && twill::byte_size(from) != twill::byte_size(type); ++tries) from = any_type().with_lanes(lanes_);
      if (twill::byte_size(from) == twill::byte_size(type)) return make(op::BITCAST, type, {expression(from, budget - 1)});
    }
    uop from = expression(r_.one_in(2) ? some_type() : any_type().with_lanes(lanes_), budget - 1);
    return make(op::CAST, type, {from});
  }
  uop conditional(dtype type, int budget) {
    const uop condition = expression(bool_type(), budget / 3);
    const uop a = expression(type, budget / 3);
    return make(op::WHERE, type, {condition, a, r_.one_in(3) ? constant(type) : expression(type, budget / 3)});
  }

  // Of some rules the one that was applied least often so far, among those whose root may have the dtype.
  const twill::rule* rarest(dtype type, int of) {
    const twill::rule* best = nullptr;
    u64 fewest = ~u64{0};
    for (int tries = 0; tries < of; ++tries) {
      const size_t at = r_.below(static_cast<u32>(rules_.count));
      const twill::rule& rule = rules_.rules[at];
      if ((kinds_of(rules_.tokens + rule.first, 0, {}) >> static_cast<unsigned>(type.kind) & 1) == 0) continue;
      const u64 count = at < applied_.size() ? applied_[at] : 0;
      if (best != nullptr && count >= fewest) continue;
      best = &rule;
      fewest = count;
    }
    return best;
  }
  uop rare_rule(int budget) {
    const dtype type = r_.one_in(2) ? bool_type() : main_;
    const twill::rule* rule = rarest(type, 24);
    const uop u = rule == nullptr ? uop{} : of_rule(*rule, type, budget / 3 + 4, 24);
    if (u.owner == nullptr || r_.one_in(3)) return u;
    if (twill::is_bool(type)) {
      const uop b = r_.one_in(2) ? comparison(main_, budget / 2) : expression(main_, budget / 2);
      return b.type() == type ? make(r_.one_in(2) ? op::AND : op::OR, u, b) : make(op::WHERE, b.type(), {u, b, expression(b.type(), budget / 3)});
    }
    return make(r_.one_in(2) ? op::ADD : op::MUL, u, expression(type, budget / 2));
  }
  uop of_rule(dtype type, int budget) {
    const twill::rule* rule = rarest(type, 6);
    return rule == nullptr ? uop{} : of_rule(*rule, type, budget);
  }
  static constexpr u32 none = ~u32{0};
  // The nodes that the names of a pattern stand for.
  struct names {
    u32 ids[twill::pattern::name_count + 1];
    constexpr names() {
      for (u32& id : ids) id = none;
    }
  };
  // A left side with operands that often satisfy its guard; nothing where the dtype does not fit.
  uop of_rule(const twill::rule& rule, dtype type, int budget, int most_tries = 6) {
    const names outer = bound_;  // operands may be instances of rules themselves
    const bool outer_tame = tame_, outer_sums = sums_;
    uop last;
    for (int tries = 0; tries < most_tries; ++tries) {
      tame_ = tries % 6 > 1;
      sums_ = rule.act && twill::is_integer(main_);
      bound_ = {};
      u8 at = 0;
      const uop made = instance(rules_.tokens + rule.first, at, type, budget - 2);
      if (made.owner == nullptr) continue;
      last = made;
      tried_ = made;
      twill::search s(rules_, rule, graph_, made.id);
      twill::context none_needed;
      // A node with one value becomes that before any other rule looks at it.
      if (!twill::is_float(type) && made.lo() == made.hi() && tries + 1 < most_tries) continue;
      if (s.next() && (!rule.act || rule.act(s.found, none_needed).owner != nullptr)) break;
    }
    bound_ = outer;
    tame_ = outer_tame;
    sums_ = outer_sums;
    return last;
  }
  static void skip(const token* tokens, u8& at) {
    for (int pending = 1; pending > 0; ++at) pending += tokens[at].count - 1;
  }
  // The kinds that a pattern's node may have, as far as the pattern and the names bound so far say.
  u16 kinds_of(const token* tokens, u8 at, const names& bound) const {
    const token& t = tokens[at];
    u16 out = t.types;
    if (t.name != 0 && bound.ids[t.name] != none) out = static_cast<u16>(out & twill::kinds::bit(graph_.at(bound.ids[t.name]).type.kind));
    if (t.what != part::operation) return out;
    if (twill::is_alu(t.code)) out = static_cast<u16>(out & fuzz::kinds_of(t.code));
    if (t.count == 0) return out;
    if (twill::is_comparison(t.code)) return static_cast<u16>(out & twill::kinds::boolean);
    if (t.code == op::CAST || t.code == op::BITCAST) return out;
    u8 child = static_cast<u8>(at + 1);
    for (u8 i = 0; i < t.count; ++i) {
      if (!(t.code == op::WHERE && i == 0)) out = static_cast<u16>(out & kinds_of(tokens, child, bound));
      skip(tokens, child);
    }
    return out;
  }
  uop instance(const token* tokens, u8& at, dtype type, int budget) {
    const u8 place = at;
    const token& t = tokens[at++];
    if ((kinds_of(tokens, place, bound_) >> static_cast<unsigned>(type.kind) & 1) == 0) return {};
    if (t.name != 0 && bound_.ids[t.name] != none && t.count == 0) {
      const uop u{&graph_, bound_.ids[t.name]};
      return u.type() == type ? u : uop{};
    }
    uop made;
    switch (t.what) {
      case part::any: {
        const u32 choice = r_.below(6);
        static constexpr i64 bases[] = {2, 3, 4, 6, 8, 10};
        if (sums_ && twill::is_integer(type) && choice > 1) made = linear(type, bases[r_.below(6)], budget / 2);
        else made = choice < 2 ? expression(type, budget / 2) : leaf(type);
        break;
      }
      case part::constant: made = constant(type); break;
      case part::literal: made = constant_word(type, twill::is_float(type) ? twill::word_of(static_cast<double>(t.value)) : twill::wrap(type.kind, t.value)); break;
      case part::real: case part::exact_real:
        made = constant_word(type, twill::word_of(twill::round_to(type.kind, static_cast<double>(__builtin_bit_cast(float, t.value)))));
        break;
      case part::any_alu:
        if (t.count == 0) {
          made = operation(type, budget);
        } else {
          static constexpr op codes[] = {op::ADD, op::MUL, op::MAX, op::MIN, op::SUB, op::NEG};
          const u32 choice = r_.below(twill::is_bool(type) ? 4 : 6);
          const uop a = twill::is_bool(type) && r_.one_in(2) ? constant(main_) : constant(type);
          if (!(a.type() == type)) made = make(op::CMPLT, a, constant(main_));
          else made = codes[choice] == op::NEG ? make(op::NEG, a) : make(codes[choice], a, constant(type));
          skip(tokens, at);
        }
        break;
      case part::alternatives: {
        const u8 chosen = static_cast<u8>(r_.below(t.count));
        for (u8 i = 0; i < t.count; ++i) {
          if (i == chosen) made = instance(tokens, at, type, budget);
          else skip(tokens, at);
        }
        break;
      }
      case part::operation: case part::operation_set: {
        op code = t.code;
        if (t.what == part::operation_set) {
          do code = static_cast<op>(static_cast<u32>(t.value) >> (8 * r_.below(4)) & 255);
          while (code == op::NULL_OP);
        }
        // Vectors of different lanes are not made here; their rules have tests of their own (tests/symbolic/vector_test.cpp).
        if (!twill::is_alu(code) && code != op::CAST && code != op::BITCAST) return {};
        const u8 arity = static_cast<u8>(twill::traits(code).arity < 0 ? 1 : code == op::CAST || code == op::BITCAST ? 1 : twill::traits(code).arity);
        dtype operands = type;
        if (twill::is_comparison(code) || code == op::CAST || code == op::BITCAST) {
          u16 allowed = 0x3ffe;
          u8 child = at;
          for (u8 i = 0; i < t.count; ++i) {
            allowed = static_cast<u16>(allowed & kinds_of(tokens, child, bound_));
            skip(tokens, child);
          }
          for (int tries = 0; tries < 8; ++tries) {
            operands = tries < 4 ? some_type() : any_type().with_lanes(lanes_);
            if ((allowed >> static_cast<unsigned>(operands.kind) & 1) != 0 && (code != op::BITCAST || twill::byte_size(operands) == twill::byte_size(type))) break;
          }
          if (code == op::BITCAST && twill::byte_size(operands) != twill::byte_size(type)) return {};
        }
        uop sources[3]{};
        for (u8 i = 0; i < arity && i < 3; ++i) {
          const dtype wanted = code == op::WHERE && i == 0 ? bool_type() : operands;
          sources[i] = i < t.count ? instance(tokens, at, wanted, budget / 2) : expression(wanted, budget / 2);
          if (sources[i].owner == nullptr) return {};
        }
        made = make(code, type, span<const uop>(sources, arity));
        break;
      }
      default: return {};
    }
    if (made.owner != nullptr && t.name != 0) bound_.ids[t.name] = made.id;
    return made;
  }

  graph& graph_;
  choices& r_;
  twill::rule_view rules_;
  span<const u64> applied_;
  uop& tried_;
  dtype main_{};
  u16 lanes_ = 1;
  bool vectors_ = false;
  u32 variable_limit_ = 4;
  bool tame_ = false;  // small numbers and ranges
  bool sums_ = false;  // for rules that look at whole sums
  vector<uop> pool_, variables_;
  vector<i64> numbers_;
  names bound_{};
};

}  // namespace fuzz
