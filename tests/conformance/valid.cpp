// Cases of valid.jsonl: indices that matter only where a gate holds. Where it holds the index keeps its value, the gate
// keeps its value everywhere; a load of an image may lose its gate where the index lies outside the image anyway.
#include <ostream>

#include "evaluator.hpp"
#include "family.hpp"
#include "numbers.hpp"
#include "points.hpp"
#include "strength.hpp"
#include "tree.hpp"

namespace conformance {

using namespace twill;

namespace {

struct gated {
  uop valid;
  std::vector<uop> index;

  std::vector<uop> roots() const {
    std::vector<uop> out = index;
    out.push_back(valid);
    return out;
  }
};

// Values of a gated index at one point.
struct values {
  bool valid = false;
  std::vector<i64> index;
};
class gated_evaluator {
 public:
  gated_evaluator(const gated& g, const std::vector<variable>& variables) : valid_(g.valid, variables) {
    for (const uop& u : g.index) index_.emplace_back(u, variables);
  }
  values operator()(const std::vector<i64>& point) {
    values out{valid_(point)[0] != 0, {}};
    for (evaluator& e : index_) out.index.push_back(e(point)[0]);
    return out;
  }

 private:
  evaluator valid_;
  std::vector<evaluator> index_;
};

std::string shown(const values& v) {
  std::string out(v.valid ? "valid [" : "invalid [");
  for (const i64 i : v.index) out += (out.back() == '[' ? "" : ", ") + std::to_string(i);
  return out + ']';
}

// x in [0, w) and y in [0, h) of an image.
struct image {
  bool is_one = false;
  i64 height = 0, width = 0;
  bool outside(const std::vector<i64>& xy) const {
    return is_one && xy.size() == 2 && (xy[0] < 0 || xy[0] >= width || xy[1] < 0 || xy[1] >= height);
  }
};

bool acceptable(const values& expected, const values& got, const image& of) {
  if (expected.valid) return got.valid && got.index == expected.index;
  return !got.valid || of.outside(got.index);
}

// Distinct nodes of all roots together.
size_t node_count(const std::vector<uop>& roots) {
  graph scratch;
  std::vector<u32> ids;
  for (const uop& u : roots) ids.push_back(in_corpus_vocabulary(u, scratch).id);
  return toposort(scratch, {ids.data(), ids.size()}).size();
}

class valid_family final : public family {
 public:
  explicit valid_family(const options& chosen) : options_(chosen) {}

  void judge(const std::string& id, const json& line, verdict& out) override {
    graph g;
    gated before{read_tree(g, line["valid"]), {}};
    if (!(before.valid.type() == bool_)) throw data_error("a gate of another dtype than bool");
    for (const json& tree : line["idx"].items()) before.index.push_back(read_tree(g, tree));
    image of;
    if (!line["image_shape"].is_null()) of = {true, line["image_shape"][size_t{0}].integer(), line["image_shape"][1].integer()};

    gated after{options_.judged.simplify_valid(before.valid), {}};
    for (const uop& u : before.index) after.index.push_back(options_.judged.given_valid(before.valid, u));
    out.result = result(after);

    std::vector<uop> roots = before.roots();
    for (const uop& u : after.roots()) roots.push_back(u);
    const std::vector<variable> variables = variables_of(roots);
    gated_evaluator of_before(before, variables), of_after(after, variables);
    const auto check = [&](const std::vector<i64>& point, const values& expected) {
      const values got = of_after(point);
      if (!acceptable(expected, got, of))
        out.fail(shown(expected) + shown_point(variables, point), shown(got) + " from " + shown_nodes(after));
    };
    const json* samples = line.find("samples");
    if (samples == nullptr) return out.skip("no samples");
    for (const json& sample : samples->items()) {
      const std::vector<i64> point = sampled_point(variables, line["vars"], sample[size_t{0}]);
      values expected{sample[1].boolean(), {}};
      for (const json& i : sample[2].items()) expected.index.push_back(i.integer());
      const values original = of_before(point);
      if (original.valid != expected.valid || original.index != expected.index)
        out.fail(shown(expected) + shown_point(variables, point), shown(original) + " from the original");
      check(point, expected);
    }
    for (const std::vector<i64>& point : points_of(variables, id)) check(point, of_before(point));
    compare_sizes(id, line, after, g);
  }

  void summarize(std::ostream& out) const override { out << weaker_ << "indices:\n" << indices_ << "gates:\n" << gates_; }

 private:
  // A gate that always holds is none.
  static std::string result(const gated& after) {
    std::string index;
    for (const uop& u : after.index) index += (index.empty() ? "" : ",") + written_tree(u);
    return "\"valid\":" + (after.valid.is_constant(1) ? "null" : written_tree(after.valid)) + ",\"idx\":[" + index + ']';
  }
  static std::string shown_nodes(const gated& g) {
    std::string out;
    for (const uop& u : g.index) out += infix(u) + ", ";
    return out + "if " + infix(g.valid);
  }

  void compare_sizes(const std::string& id, const json& line, const gated& after, graph& g) {
    if (line["peer_unsound"].size() != 0 || after.valid.is_constant(0)) return;
    std::vector<uop> index;
    for (const json& tree : line["idx_given_valid"].items()) {
      if (!tree.is_array()) return;  // tinygrad proves that the gate never holds
      index.push_back(read_tree(g, tree));
    }
    if (!index.empty()) compare("index", id, indices_, after.index, index);
    if (line["simplify_valid"].is_array())
      compare("gate", id, gates_, {after.valid}, {read_tree(g, line["simplify_valid"])});
    else
      compare("gate", id, gates_, {after.valid}, {read_tree(g, line["valid"])});
  }
  void compare(const char* what, const std::string& id, strength& of, const std::vector<uop>& ours, const std::vector<uop>& theirs) {
    const size_t mine = node_count(ours), other = node_count(theirs);
    of.add(id, mine, other);
    if (!options_.list_weaker || mine <= other) return;
    const auto all = [](const std::vector<uop>& nodes) {
      std::string out;
      for (const uop& u : nodes) out += (out.empty() ? "" : ", ") + infix(u);
      return out;
    };
    weaker_ += "WEAKER " + id + ' ' + what + ": theirs " + std::to_string(other) + ' ' + all(theirs) + ", ours " + std::to_string(mine) +
               ' ' + all(ours) + '\n';
  }

  options options_;
  strength indices_, gates_;
  std::string weaker_;
};

}  // namespace

std::unique_ptr<family> make_valid(const options& chosen) { return std::make_unique<valid_family>(chosen); }

}  // namespace conformance
