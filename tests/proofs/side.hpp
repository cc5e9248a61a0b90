// One side of a rule, read from its tokens: which token stands below which, and of what kinds of dtype each can be.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "twill/match/rule.hpp"

namespace proofs {

using namespace twill;

// A rule that cannot be exported says so; it then needs another proof.
struct not_exportable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What the solver's theory of floats does not have; all values of the 16-bit floats are tried instead.
struct by_values : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct side {
  const token* tokens = nullptr;
  std::vector<std::vector<int>> below;  // operands of each token

  side() = default;
  side(const token* first, int size) : tokens(first), below(static_cast<size_t>(size)) {
    std::vector<int> open, left;
    for (int i = 0; i < size; ++i) {
      if (!open.empty()) {
        below[static_cast<size_t>(open.back())].push_back(i);
        --left.back();
      }
      if (tokens[i].count > 0) {
        open.push_back(i);
        left.push_back(tokens[i].count);
      }
      while (!left.empty() && left.back() == 0) {
        left.pop_back();
        open.pop_back();
      }
    }
  }
  int size() const { return static_cast<int>(below.size()); }
  const std::vector<int>& operands(int i) const { return below[static_cast<size_t>(i)]; }
};

inline side left_of(const rule_view& set, const rule& r) { return {set.tokens + r.first, r.left}; }
inline side right_of(const rule_view& set, const rule& r) { return {set.tokens + r.first + r.left, r.right}; }
inline side guard_of(const rule_view& set, const rule& r) { return {set.tokens + r.first + r.left + r.right, r.guard}; }

// The dtypes of a left side: tokens that must be of one kind share a class. Class 0 is bool.
struct type_classes {
  std::vector<int> of_token;
  std::vector<u16> kinds_of;        // of each class: the kinds that its tokens' filters allow
  int of_name[pattern::name_count + 1]{};

  explicit type_classes(const side& s) : parent_(static_cast<size_t>(s.size()) + 1) {
    for (size_t i = 0; i < parent_.size(); ++i) parent_[i] = static_cast<int>(i);
    const int of_bool = s.size();
    int first_with[pattern::name_count + 1];
    for (int& f : first_with) f = -1;
    for (int i = 0; i < s.size(); ++i) {
      const token& t = s.tokens[i];
      if (t.name != 0) {
        if (first_with[t.name] < 0) first_with[t.name] = i;
        else join(first_with[t.name], i);
      }
      const std::vector<int>& operands = s.operands(i);
      if (t.what == part::alternatives) {
        for (const int o : operands) join(i, o);
      } else if (t.what == part::operation || t.what == part::operation_set) {
        if (t.code == op::CAST || t.code == op::BITCAST) continue;
        if (is_comparison(t.code)) {
          join(i, of_bool);
          for (size_t k = 1; k < operands.size(); ++k) join(operands[0], operands[k]);
        } else {
          for (size_t k = 0; k < operands.size(); ++k) join(t.code == op::WHERE && k == 0 ? of_bool : i, operands[k]);
        }
      }
    }
    std::vector<int> number(parent_.size(), -1);
    number[static_cast<size_t>(find(of_bool))] = 0;
    kinds_of.push_back(kinds::boolean);
    of_token.resize(static_cast<size_t>(s.size()));
    for (int i = 0; i < s.size(); ++i) {
      int& n = number[static_cast<size_t>(find(i))];
      if (n < 0) {
        n = static_cast<int>(kinds_of.size());
        kinds_of.push_back(static_cast<u16>(kinds::all & ~1u));
      }
      of_token[static_cast<size_t>(i)] = n;
      u16& allowed = kinds_of[static_cast<size_t>(n)];
      const token& t = s.tokens[i];
      allowed = static_cast<u16>(allowed & t.types);
      if (t.what == part::real || t.what == part::exact_real) allowed &= kinds::floating;
      if (t.what == part::operation) allowed = static_cast<u16>(allowed & operand_kinds(t.code, is_comparison(t.code)));
      if (t.name != 0) of_name[t.name] = n;
    }
    // What a comparison compares must suit it as well.
    for (int i = 0; i < s.size(); ++i)
      if (s.tokens[i].what == part::operation && s.tokens[i].code == op::CMPLT)
        for (const int o : s.operands(i)) kinds_of[static_cast<size_t>(of_token[static_cast<size_t>(o)])] &= static_cast<u16>(kinds::all & ~1u);
  }

 private:
  // The kinds that an op's result can be of: bits and whole division are of integers and bools, FDIV is of floats.
  static u16 operand_kinds(op code, bool comparison) {
    if (comparison) return kinds::boolean;
    switch (code) {
      case op::AND: case op::OR: case op::XOR: case op::SHL: case op::SHR: case op::IDIV: case op::MOD: case op::FLOORDIV:
      case op::FLOORMOD: return kinds::integer | kinds::boolean;
      case op::NEG: case op::SUB: return kinds::integer | kinds::floating;
      case op::FDIV: case op::RECIP: case op::SQRT: case op::EXP2: case op::LOG2: case op::SIN: return kinds::floating;
      default: return static_cast<u16>(kinds::all & ~1u);
    }
  }
  int find(int i) {
    while (parent_[static_cast<size_t>(i)] != i) i = parent_[static_cast<size_t>(i)];
    return i;
  }
  void join(int a, int b) { parent_[static_cast<size_t>(find(a))] = find(b); }
  std::vector<int> parent_;
};

// A left side with alternatives or sets of ops stands for several: in each one, an alternative and an op are picked.
struct variant {
  std::vector<int> pick;  // for each token of the left side
};
inline int choices_of(const side& s, int i) {
  const token& t = s.tokens[i];
  if (t.what == part::alternatives) return t.count;
  if (t.what != part::operation_set) return 1;
  int n = 0;
  for (int k = 0; k < 4; ++k)
    if (((static_cast<u32>(t.value) >> (8 * k)) & 255) != 0) ++n;
  return n;
}
inline op code_of(const token& t, int pick) {
  return t.what == part::operation_set ? static_cast<op>((static_cast<u32>(t.value) >> (8 * pick)) & 255) : t.code;
}
inline std::vector<variant> variants_of(const side& s) {
  std::vector<variant> out{variant{std::vector<int>(static_cast<size_t>(s.size()), 0)}};
  for (int i = 0; i < s.size(); ++i) {
    const int n = choices_of(s, i);
    const size_t before = out.size();
    for (int k = 1; k < n; ++k)
      for (size_t v = 0; v < before; ++v) {
        out.push_back(out[v]);
        out.back().pick[static_cast<size_t>(i)] = k;
      }
  }
  return out;
}

}  // namespace proofs
