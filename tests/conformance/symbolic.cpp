// Cases of symbolic.jsonl: expressions that are simplified. The result has the values of the samples and of the original,
// bounds hold every value that is known, simplifying again changes nothing; sizes are compared where the corpus is sound.
#include <ostream>
#include <random>

#include "evaluator.hpp"
#include "family.hpp"
#include "numbers.hpp"
#include "points.hpp"
#include "strength.hpp"
#include "tree.hpp"

namespace conformance {

using namespace twill;

namespace {

constexpr int exactness_points = 100;

std::string shown(scalar_kind kind, const std::vector<i64>& lanes) {
  std::string out;
  for (const i64 word : lanes) out += (out.empty() ? "" : ",") + written(kind, word);
  return out;
}
std::string shown(interval b, scalar_kind kind) { return "[" + written(kind, b.lo) + ", " + written(kind, b.hi) + ']'; }
bool same_values(scalar_kind kind, const std::vector<i64>& a, const std::vector<i64>& b) {
  for (size_t i = 0; i < a.size() && i < b.size(); ++i)
    if (!same_value(kind, a[i], b[i])) return false;
  return a.size() == b.size();
}

bool are_zeros(scalar_kind kind, const std::vector<i64>& lanes) {
  for (const i64 word : lanes)
    if (!is_float(kind) || double_of(word) != 0) return false;
  return true;
}

// A float with bounds is no NaN; without them it is anything.
bool within(uop u, i64 word) {
  const scalar_kind k = u.type().kind;
  if (!is_float(k)) return !integer_less(k, word, u.lo()) && !integer_less(k, u.hi(), word);
  return !has_float_bounds(bounds(u)) || (double_of(u.lo()) <= double_of(word) && double_of(word) <= double_of(u.hi()));
}
// A bound as the corpus writes it.
std::string written_bound(uop u, i64 word, const char* unknown) {
  return is_float(u.type()) && !has_float_bounds(bounds(u)) ? unknown : written(u.type().kind, word);
}

class symbolic_family final : public family {
 public:
  explicit symbolic_family(const options& chosen) : options_(chosen) {}

  void judge(const std::string& id, const json& line, verdict& out) override {
    graph g;
    const uop original = read_tree(g, line["expr"]);
    const uop simplified = options_.judged.simplify(original);
    const scalar_kind kind = original.type().kind;
    const size_t size = corpus_node_count(simplified);
    if (options_.results) out.result = result(original, simplified, size);

    if (!(simplified.type() == original.type())) out.fail(to_text(original.type()).c_str(), to_text(simplified.type()).c_str());
    const uop again = options_.judged.simplify(simplified);
    if (!(again == simplified)) out.fail("simplified again the same node: " + infix(simplified), infix(again));
    check_bounds(id, original, simplified, line, out);

    const std::vector<variable> variables = variables_of({original, simplified});
    evaluator before(original, variables), after(simplified, variables);
    const auto check = [&](const std::vector<i64>& point, const std::vector<i64>& expected) {
      const std::vector<i64>& got = after(point);
      if (!same_values(kind, expected, got))
        out.fail(shown(kind, expected) + shown_point(variables, point), shown(kind, got) + " from " + infix(simplified));
      for (const i64 word : expected)
        for (const uop& u : {original, simplified})
          if (!within(u, word)) out.fail("bounds with " + written(kind, word) + shown_point(variables, point), shown(bounds(u), kind));
      return expected == got;
    };

    const json* samples = line.find("samples");
    if (samples == nullptr) {
      ++without_samples_;
    } else {
      for (const json& sample : samples->items()) {
        const std::vector<i64> point = sampled_point(variables, line["vars"], sample[size_t{0}]);
        const std::vector<i64> expected{read_word(sample[1], kind)}, original_value = before(point);
        // The one meaning that differs: here MAX propagates NaN. Such a sample says nothing, the original's value does.
        if (before.met_nan_in_max()) {
          ++nan_in_max_;
          check(point, original_value);
          continue;
        }
        if (!same_values(kind, expected, original_value))
          out.fail(shown(kind, expected) + shown_point(variables, point), shown(kind, original_value) + " from the original");
        check(point, expected);
      }
    }
    // Every rule is exact: at these points floats are the same bit for bit, but for the sign of a zero, which MAX leaves open.
    std::vector<std::vector<i64>> points = points_of(variables, id);
    if (has_floats(original))
      for (std::vector<i64>& point : special_points(variables)) points.push_back(std::move(point));
    for (const std::vector<i64>& point : points) {
      const std::vector<i64> value = before(point);
      if (!check(point, value) && !are_zeros(kind, value) && is_float(kind))
        out.fail("bit for bit " + shown(kind, value) + shown_point(variables, point),
                 shown(kind, after(point)) + " from " + infix(simplified));
    }
    compare_sizes(id, line, original, simplified, size);
  }

  void summarize(std::ostream& out) const override {
    out << weaker_ << strength_;
    out << "where the corpus's result is exact too:\n" << exact_;
    if (nan_in_max_ != 0) out << "samples with a NaN under MAX, judged by the original's values: " << nan_in_max_ << '\n';
    if (without_samples_ != 0) out << "without samples, judged by the original's values: " << without_samples_ << '\n';
    out << "bounds: " << tighter_ << " tighter, " << looser_ << " looser, the others as the corpus's; not exact: " << inexact_ << " of "
        << exhausted_ << " with an exhausted domain\n";
  }
  bool weaker_at_most(size_t percent, std::ostream& out) const override { return exact_.at_most(percent, out); }

 private:
  static bool has_floats(uop u) {
    for (const u32 id : toposort(u))
      if (is_float(uop(u.owner, id).type())) return true;
    return false;
  }
  static std::string result(uop original, uop simplified, size_t size) {
    return "\"simp\":" + written_tree(simplified) + ",\"vmin\":" + written_bound(original, original.lo(), "\"-inf\"") +
           ",\"vmax\":" + written_bound(original, original.hi(), "\"inf\"") + ",\"nodes\":" + std::to_string(size);
  }
  static std::string theirs_shown(const json& line) {
    if (line["render"].is_string()) return line["render"].string();
    graph g;
    return infix(read_tree(g, line[line["simp"].is_string() ? "expr" : "simp"]));
  }
  // Of an exhausted domain the exact range is known: true_min and true_max, or, where they are left out, vmin and vmax.
  static bool exact_range(const json& line, scalar_kind kind, interval& out) {
    const json* domain = line.find("domain");
    if (domain == nullptr || !(*domain)[1].boolean()) return false;
    const auto known = [&](std::string_view exact, std::string_view theirs) -> const json& {
      const json* found = line.find(exact);
      return found != nullptr ? *found : line[theirs];
    };
    const json &least = known("true_min", "vmin"), &greatest = known("true_max", "vmax");
    if (least.is_null() || greatest.is_null()) return false;  // tinygrad raised
    out = {read_word(least, kind), read_word(greatest, kind)};
    return true;
  }
  void check_bounds(const std::string& id, uop original, uop simplified, const json& line, verdict& out) {
    const scalar_kind kind = original.type().kind;
    interval exact;
    if (exact_range(line, kind, exact)) {
      for (const uop& u : {original, simplified})
        if (!within(u, exact.lo) || !within(u, exact.hi))
          out.fail("bounds around " + shown(exact, kind), shown(bounds(u), kind) + " of " + infix(u));
      if (!is_float(kind)) ++exhausted_;
      if (!is_float(kind) && !(bounds(original) == exact)) ++inexact_;
    }
    if (is_float(kind) || line["vmin"].is_null() || line.flag("peer_bounds_unsound")) return;
    const interval theirs{read_word(line["vmin"], kind), read_word(line["vmax"], kind)}, ours = bounds(original);
    if (integer_less(kind, ours.lo, theirs.lo) || integer_less(kind, theirs.hi, ours.hi)) {
      ++looser_;
      if (options_.list_weaker)
        weaker_ += "LOOSER " + id + ": theirs " + shown(theirs, kind) + ", ours " + shown(ours, kind) + " of " + infix(original) + '\n';
    } else if (!(ours == theirs)) {
      ++tighter_;
    }
  }

  void compare_sizes(const std::string& id, const json& line, uop original, uop simplified, size_t ours) {
    if (line.flag("peer_unsound") || line["simp"].is_null()) return;
    const size_t theirs = static_cast<size_t>(line["simp_nodes"].integer());
    const bool exact = !has_floats(original) || is_exact(original, line);
    strength_.add(id, ours, theirs);
    if (exact) exact_.add(id, ours, theirs);
    if (options_.list_weaker && ours > theirs)
      weaker_ += "WEAKER " + id + ": theirs " + std::to_string(theirs) + ' ' + theirs_shown(line) + ", ours " + std::to_string(ours) + ' ' +
                 infix(simplified) + (exact ? "\n" : " [theirs is not exact]\n");
  }
  // Has the corpus's result the original's value for NaN, infinities and zeros of either sign too, bit for bit?
  static bool is_exact(uop original, const json& line) {
    if (line["simp"].is_string()) return true;
    const uop theirs = read_tree(*original.owner, line["simp"]);
    const std::vector<variable> variables = variables_of({original, theirs});
    evaluator before(original, variables), after(theirs, variables);
    for (const std::vector<i64>& point : special_points(variables))
      if (before(point) != after(point)) return false;
    std::mt19937_64 random(1);
    for (int i = 0; i < exactness_points; ++i) {
      const std::vector<i64> point = random_point(variables, random);
      if (before(point) != after(point)) return false;
    }
    return true;
  }

  options options_;
  strength strength_, exact_;  // where the corpus is sound; where it is exact for floats too
  std::string weaker_;
  size_t nan_in_max_ = 0, without_samples_ = 0, tighter_ = 0, looser_ = 0, inexact_ = 0, exhausted_ = 0;
};

}  // namespace

std::unique_ptr<family> make_symbolic(const options& chosen) { return std::make_unique<symbolic_family>(chosen); }

}  // namespace conformance
