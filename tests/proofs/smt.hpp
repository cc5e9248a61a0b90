// A rule as questions to an SMT solver, written from the rule's own tokens: is there a value of its names for which the
// rule fires and the two sides differ? "unsat" is the proof.
//
// Integers are bit-vectors of the dtype's width, or, for all widths at once, unbounded integers between the dtype's least
// and greatest number -M … M-1 or 0 … 2M-1 (M a power of two of at least 128, of which the proofs use only the size).
// Division truncates and is given by its cases: quotient and remainder are fresh numbers with their defining equation.
// Guards and fold(…) are exact numbers in both. Floats are SMT's, which has one NaN and two zeros, as twill does.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "proofs/side.hpp"
#include "twill/match/list.hpp"

namespace proofs {

enum class theory : u8 { bits, numbers };

// The kinds of a left side's type classes, and for integers whether the sort is a bit-vector (of this width) or a number.
struct setting {
  theory integers = theory::bits;
  int width = 0;                    // of bit-vectors; other widths than a dtype's stand in for all of them
  std::vector<scalar_kind> kind;    // of each class; integers: any kind of the right signedness
};

inline std::string numeral(i64 v) {
  if (v < 0) return "(- " + std::to_string(static_cast<u64>(0) - static_cast<u64>(v)) + ")";
  return std::to_string(v);
}

// What one question says, as SMT-LIB commands without the final check.
class exporter {
 public:
  exporter(const rule_view& set, const rule& r, const variant& picked, setting where)
      : rule_(r), left_(left_of(set, r)), right_(right_of(set, r)), guard_(guard_of(set, r)), types_(left_), pick_(picked), in_(std::move(where)) {}

  // The left side's value differs from the right side's, while the rule fires. signs: of the integers among the names, in
  // the order in which they occur: one case of several (-1, 0, 1: negative, zero, positive).
  std::string question(const std::vector<int>& signs = {}) {
    begin();
    signs_ = signs;
    const value l = build_left(0);
    fire();
    const value r = build_right(0);
    multiply_known();
    if (l.kind != r.kind) throw not_exportable("the sides have different dtypes");
    if (is_float(l.kind) && zero_of_any_sign_) {
      assert_that("(not (or (= " + l.text + " " + r.text + ") (fp.eq " + l.text + " " + r.text + ")))");
    } else {
      assert_that("(not (= " + l.text + " " + r.text + "))");
    }
    return text_;
  }
  // Values to split by: integers by sign where something divides, bools where floats would be hard.
  int bool_count() const { return bools_; }
  bool divides() const { return !quotients_.empty(); }
  int integer_count() const { return integers_; }
  // The names' symbols, to ask a model for.
  std::string symbols() const { return symbols_; }

 private:
  // A built value. In theory::numbers `reduced` is false for a sum or product of a ring rule: then the text is the value
  // only modulo 2M.
  struct value {
    std::string text;
    scalar_kind kind = scalar_kind::void_;
    bool reduced = true;
    bool constant = false;
    int power = -1;  // of a literal that is an exponent, or 1 as a base
  };
  // A number of a guard: unknown where `ok` is not true. A comparison is a truth, the rest are numbers.
  struct number {
    std::string text;
    std::string truth;
    std::string ok = "true";
    int width = 0;
  };

  void say(const std::string& line) { text_ += line + "\n"; }
  void assert_that(const std::string& fact) { say("(assert " + fact + ")"); }
  std::string fresh(const char* prefix) { return prefix + std::to_string(count_++); }
  std::string declare(const std::string& name, const std::string& sort) {
    say("(declare-const " + name + " " + sort + ")");
    return name;
  }
  std::string define(const char* prefix, const std::string& sort, const std::string& term) {
    const std::string name = fresh(prefix);
    say("(define-fun " + name + " () " + sort + " " + term + ")");
    return name;
  }

  bool floats() const {
    for (const scalar_kind k : in_.kind)
      if (is_float(k)) return true;
    return false;
  }
  bool numbers() const { return in_.integers == theory::numbers; }
  std::string sort(scalar_kind k) const {
    if (is_bool(k)) return "Bool";
    if (is_integer(k)) return numbers() ? "Int" : bits_sort(in_.width);
    switch (k) {
      case scalar_kind::float16: return "(_ FloatingPoint 5 11)";
      case scalar_kind::bfloat16: return "(_ FloatingPoint 8 8)";
      case scalar_kind::float32: return "(_ FloatingPoint 8 24)";
      case scalar_kind::float64: return "(_ FloatingPoint 11 53)";
      default: throw not_exportable("a value without a sort");
    }
  }
  static std::string bits_sort(int width) { return "(_ BitVec " + std::to_string(width) + ")"; }
  std::string least(scalar_kind k) const { return is_signed(k) ? "(- M)" : "0"; }
  std::string beyond(scalar_kind k) const { return is_signed(k) ? "M" : "(* 2 M)"; }
  std::string within(scalar_kind k, const std::string& v) const { return "(and (<= " + least(k) + " " + v + ") (< " + v + " " + beyond(k) + "))"; }

  void begin() {
    text_.clear();
    for (const token* t : {left_.tokens, right_.tokens}) {
      const int n = t == left_.tokens ? left_.size() : right_.size();
      for (int i = 0; i < n; ++i)
        if (t[i].what == part::operation) {
          if (t[i].code == op::MAX || t[i].code == op::MIN) zero_of_any_sign_ = true;
          if (is_comparison(t[i].code)) compares_ = true;
        }
    }
    if (numbers()) {
      declare("M", "Int");
      assert_that("(>= M 128)");
    } else {
      guard_width_ = 2;
      for (int i = guard_.size(); i-- > 0;) guard_width_ = std::max(guard_width_, needed(guard_, i));
      for (int i = right_.size(); i-- > 0;)
        if (right_.tokens[i].what == part::fold) guard_width_ = std::max(guard_width_, std::max(in_.width + 1, needed(right_, right_.operands(i)[0])));
    }
  }
  // Bits of a number that hold its exact value.
  int needed(const side& s, int i) const {
    const token& t = s.tokens[i];
    if (t.what == part::low || t.what == part::high) return in_.width + 1;
    switch (t.what) {
      case part::constant: case part::any: return in_.width + 1;
      case part::literal: return 65 - __builtin_clzll(static_cast<u64>(t.value < 0 ? ~static_cast<i64>(t.value) : t.value) | 1);
      default: break;
    }
    int most = 2, sum = 0;
    for (const int o : s.operands(i)) {
      const int w = needed(s, o);
      most = std::max(most, w);
      sum += w;
    }
    if (t.what != part::operation) return most;
    return t.code == op::MUL ? sum : t.code == op::ADD || t.code == op::IDIV ? most + 1 : std::max(most, 2);
  }

  // A fresh value of a kind.
  value unknown_value(scalar_kind k, const std::string& name) {
    declare(name, sort(k));
    if (is_bool(k) && floats()) {
      const size_t at = static_cast<size_t>(bools_++);
      if (at < signs_.size()) assert_that(signs_[at] != 0 ? name : "(not " + name + ")");
    }
    if (is_integer(k) && numbers()) {
      const size_t at = static_cast<size_t>(integers_++);
      if (at < signs_.size()) assert_that(std::string(signs_[at] < 0 ? "(< " : signs_[at] > 0 ? "(> " : "(= ") + name + " 0)");
      assert_that(within(k, name));
    }
    symbols_ += name + " ";
    return {name, k};
  }
  value literal(scalar_kind k, i64 v) {
    value out{"", k};
    out.constant = true;
    if (v >= 0 && v <= 3) out.power = static_cast<int>(v);
    if (is_bool(k)) out.text = v != 0 ? "true" : "false";
    else if (is_float(k)) out.text = real(k, static_cast<double>(v));
    else if (numbers()) out.text = is_unsigned(k) && v < 0 ? "(- (* 2 M) " + numeral(-v) + ")" : numeral(v);
    else out.text = "((_ int2bv " + std::to_string(in_.width) + ") " + numeral(v) + ")", out.text = bits(v, in_.width);
    return out;
  }
  static std::string bits(i64 v, int width) {
    std::string out = "#b";
    for (int i = width; i-- > 0;) out += (v >> (i < 64 ? i : 63) & 1) != 0 ? '1' : '0';
    return out;
  }
  std::string real(scalar_kind k, double v) const {
    const i64 word = word_of(round_to(k, v));
    const int width = bit_width(k);
    const std::string s = sort(k);
    return "((_ to_fp" + s.substr(std::string("(_ FloatingPoint").size()) + " " + bits(static_cast<i64>(raw_bits(k, word)), width) + ")";
  }

  // The value in theory::numbers that a sum or product modulo 2M stands for.
  value reduced(value v) {
    if (v.reduced) return v;
    const std::string n = declare(fresh("n"), "Int"), k = declare(fresh("k"), "Int");
    assert_that("(= " + n + " (+ " + v.text + " (* 2 M " + k + ")))");
    assert_that(within(v.kind, n));
    v.text = n;
    v.reduced = true;
    return v;
  }

  value build_left(int i) {
    const token& t = left_.tokens[i];
    const scalar_kind k = in_.kind[static_cast<size_t>(types_.of_token[static_cast<size_t>(i)])];
    value out;
    switch (t.what) {
      case part::any: case part::constant: {
        if (t.name == 0) return unknown_value(k, fresh("_"));
        if (!t.binds || !names_[t.name].text.empty()) return names_[t.name];
        out = unknown_value(k, slot(t.name));
        out.constant = t.what == part::constant;
        break;
      }
      case part::literal:
        if (!is_float(k) || t.value != 0) out = literal(k, t.value);
        else {
          // A literal compares by value: both zeros are 0.
          out = unknown_value(k, fresh("_"));
          assert_that("(fp.eq " + out.text + " " + real(k, t.value) + ")");
          out.power = 0;
        }
        out.constant = true;
        break;
      case part::real: case part::exact_real: {
        const double v = static_cast<double>(__builtin_bit_cast(float, t.value));
        if (t.what == part::exact_real || v != 0) out = {real(k, v), k};
        else {
          out = unknown_value(k, fresh("_"));
          assert_that("(fp.eq " + out.text + " " + real(k, v) + ")");
        }
        out.constant = true;
        break;
      }
      case part::alternatives: {
        out = build_left(left_.operands(i)[static_cast<size_t>(pick_.pick[static_cast<size_t>(i)])]);
        break;
      }
      case part::operation: case part::operation_set: {
        if (t.sources == order::unchecked || t.sources == order::prefix || t.sources == order::each)
          throw not_exportable("sources that are not spelled out");
        std::vector<value> operands;
        for (const int o : left_.operands(i)) operands.push_back(build_left(o));
        out = apply(code_of(t, pick_.pick[static_cast<size_t>(i)]), k, operands, true);
        break;
      }
      default: throw not_exportable("a part of the pattern that has no meaning of its own");
    }
    if (t.name != 0 && names_[t.name].text.empty()) names_[t.name] = out;
    return out;
  }
  static std::string slot(u8 name) { return twill::detail::slot_name(name); }

  scalar_kind kind_of_right(int i) const {
    const token& t = right_.tokens[i];
    if (t.parent == 254) return scalar_kind::bool_;
    const int c = t.parent == 0 ? types_.of_token[0] : types_.of_name[t.parent];
    return in_.kind[static_cast<size_t>(c)];
  }
  value build_right(int i) {
    const token& t = right_.tokens[i];
    switch (t.what) {
      case part::any: case part::constant: return names_[t.name];
      case part::literal: return literal(kind_of_right(i), t.value);
      case part::real: case part::exact_real: {
        const scalar_kind k = kind_of_right(i);
        value out{real(k, static_cast<double>(__builtin_bit_cast(float, t.value))), k};
        out.constant = true;
        return out;
      }
      case part::fold: return folded(compute(right_, right_.operands(i)[0]), kind_of_right(i));
      case part::operation: {
        std::vector<value> operands;
        for (const int o : right_.operands(i)) operands.push_back(build_right(o));
        const scalar_kind k = i == 0 ? in_.kind[static_cast<size_t>(types_.of_token[0])] : is_comparison(t.code) ? scalar_kind::bool_ : operands.back().kind;
        return apply(t.code, k, operands, false);
      }
      default: throw not_exportable("a part of the right side that has no meaning of its own");
    }
  }

  // fold(…): the exact number, which must fit the dtype.
  value folded(const number& n, scalar_kind k) {
    assert_that(n.ok);
    value out{"", k};
    out.constant = true;
    if (is_bool(k)) {
      assert_that("(or (= " + as_number(n) + " " + plain(0) + ") (= " + as_number(n) + " " + plain(1) + "))");
      out.text = define("f", "Bool", "(= " + as_number(n) + " " + plain(1) + ")");
    } else if (is_float(k)) {
      assert_that("false");  // the engine does not fold floats
      out.text = real(k, 0);
    } else if (numbers()) {
      out.text = define("f", "Int", as_number(n));
      assert_that(within(k, out.text));
    } else {
      const std::string exact = define("f", bits_sort(guard_width_), as_number(n));
      out.text = define("f", bits_sort(in_.width), "((_ extract " + std::to_string(in_.width - 1) + " 0) " + exact + ")");
      assert_that("(= " + exact + " " + extended(out.text, k, guard_width_) + ")");
    }
    return out;
  }
  std::string extended(const std::string& v, scalar_kind k, int to) const {
    if (to == in_.width) return v;
    return std::string("((_ ") + (is_unsigned(k) ? "zero" : "sign") + "_extend " + std::to_string(to - in_.width) + ") " + v + ")";
  }

  // Guards.
  std::string plain(i64 v) const { return numbers() ? numeral(v) : bits(v, guard_width_); }
  std::string as_number(const number& n) const { return !n.text.empty() ? n.text : "(ite " + n.truth + " " + plain(1) + " " + plain(0) + ")"; }
  std::string as_truth(const number& n) const { return !n.truth.empty() ? n.truth : "(not (= " + n.text + " " + plain(0) + "))"; }
  static std::string both(const std::string& a, const std::string& b) { return a == "true" ? b : b == "true" ? a : "(and " + a + " " + b + ")"; }

  number number_of(const value& v) const {
    number out;
    if (is_float(v.kind)) out.ok = "false", out.text = plain(0);
    else if (is_bool(v.kind)) out.truth = v.text;
    else out.text = numbers() ? v.text : extended(v.text, v.kind, guard_width_);
    return out;
  }
  number bound_of(u8 name, bool high) {
    const value& v = names_[name];
    if (v.constant || is_float(v.kind)) return number_of(v);
    std::pair<std::string, std::string>& range = ranges_[name];
    if (range.first.empty()) {
      range = {fresh("lo"), fresh("hi")};
      declare(range.first, sort(v.kind));
      declare(range.second, sort(v.kind));
      symbols_ += range.first + " " + range.second + " ";
      if (is_bool(v.kind)) {
        assert_that("(and (=> " + range.first + " " + v.text + ") (=> " + v.text + " " + range.second + "))");
      } else if (numbers()) {
        assert_that("(and (<= " + least(v.kind) + " " + range.first + ") (<= " + range.first + " " + v.text + ") (<= " + v.text + " " + range.second + ") (< " + range.second + " " + beyond(v.kind) + "))");
      } else {
        const char* below = is_unsigned(v.kind) ? "bvule" : "bvsle";
        assert_that(std::string("(and (") + below + " " + range.first + " " + v.text + ") (" + below + " " + v.text + " " + range.second + "))");
      }
    }
    return number_of({high ? range.second : range.first, v.kind});
  }
  number compute(const side& s, int i) {
    const token& t = s.tokens[i];
    number out;
    switch (t.what) {
      case part::literal: out.text = plain(t.value); return out;
      case part::low: case part::high: return bound_of(t.name, t.what == part::high);
      case part::any: case part::constant: return number_of(names_[t.name]);
      default: break;
    }
    // (a % b + b) % b and (a - (a % b + b) % b) / b are a divided by b and rounded down.
    if (int a = 0, b = 0; numbers() && (is_floor_rest(s, i, a, b) || is_floor_quotient(s, i, a, b))) {
      const number x = compute(s, a), y = compute(s, b);
      out.ok = both(both(x.ok, y.ok), "(not (= " + as_number(y) + " 0))");
      const std::pair<std::string, std::string> d = floor_divided(as_number(x), as_number(y));
      out.text = t.code == op::MOD ? d.second : d.first;
      return out;
    }
    std::vector<number> n;
    for (const int o : s.operands(i)) n.push_back(compute(s, o));
    if (t.what == part::divisor) return common_divisor(n[0], n[1]);
    if (t.what != part::operation || n.size() != 2) throw not_exportable("a guard that computes what has no meaning here");
    if (t.code == op::AND || t.code == op::OR) {
      // Kleene's logic: an operand that is known to be false (true) decides.
      const std::string a = as_truth(n[0]), b = as_truth(n[1]);
      const bool conjunction = t.code == op::AND;
      out.truth = std::string(conjunction ? "(and " : "(or ") + a + " " + b + ")";
      if (n[0].ok != "true" || n[1].ok != "true") {
        const std::string x = conjunction ? "(not " + a + ")" : a, y = conjunction ? "(not " + b + ")" : b;
        out.ok = "(or (and " + n[0].ok + " " + n[1].ok + ") (and " + n[0].ok + " " + x + ") (and " + n[1].ok + " " + y + "))";
        // An operand that is not known counts as true (false) where the other decides, and else does not matter.
      }
      return out;
    }
    out.ok = both(n[0].ok, n[1].ok);
    const std::string a = as_number(n[0]), b = as_number(n[1]);
    const bool whole = numbers();
    switch (t.code) {
      case op::ADD: out.text = (whole ? "(+ " : "(bvadd ") + a + " " + b + ")"; break;
      case op::MUL: out.text = (whole ? "(* " : "(bvmul ") + a + " " + b + ")"; break;
      case op::CMPLT: out.truth = (whole ? "(< " : "(bvslt ") + a + " " + b + ")"; break;
      case op::CMPNE:
        if (!n[0].truth.empty() && t_is_true(s, s.operands(i)[1])) out.truth = "(not " + n[0].truth + ")";
        else out.truth = "(not (= " + a + " " + b + "))";
        break;
      case op::MAX: out.text = std::string("(ite ") + (whole ? "(< " : "(bvslt ") + a + " " + b + ") " + b + " " + a + ")"; break;
      case op::MIN: out.text = std::string("(ite ") + (whole ? "(< " : "(bvslt ") + a + " " + b + ") " + a + " " + b + ")"; break;
      case op::IDIV: case op::MOD: {
        out.ok = both(out.ok, "(not (= " + b + " " + plain(0) + "))");
        if (whole) {
          const std::pair<std::string, std::string> d = divided(a, b);
          out.text = t.code == op::IDIV ? d.first : d.second;
          ratios_.insert(d.first);
        } else {
          out.text = (t.code == op::IDIV ? "(bvsdiv " : "(bvsrem ") + a + " " + b + ")";
        }
        break;
      }
      default: throw not_exportable(std::string("a guard with ") + name(t.code));
    }
    if (!out.text.empty() && t.code != op::MAX && t.code != op::MIN) out.text = define("g", whole ? "Int" : bits_sort(guard_width_), out.text);
    return out;
  }
  static bool is(const side& s, int i, op code) { return s.tokens[i].what == part::operation && s.tokens[i].code == code && s.tokens[i].count == 2; }
  static bool same(const side& s, int a, int b) {
    const token &x = s.tokens[a], &y = s.tokens[b];
    if (x.what != y.what || x.code != y.code || x.name != y.name || x.value != y.value || x.count != y.count) return false;
    for (size_t i = 0; i < s.operands(a).size(); ++i)
      if (!same(s, s.operands(a)[i], s.operands(b)[i])) return false;
    return true;
  }
  static bool is_floor_rest(const side& s, int i, int& a, int& b) {
    if (!is(s, i, op::MOD)) return false;
    const int sum = s.operands(i)[0];
    b = s.operands(i)[1];
    if (!is(s, sum, op::ADD) || !same(s, s.operands(sum)[1], b)) return false;
    const int rest = s.operands(sum)[0];
    if (!is(s, rest, op::MOD) || !same(s, s.operands(rest)[1], b)) return false;
    a = s.operands(rest)[0];
    return true;
  }
  static bool is_floor_quotient(const side& s, int i, int& a, int& b) {
    if (!is(s, i, op::IDIV)) return false;
    const int difference = s.operands(i)[0];
    if (!is(s, difference, op::ADD) || !is(s, s.operands(difference)[1], op::MUL)) return false;
    const int negated = s.operands(difference)[1];
    const token& factor = s.tokens[s.operands(negated)[1]];
    if (factor.what != part::literal || factor.value != -1 || !is_floor_rest(s, s.operands(negated)[0], a, b)) return false;
    return same(s, a, s.operands(difference)[0]) && same(s, b, s.operands(i)[1]);
  }
  static bool t_is_true(const side& s, int i) { return s.tokens[i].what == part::literal && s.tokens[i].value == 1; }
  // Proved of every common divisor, and so of the greatest.
  number common_divisor(const number& a, const number& b) {
    if (!numbers()) throw not_exportable("gcd on bit-vectors");
    number& known = divisors_of_[{as_number(a), as_number(b)}];
    if (!known.text.empty()) return known;
    const std::string g = declare(fresh("gcd"), "Int"), p = declare(fresh("p"), "Int"), q = declare(fresh("q"), "Int");
    assert_that("(and (= " + as_number(a) + " (* " + g + " " + p + ")) (= " + as_number(b) + " (* " + g + " " + q + ")) (>= " + g + " 0))");
    assert_that("(=> (= " + g + " 0) (and (= " + as_number(a) + " 0) (= " + as_number(b) + " 0)))");
    divisions_[{as_number(a), g}] = {p, "0"};
    divisions_[{as_number(b), g}] = {q, "0"};
    factors_.insert(g);
    return known = {g, "", both(a.ok, b.ok), 0};
  }
  void fire() {
    if (guard_.size() == 0) return;
    const number g = compute(guard_, 0);
    assert_that(both(g.ok, as_truth(g)));
  }

  // True of all integers, and what the solver does not find by itself: |b * d| >= |b| where d is not 0.
  void multiply_known() {
    if (!numbers() || quotients_.empty()) return;
    for (u8 n = 1; n <= pattern::name_count; ++n) {
      const value& v = names_[n];
      if (!is_integer(v.kind) || !v.reduced) continue;
      if (v.constant) factors_.insert(v.text);
      else if (compares_ || quotients_.size() <= 2)
        for (const std::string& q : quotients_) differences_.insert("(- " + v.text + " " + q + ")");
    }
    std::vector<std::string> scaled = quotients_;
    for (u8 n = 1; n <= pattern::name_count; ++n)
      if (is_integer(names_[n].kind) && names_[n].reduced && !names_[n].constant) scaled.push_back(names_[n].text);
    for (const std::string& ratio : ratios_)
      for (const std::string& p : quotients_)
        for (const std::string& q : quotients_)
          for (const std::string& r : scaled)
            if (p != q && q != r && p != r && ratios_.count(p) + ratios_.count(q) + ratios_.count(r) == 0)
              differences_.insert("(- " + p + " " + q + " (* " + ratio + " " + r + "))");
    for (size_t p = 0; p < quotients_.size(); ++p)
      for (size_t q = 0; q < quotients_.size(); ++q)
        for (size_t r = q + 1; r < quotients_.size(); ++r)
          if (p != q && p != r && divisors_[p] == divisors_[q] && divisors_[p] == divisors_[r])
            differences_.insert("(- " + quotients_[p] + " " + quotients_[q] + " " + quotients_[r] + ")");
    factors_.insert(ratios_.begin(), ratios_.end());
    for (const std::string& b : factors_) {
      if (b[0] == '(' || (b[0] >= '0' && b[0] <= '9')) continue;
      for (const std::string& d : differences_) {
        const std::string product = "(* " + b + " " + d + ")";
        assert_that("(and (=> (= " + d + " 0) (= " + product + " 0)) (=> (and (> " + b + " 0) (> " + d + " 0)) (>= " + product + " " + b + ")) (=> (and (> " + b + " 0) (< " + d + " 0)) (<= " + product + " (- " + b +
                    "))) (=> (and (< " + b + " 0) (> " + d + " 0)) (<= " + product + " " + b + ")) (=> (and (< " + b + " 0) (< " + d + " 0)) (>= " + product + " (- " + b + "))))");
      }
    }
  }

  // Quotient and remainder of exact numbers, rounding down: the remainder has the divisor's sign. By 0, 0 and the dividend.
  std::pair<std::string, std::string> floor_divided(const std::string& a, const std::string& b) {
    std::pair<std::string, std::string>& d = floor_divisions_[{a, b}];
    if (!d.first.empty()) return d;
    d = {declare(fresh("q"), "Int"), declare(fresh("r"), "Int")};
    const std::string &q = d.first, &r = d.second;
    know(b, q, r);
    assert_that("(= " + a + " (+ (* " + b + " " + q + ") " + r + "))");
    assert_that("(=> (= " + b + " 0) (= " + q + " 0))");
    assert_that("(=> (> " + b + " 0) (and (<= 0 " + r + ") (< " + r + " " + b + ")))");
    assert_that("(=> (< " + b + " 0) (and (<= " + r + " 0) (< " + b + " " + r + ")))");
    return d;
  }
  // What may have to be known of products with a divisor.
  void know(const std::string& b, const std::string& q, const std::string& r) {
    factors_.insert(b);
    for (const std::string& other : quotients_) {
      differences_.insert("(- " + q + " " + other + ")");
      differences_.insert("(+ " + q + " " + other + ")");
    }
    quotients_.push_back(q);
    divisors_.push_back(b);
    differences_.insert("(- " + b + " " + r + ")");
    differences_.insert("(+ " + b + " " + r + ")");
    differences_.insert(r);
  }
  // Quotient and remainder of exact numbers, truncating; by 0, 0 and the dividend.
  std::pair<std::string, std::string> divided(const std::string& a, const std::string& b) {
    std::pair<std::string, std::string>& d = divisions_[{a, b}];
    if (!d.first.empty()) return d;
    d = {declare(fresh("q"), "Int"), declare(fresh("r"), "Int")};
    const std::string &q = d.first, &r = d.second;
    know(b, q, r);
    assert_that("(= " + a + " (+ (* " + b + " " + q + ") " + r + "))");
    assert_that("(=> (= " + b + " 0) (= " + q + " 0))");
    assert_that("(=> (and (> " + b + " 0) (>= " + a + " 0)) (and (<= 0 " + r + ") (< " + r + " " + b + ") (>= " + q + " 0)))");
    assert_that("(=> (and (> " + b + " 0) (< " + a + " 0)) (and (<= " + r + " 0) (< (- " + b + ") " + r + ") (<= " + q + " 0)))");
    assert_that("(=> (and (< " + b + " 0) (>= " + a + " 0)) (and (<= 0 " + r + ") (< " + r + " (- " + b + ")) (<= " + q + " 0)))");
    assert_that("(=> (and (< " + b + " 0) (< " + a + " 0)) (and (<= " + r + " 0) (< " + b + " " + r + ") (>= " + q + " 0)))");
    return d;
  }

  value apply(op code, scalar_kind k, std::vector<value> v, bool left) {
    const size_t arity = static_cast<size_t>(traits(code).arity);
    if (v.size() != arity) throw not_exportable(std::string(name(code)) + " with another number of sources");
    const scalar_kind from = v[0].kind;
    value out;
    if (code == op::POW) {
      if (v[0].power == 1 || v[1].power == 0) return literal(k, 1);  // of floats too, NaN or not
      if (is_float(from)) throw by_values("powers of floats");
      if (v[1].power < 0) throw not_exportable("a power of unknown exponent");
      if (v[1].power == 0) return literal(k, 1);
      out = v[0];
      for (int i = 1; i < v[1].power; ++i) out = apply(op::MUL, k, {out, v[0]}, left);
      return out;
    }
    if (code == op::WHERE) {
      out = {"(ite " + v[0].text + " " + v[1].text + " " + v[2].text + ")", k, v[1].reduced && v[2].reduced};
    } else if (is_bool(from)) {
      out = {of_bools(code, v), is_comparison(code) ? scalar_kind::bool_ : k};
    } else if (is_float(from) && code == op::MUL) {
      return product_of_floats(k, v);
    } else if (is_float(from)) {
      out = {of_floats(code, v), is_comparison(code) ? scalar_kind::bool_ : k};
    } else if (numbers()) {
      out = of_numbers(code, k, v, left);
    } else {
      out = of_bits(code, k, v, left);
    }
    if (out.text.size() > 24 && out.text.compare(0, 8, "(fp.neg ") != 0) out.text = define(left ? "l" : "r", sort(out.kind), out.text);
    out.constant = true;
    for (const value& operand : v) out.constant = out.constant && operand.constant;
    return out;
  }
  static std::string call(const char* f, const std::vector<value>& v) {
    std::string out = std::string("(") + f;
    for (const value& operand : v) out += " " + operand.text;
    return out + ")";
  }
  static std::string of_bools(op code, const std::vector<value>& v) {
    switch (code) {
      case op::ADD: case op::OR: case op::MAX: return call("or", v);
      case op::MUL: case op::AND: case op::MIN: case op::IDIV: case op::FLOORDIV: return call("and", v);
      case op::XOR: case op::CMPNE: return call("xor", v);
      case op::CMPLT: return "(and (not " + v[0].text + ") " + v[1].text + ")";
      case op::MOD: case op::FLOORMOD: case op::SHL: case op::SHR: return "(and " + v[0].text + " (not " + v[1].text + "))";
      default: throw not_exportable(std::string(name(code)) + " of bools");
    }
  }
  // A product's sign is that of its factors together, and its magnitude is rounded alike for both signs: negations are taken
  // out of it, factors stand in one order, and twice a number is its sum with itself.
  value product_of_floats(scalar_kind k, const std::vector<value>& v) {
    bool negative = false;
    std::string parts[2];
    for (int i = 0; i < 2; ++i) {
      parts[i] = v[static_cast<size_t>(i)].text;
      const std::string prefix = "(fp.neg ", minus_two = real(k, -2), two = real(k, 2);
      if (parts[i].compare(0, prefix.size(), prefix) == 0) {
        negative = !negative;
        parts[i] = parts[i].substr(prefix.size(), parts[i].size() - prefix.size() - 1);
      } else if (parts[i] == real(k, -1)) {
        negative = !negative;
        parts[i] = real(k, 1);
      } else if (parts[i] == minus_two) {
        negative = !negative;
        parts[i] = two;
      }
    }
    if (parts[1] < parts[0]) std::swap(parts[0], parts[1]);
    std::string out;
    for (int i = 0; i < 2 && out.empty(); ++i) {
      if (parts[i] == real(k, 1)) out = parts[1 - i];
      else if (parts[i] == real(k, 2)) out = named_term("(fp.add RNE " + parts[1 - i] + " " + parts[1 - i] + ")", k);
    }
    if (out.empty()) out = named_term("(fp.mul RNE " + parts[0] + " " + parts[1] + ")", k);
    value result{negative ? "(fp.neg " + out + ")" : out, k};
    result.constant = v[0].constant && v[1].constant;
    return result;
  }
  std::string named_term(const std::string& term, scalar_kind k) {
    std::string& known = terms_[term];
    if (known.empty()) known = define("t", sort(k), term);
    return known;
  }
  std::string of_floats(op code, const std::vector<value>& v) {
    const std::string a = v[0].text, b = v.size() > 1 ? v[1].text : "";
    const std::string nan = "(_ NaN" + sort(v[0].kind).substr(std::string("(_ FloatingPoint").size());
    switch (code) {
      case op::ADD: if (a == b) return named_term("(fp.add RNE " + a + " " + b + ")", v[0].kind); return "(fp.add RNE " + a + " " + b + ")";
      case op::SUB: return "(fp.sub RNE " + a + " " + b + ")";
      case op::MUL: return "(fp.mul RNE " + a + " " + b + ")";
      case op::FDIV: return "(fp.div RNE " + a + " " + b + ")";
      case op::RECIP: return "(fp.div RNE " + real(v[0].kind, 1) + " " + a + ")";
      case op::SQRT: return "(fp.sqrt RNE " + a + ")";
      case op::NEG: return "(fp.neg " + a + ")";
      case op::CMPLT: return "(fp.lt " + a + " " + b + ")";
      case op::CMPNE: return "(not (fp.eq " + a + " " + b + "))";
      case op::MAX: return "(ite (or (fp.isNaN " + a + ") (fp.isNaN " + b + ")) " + nan + " (ite (fp.lt " + a + " " + b + ") " + b + " " + a + "))";
      case op::MIN: return "(ite (or (fp.isNaN " + a + ") (fp.isNaN " + b + ")) " + nan + " (ite (fp.lt " + b + " " + a + ") " + b + " " + a + "))";
      default: throw not_exportable(std::string(name(code)) + " of floats");
    }
  }
  value of_numbers(op code, scalar_kind k, std::vector<value> v, bool left) {
    const scalar_kind from = v[0].kind;
    const bool ring = rule_.kind == rule_kind::ring;
    std::string sum;
    switch (code) {
      case op::ADD: sum = call("+", v); break;
      case op::MUL: sum = call("*", v); break;
      case op::SUB: case op::NEG: sum = call("-", v); break;
      default: break;
    }
    if (!sum.empty()) {
      value out{sum, k, !ring};
      if (ring) return out;
      bool constant = true;
      for (const value& operand : v) constant = constant && operand.constant;
      if (!left && constant) {
        // An op on constants is folded, and wraps.
        out.reduced = false;
        return reduced(out);
      }
      out.text = define(left ? "l" : "r", "Int", sum);
      assert_that(within(k, out.text));
      return out;
    }
    for (value& operand : v) operand = reduced(operand);
    const std::string a = v[0].text, b = v.size() > 1 ? v[1].text : "";
    switch (code) {
      case op::CMPLT: return {"(< " + a + " " + b + ")", scalar_kind::bool_};
      case op::CMPNE: return {"(not (= " + a + " " + b + "))", scalar_kind::bool_};
      case op::MAX: return {"(ite (< " + a + " " + b + ") " + b + " " + a + ")", k};
      case op::MIN: return {"(ite (< " + b + " " + a + ") " + b + " " + a + ")", k};
      case op::IDIV: {
        const std::string q = divided(a, b).first;
        if (is_unsigned(from)) return {q, k};
        if (ring) return {q, k, false};                          // the least number by -1 is M, and wraps
        return {"(ite (= " + q + " M) (- M) " + q + ")", k};
      }
      case op::MOD: return {divided(a, b).second, k};
      case op::FLOORDIV: case op::FLOORMOD: {
        const auto [q, r] = floor_divided(a, b);
        if (is_unsigned(from) || code == op::FLOORMOD) return {code == op::FLOORDIV ? q : r, k};
        if (ring) return {q, k, false};
        return {"(ite (= " + q + " M) (- M) " + q + ")", k};
      }
      default: throw not_exportable(std::string(name(code)) + " of unbounded integers");
    }
  }
  value of_bits(op code, scalar_kind k, const std::vector<value>& v, bool left) {
    const scalar_kind from = v[0].kind;
    const bool positive = is_unsigned(from);
    const std::string a = v[0].text, b = v.size() > 1 ? v[1].text : "", zero = bits(0, in_.width);
    value out{"", k};
    bool exact = false;  // may overflow
    switch (code) {
      case op::ADD: out.text = call("bvadd", v); exact = true; break;
      case op::MUL: out.text = call("bvmul", v); exact = true; break;
      case op::SUB: out.text = call("bvsub", v); exact = true; break;
      case op::NEG: out.text = call("bvneg", v); exact = true; break;
      case op::AND: out.text = call("bvand", v); break;
      case op::OR: out.text = call("bvor", v); break;
      case op::XOR: out.text = call("bvxor", v); break;
      case op::SHL: out.text = call("bvshl", v); exact = true; break;
      case op::SHR: out.text = call(positive ? "bvlshr" : "bvashr", v); break;
      case op::CMPLT: return {call(positive ? "bvult" : "bvslt", v), scalar_kind::bool_};
      case op::CMPNE: return {"(not (= " + a + " " + b + "))", scalar_kind::bool_};
      case op::MAX: out.text = std::string("(ite (") + (positive ? "bvult " : "bvslt ") + a + " " + b + ") " + b + " " + a + ")"; break;
      case op::MIN: out.text = std::string("(ite (") + (positive ? "bvult " : "bvslt ") + b + " " + a + ") " + b + " " + a + ")"; break;
      case op::IDIV: out.text = "(ite (= " + b + " " + zero + ") " + zero + " " + call(positive ? "bvudiv" : "bvsdiv", v) + ")"; break;
      case op::MOD: out.text = "(ite (= " + b + " " + zero + ") " + a + " " + call(positive ? "bvurem" : "bvsrem", v) + ")"; break;
      case op::FLOORDIV: case op::FLOORMOD: {
        const std::string q = define("q", bits_sort(in_.width), "(ite (= " + b + " " + zero + ") " + zero + " " + call(positive ? "bvudiv" : "bvsdiv", v) + ")");
        const std::string r = define("m", bits_sort(in_.width), "(ite (= " + b + " " + zero + ") " + a + " " + call(positive ? "bvurem" : "bvsrem", v) + ")");
        if (positive) return {code == op::FLOORDIV ? q : r, k};
        const std::string down = "(and (not (= " + r + " " + zero + ")) (not (= " + b + " " + zero + ")) (not (= (bvslt " + a + " " + zero + ") (bvslt " + b + " " + zero + "))))";
        out.text = code == op::FLOORDIV ? "(ite " + down + " (bvsub " + q + " " + bits(1, in_.width) + ") " + q + ")" : "(ite " + down + " (bvadd " + r + " " + b + ") " + r + ")";
        break;
      }
      default: throw not_exportable(std::string(name(code)) + " of integers");
    }
    bool constant = true;
    for (const value& operand : v) constant = constant && operand.constant;
    if (exact && rule_.kind == rule_kind::ordered && (left || !constant)) {
      out.text = define(left ? "l" : "r", bits_sort(in_.width), out.text);
      const int wide = 2 * in_.width + 2;
      const std::string x = extended(a, from, wide), y = b.empty() ? "" : extended(b, from, wide), r = extended(out.text, from, wide);
      switch (code) {
        case op::ADD: assert_that("(= " + r + " (bvadd " + x + " " + y + "))"); break;
        case op::MUL: assert_that("(= " + r + " (bvmul " + x + " " + y + "))"); break;
        case op::SUB: assert_that("(= " + r + " (bvsub " + x + " " + y + "))"); break;
        case op::NEG: assert_that("(= " + r + " (bvneg " + x + "))"); break;
        default: assert_that(std::string("(= ") + (positive ? "(bvlshr " : "(bvashr ") + out.text + " " + b + ") " + a + ")"); break;
      }
    }
    return out;
  }

  const rule& rule_;
  side left_, right_, guard_;
  type_classes types_;
  const variant& pick_;
  setting in_;
  std::string text_, symbols_;
  std::vector<int> signs_;
  int integers_ = 0, bools_ = 0;
  int count_ = 0;
  int guard_width_ = 0;
  bool zero_of_any_sign_ = false;
  value names_[pattern::name_count + 1]{};
  std::pair<std::string, std::string> ranges_[pattern::name_count + 1]{};
  std::map<std::pair<std::string, std::string>, std::pair<std::string, std::string>> divisions_, floor_divisions_;
  std::vector<std::string> quotients_, divisors_;
  std::map<std::pair<std::string, std::string>, number> divisors_of_;
  std::set<std::string> factors_, differences_, ratios_;
  bool compares_ = false;
  std::map<std::string, std::string> terms_;
};

}  // namespace proofs
