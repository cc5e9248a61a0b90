// Cases of rewrite.jsonl: matches of patterns in their order, substitution, and rewriting with the symbolic rules.
#include <map>
#include <ostream>

#include "engine.hpp"
#include "evaluator.hpp"
#include "family.hpp"
#include "node_list.hpp"
#include "numbers.hpp"
#include "pattern_reader.hpp"
#include "points.hpp"
#include "tree.hpp"
#include "twill/ir/replace.hpp"
#include "twill/match/rewrite.hpp"

namespace conformance {

using namespace twill;

namespace {

using bindings = std::map<std::string, size_t>;  // name to place

std::string shown(const std::vector<bindings>& all) {
  std::string out("[");
  for (const bindings& b : all) {
    out += out.size() == 1 ? "{" : ",{";
    for (const auto& [name, place] : b) out += (out.back() == '{' ? "" : ",") + quoted(name) + ':' + std::to_string(place);
    out += '}';
  }
  return out + ']';
}

// Pairs of nodes, carried to the rule that replaces them.
struct substitution : context {
  std::vector<replacement> pairs;
};
constexpr auto replacing = rules(rewrite("replace", pattern::anything, [](const match& m, context& c) {
  for (const replacement& r : c.as<substitution>().pairs)
    if (r.from == m.root()) return r.to;
  return uop{};
}));

class rewrite_family final : public family {
 public:
  void judge(const std::string& id, const json& line, verdict& out) override {
    const std::string& kind = line["kind"].string();
    const json* matcher = line.find("matcher");
    const std::string with = matcher == nullptr || !matcher->is_string() ? "" : matcher->string();
    const bool symbolic_rules = with == "symbolic" || with == "symbolic_simple";
    const bool known = kind == "upat" || kind == "substitute" || ((kind == "rewrite_map" || kind == "graph_rewrite") && symbolic_rules);
    if (!known) return out.skip("kind " + kind + (kind == "graph_rewrite" || kind == "rewrite_map" ? " with " + with : ""));
    graph g;
    const node_list list = read_nodes(g, line["nodes"]);
    if (!list.unknown.empty()) return out.skip("kind " + kind + ", " + list.unknown + " among the nodes");
    if (kind == "upat")
      judge_matches(g, list, line, out);
    else if (kind == "substitute")
      judge_substitution(list, line, out);
    else if (kind == "rewrite_map")
      judge_map(list, line, id, out);
    else
      judge_rewrite(list, line, id, out);
  }
  void summarize(std::ostream& out) const override {
    if (other_form_ != 0) out << "rewritten to other nodes of the same value: " << other_form_ << '\n';
  }

 private:
  // Every match in order. Names that only some alternatives bind count where the expected match has them.
  static void judge_matches(graph& g, const node_list& list, const json& line, verdict& out) {
    const uop root = list.at(line["in"][size_t{0}]);
    const json &patterns = line["patterns"], &matches = line["matches"];
    std::string results;
    for (size_t i = 0; i < patterns.size(); ++i) {
      const read_pattern p = pattern_of(patterns[i], root);
      if (!p.inexpressible.empty()) return out.skip("kind upat, " + p.inexpressible);
      std::vector<bindings> expected, got;
      for (const json& m : matches[i].items()) {
        expected.emplace_back();
        for (const std::string& name : p.names)
          if (const json* place = m.find(name)) expected.back()[name] = static_cast<size_t>(place->integer());
      }
      for (const pattern::term& term : p.terms)
        for (const match& m : all_matches(g, root, term)) {
          bindings b;
          for (size_t n = 0; n < p.names.size(); ++n) {
            const bool counts = got.size() >= expected.size() || expected[got.size()].count(p.names[n]) != 0;
            const std::optional<size_t> place = counts ? list.place_of({&g, m.names[n]}) : std::nullopt;
            if (place) b[p.names[n]] = *place;
          }
          got.push_back(std::move(b));
        }
      if (got != expected) out.fail("matches " + shown(expected) + " of pattern " + std::to_string(i), shown(got));
      results += (i == 0 ? "" : ",") + shown(got);
    }
    out.result = "\"matches\":[" + results + ']';
  }
  static std::vector<match> all_matches(graph& g, uop root, const pattern::term& term) {
    rule_source source;
    source.name = "pattern";
    source.left = term;
    const auto set = std::make_unique<rule_set<1>>();
    set->put(0, source);
    std::vector<match> out;
    search s(set->view(), set->rules[0], g, root.id);
    while (s.next()) out.push_back(s.found);
    return out;
  }

  static std::vector<replacement> read_pairs(const node_list& list, const json& line) {
    const json& in = line["in"];
    const size_t count = static_cast<size_t>(line["n_pairs"].integer());
    std::vector<replacement> out;
    for (size_t i = 0; i < count; ++i) out.push_back({list.at(in[1 + i]), list.at(in[1 + count + i])});
    return out;
  }
  // Replaces from the root on, also in what was put in: the engine with one rule. Where the new nodes hold nothing that is
  // replaced, substitute gives the same.
  static void judge_substitution(const node_list& list, const json& line, verdict& out) {
    const uop root = list.at(line["in"][size_t{0}]), expected = list.at(line["out"][size_t{0}]);
    substitution s;
    s.pairs = read_pairs(list, line);
    rewrite_options chosen;
    chosen.bottom_up = true;
    chosen.canonical = false;
    chosen.context = &s;
    const uop got = graph_rewrite(root, replacing, chosen);
    out.result = "\"out\":" + written_tree(got);
    if (!(got == expected)) out.fail(infix(expected), infix(got));
    for (const replacement& put : s.pairs)
      for (const u32 id : toposort(put.to))
        for (const replacement& r : s.pairs)
          if (r.from.id == id) return;
    const uop at_once = twill::substitute(root, {s.pairs.data(), s.pairs.size()});
    if (!(at_once == expected)) out.fail("by substitute " + infix(expected), infix(at_once));
  }

  static rule_choice read_choice(const json& line) { return {line["matcher"].string() == "symbolic_simple", line.flag("bottom_up")}; }

  void judge_map(const node_list& list, const json& line, const std::string& id, verdict& out) {
    const uop root = list.at(line["in"][size_t{0}]);
    const std::vector<replacement> pairs = read_pairs(list, line);
    const json& rows = line["out"];
    const size_t count = rows.size() / 2;
    std::vector<uop> replaced;
    for (size_t i = 0; i < count; ++i) {
      replaced.push_back(list.at(rows[i]));
      for (const replacement& r : pairs)
        if (r.from == list.at(rows[i])) replaced.back() = r.to;
    }
    const std::vector<uop> images = rewritten_inside(root, read_choice(line), replaced);
    std::string results;
    for (size_t i = 0; i < count; ++i) {
      const uop from = list.at(rows[i]), expected = list.at(rows[count + i]), got = images[i];
      if (!(got == expected)) judge_value(from, got, id, out);
      if (corpus_node_count(got) > corpus_node_count(expected)) out.fail(larger(expected), larger(got));
      results += (i == 0 ? "" : ",") + written_tree(got);
    }
    out.result = "\"out\":[" + results + ']';
  }
  void judge_rewrite(const node_list& list, const json& line, const std::string& id, verdict& out) {
    const uop root = list.at(line["in"][size_t{0}]), expected = list.at(line["out"][size_t{0}]);
    const uop got = rewritten(root, read_choice(line));
    out.result = "\"out\":" + written_tree(got);
    if (!(got == expected)) judge_value(root, got, id, out);
    if (corpus_node_count(got) > corpus_node_count(expected)) out.fail(larger(expected), larger(got));
  }
  static std::string larger(uop u) { return std::to_string(corpus_node_count(u)) + " nodes: " + infix(u); }
  void judge_value(uop from, uop got, const std::string& id, verdict& out) {
    ++other_form_;
    const std::vector<variable> variables = variables_of({from, got});
    evaluator before(from, variables), after(got, variables);
    for (const std::vector<i64>& point : points_of(variables, id))
      if (before(point) != after(point))
        out.fail(written(from.type().kind, before(point)[0]) + shown_point(variables, point),
                 written(got.type().kind, after(point)[0]) + " from " + infix(got));
  }

  size_t other_form_ = 0;
};

}  // namespace

std::unique_ptr<family> make_rewrite(const options&) { return std::make_unique<rewrite_family>(); }

}  // namespace conformance
