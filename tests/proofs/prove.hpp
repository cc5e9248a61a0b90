// Proofs of the declarative rules of a set: which questions a rule needs, for which dtypes, and what the answers say.
#pragma once

#include <set>

#include "proofs/procedural.hpp"
#include "proofs/smt.hpp"
#include "proofs/solver.hpp"

namespace proofs {

enum class verdict : u8 { proved, checked, refuted, open, not_exportable, procedural };

struct outcome {
  std::string rule;
  verdict state = verdict::open;
  std::string dtypes;          // that it was proved for
  std::string how;             // theories and widths
  std::string counterexample;  // if refuted; else what went wrong
};

// One dtype of each class of a rule's left side: the questions about it, and the further ones if those are too hard.
struct goal {
  size_t outcome_index = 0;
  std::string dtypes;
  std::vector<std::pair<std::string, question>> attempts[3];  // method and question; all of an attempt must be unsat
  int stage = 0;
  bool done = false;
  std::string how;
};

class prover {
 public:
  prover(const rule_view& set, solver s) : set_(set), solver_(std::move(s)) {}

  // Proves the rules whose index leaves `part` when divided by `parts`.
  std::vector<outcome> prove(size_t part = 0, size_t parts = 1, bool suspicious = false) {
    for (size_t i = 0; i < set_.count; ++i)
      if (i % parts == part) enter(set_.rules[i]);
    if (suspicious) refute();
    for (int stage = 0; stage < 3; ++stage) ask(stage);
    for (size_t i = 0; i < outcomes_.size(); ++i) conclude(i);
    return outcomes_;
  }

 private:
  void enter(const rule& r) {
    outcome o;
    o.rule = r.name;
    if (r.act || r.test) {
      o.state = verdict::procedural;
      outcomes_.push_back(o);
      return;
    }
    outcomes_.push_back(o);
    try {
      const side left = left_of(set_, r);
      for (const variant& v : variants_of(left)) enter(r, v);
    } catch (const not_exportable& problem) {
      outcomes_.back().state = verdict::not_exportable;
      outcomes_.back().counterexample = problem.what();
    }
  }
  // For each class one kind of dtype; all integers of one width.
  void enter(const rule& r, const variant& v) {
    const side left = left_of(set_, r);
    const type_classes types(left);
    std::vector<std::vector<scalar_kind>> choices;
    for (size_t c = 0; c < types.kinds_of.size(); ++c) {
      std::vector<scalar_kind> out;
      for (const scalar_kind k : {scalar_kind::bool_, scalar_kind::int8, scalar_kind::uint8, scalar_kind::float16, scalar_kind::bfloat16, scalar_kind::float32, scalar_kind::float64}) {
        u16 bits = kinds::bit(k);
        if (is_integer(k)) bits = is_signed(k) ? kinds::signed_integer : static_cast<u16>(kinds::integer & ~kinds::signed_integer);
        if ((types.kinds_of[c] & bits) != 0) out.push_back(k);
      }
      choices.push_back(out);
    }
    setting s;
    s.kind.assign(choices.size(), scalar_kind::void_);
    std::vector<size_t> at(choices.size(), 0);
    for (const std::vector<scalar_kind>& c : choices)
      if (c.empty()) return;  // a variant that no dtype has
    while (true) {
      for (size_t c = 0; c < choices.size(); ++c) s.kind[c] = choices[c][at[c]];
      enter(r, v, types, s);
      size_t c = 0;
      while (c < at.size() && ++at[c] == choices[c].size()) at[c++] = 0;
      if (c == at.size()) return;
    }
  }
  void enter(const rule& r, const variant& v, const type_classes& types, setting s) {
    goal g;
    g.outcome_index = outcomes_.size() - 1;
    bool integers = false;
    u16 allowed = kinds::all;
    for (size_t c = 0; c < s.kind.size(); ++c) {
      if (is_integer(s.kind[c])) {
        integers = true;
        allowed = static_cast<u16>(allowed & types.kinds_of[c]);
      }
      if (c > 0 || s.kind.size() == 1) g.dtypes += (g.dtypes.empty() ? "" : " and ") + std::string(is_signed(s.kind[c]) ? "signed" : is_unsigned(s.kind[c]) ? "unsigned" : name(s.kind[c]));
    }
    const auto question_of = [&](const setting& where) {
      exporter e(set_, r, v, where);
      question q;
      q.text = e.question();
      q.symbols = e.symbols();
      return q;
    };
    if (!integers) {
      s.width = 8;
      exporter e(set_, r, v, s);
      bool give_up = false;
      for (const scalar_kind k : s.kind) give_up = give_up || (is_float(k) && written_proof(r.name, k) != nullptr);
      try {
        if (give_up) throw by_values("");
        e.question();
      } catch (const by_values&) {
        g.done = true;
        g.stage = 2;
        g.how = "float values";
        goals_.push_back(std::move(g));
        return;
      }
      bool floats = false;
      for (const scalar_kind k : s.kind) floats = floats || is_float(k);
      for (unsigned cases = 0; cases < 1u << e.bool_count(); ++cases) {
        std::vector<int> values;
        for (int b = 0; b < e.bool_count(); ++b) values.push_back(static_cast<int>(cases >> b & 1));
        exporter one(set_, r, v, s);
        question q{one.question(values), one.symbols()};
        g.attempts[0].push_back({floats ? "floating point" : "bools", q});
      }
      goals_.push_back(std::move(g));
      return;
    }
    std::vector<std::pair<std::string, question>> widths, whole, narrow;
    for (const int width : {8, 16, 32, 64}) {
      bool wanted = r.kind == rule_kind::ring || has_bits(r);
      for (size_t c = 0; c < s.kind.size(); ++c)
        if (is_integer(s.kind[c])) wanted = wanted && (types.kinds_of[c] & kinds::bit(of_width(s.kind[c], width))) != 0;
      if (!wanted) continue;
      setting w = s;
      w.width = width;
      for (scalar_kind& k : w.kind)
        if (is_integer(k)) k = of_width(k, width);
      widths.push_back({"bit-vectors", question_of(w)});
    }
    if (!has_bits(r)) {
      setting w = s;
      w.integers = theory::numbers;
      const char* method = r.kind == rule_kind::ring ? "integers modulo 2^n" : "unbounded integers";
      exporter e(set_, r, v, w);
      question q{e.question(), e.symbols()};
      if (!e.divides()) whole.push_back({method, q});
      else {
        // By the signs of the names.
        std::vector<int> signs(static_cast<size_t>(e.integer_count()), is_unsigned_only(w) ? 0 : -1);
        while (true) {
          exporter one(set_, r, v, w);
          question part{one.question(signs), one.symbols()};
          part.linear = true;
          whole.push_back({method, part});
          size_t at = 0;
          while (at < signs.size() && ++signs[at] == 2) signs[at++] = is_unsigned_only(w) ? 0 : -1;
          if (at == signs.size()) break;
        }
      }
    }
    for (const int width : {8, 12}) {
      setting w = s;
      w.width = width;
      try {
        narrow.push_back({"8/12", question_of(w)});
      } catch (const not_exportable&) {
        if (whole.empty()) throw;
      }
    }
    if (!whole.empty() && whole[0].second.linear) {
      g.attempts[0] = whole;
      if (r.kind == rule_kind::ring) g.attempts[1] = widths;
    } else if (r.kind == rule_kind::ring || whole.empty()) {
      g.attempts[0] = widths;
      g.attempts[1] = whole;
    } else {
      g.attempts[0] = whole;
    }
    g.attempts[2] = narrow;
    goals_.push_back(std::move(g));
  }
  static bool is_unsigned_only(const setting& s) {
    for (const scalar_kind k : s.kind)
      if (is_signed(k)) return false;
    return true;
  }
  static scalar_kind of_width(scalar_kind k, int width) {
    int step = 0;
    while ((8 << step) < width) ++step;
    return static_cast<scalar_kind>(static_cast<int>(is_signed(k) ? scalar_kind::int8 : scalar_kind::uint8) + 2 * step);
  }
  bool has_bits(const rule& r) const {
    const type_classes types(left_of(set_, r));
    const token* t = set_.tokens + r.first;
    for (int i = 0; i < r.left + r.right; ++i)
      if (t[i].what == part::operation && (t[i].code == op::SHL || t[i].code == op::SHR)) return true;
    for (int i = 0; i < r.left; ++i) {
      const bool of_bool = types.of_token[static_cast<size_t>(i)] == 0;
      if (!of_bool && (t[i].what == part::operation || t[i].what == part::operation_set) && (t[i].code == op::AND || t[i].code == op::OR || t[i].code == op::XOR)) return true;
    }
    return false;
  }

  // A counterexample of 8 bits is found sooner than one among all integers.
  void refute() {
    std::vector<question> questions;
    std::vector<goal*> asked;
    for (goal& g : goals_) {
      if (g.attempts[2].empty()) continue;
      questions.push_back(g.attempts[2][0].second);
      asked.push_back(&g);
    }
    solver_.ask(questions, 10'000'000);
    for (size_t i = 0; i < questions.size(); ++i) {
      asked[i]->attempts[2][0].second.answer = questions[i].answer;
      if (questions[i].answer == "sat") outcomes_[asked[i]->outcome_index].state = verdict::refuted;
    }
  }
  void ask(int stage) {
    std::vector<question> questions;
    std::vector<goal*> asked;
    for (goal& g : goals_) {
      if (g.done || outcomes_[g.outcome_index].state == verdict::refuted) continue;
      for (auto& [method, q] : g.attempts[stage]) {
        questions.push_back(q);
        asked.push_back(&g);
      }
    }
    solver_.ask(questions, stage == 0 ? 4'000'000 : 20'000'000);
    for (size_t i = 0; i < questions.size();) {
      goal& g = *asked[i];
      bool all = true;
      if (g.attempts[stage].empty()) throw std::logic_error("a question without a goal");
      for (size_t k = 0; i < questions.size() && asked[i] == &g; ++i, ++k) {
        g.attempts[stage][k].second.answer = questions[i].answer;
        all = all && questions[i].answer == "unsat";
      }
      if (!all) continue;
      g.done = true;
      g.stage = stage;
      g.how = g.attempts[stage][0].first;
    }
  }
  void conclude(size_t index) {
    outcome& o = outcomes_[index];
    if (o.state == verdict::not_exportable || o.state == verdict::procedural) return;
    std::set<std::string> methods, dtypes;
    o.state = verdict::proved;
    for (goal& g : goals_) {
      if (g.outcome_index != index) continue;
      if (!g.done && o.state != verdict::refuted && written_proof(o.rule.c_str()) != nullptr) {
        g.done = true;
        g.stage = 2;
        g.how = "instances";
      }
      if (!g.done) {
        o.state = verdict::open;
        o.counterexample = "no answer for " + g.dtypes;
        for (auto& attempt : g.attempts)
          for (auto& [method, q] : attempt)
            if (q.answer == "sat" && o.state != verdict::refuted) {
              o.state = verdict::refuted;
              o.counterexample = g.dtypes + ", " + method + ": " + solver_.counterexample(q, 100'000'000);
            }
        return;
      }
      if (g.stage == 2) o.state = verdict::checked;
      dtypes.insert(g.dtypes);
      if (!g.how.empty()) methods.insert(g.how);
    }
    for (const std::string& d : dtypes) o.dtypes += (o.dtypes.empty() ? "" : ", ") + d;
    for (const std::string& m : methods) o.how += (o.how.empty() ? "" : ", ") + m;
  }

  rule_view set_;
  solver solver_;
  std::vector<outcome> outcomes_;
  std::vector<goal> goals_;
};

}  // namespace proofs
