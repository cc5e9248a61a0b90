// What each rule is for: an input that gets a different, not smaller result without it.
#pragma once

#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <string_view>

#include "conformance/tree.hpp"
#include "proofs/corpus_needs.hpp"
#include "proofs/instances.hpp"
#include "twill/symbolic.hpp"

namespace proofs {

// All symbolic rules but one. The tables are made again without it, so that it is never tried.
class others {
 public:
  explicit others(size_t left_out) : set_(symbolic) {
    set_.dispatch = {};
    for (size_t i = 0; i < set_.size(); ++i)
      if (i != left_out) set_.enter(i);
    set_.dispatch.finish();
  }
  uop simplify(uop u) const { return graph_rewrite(u, set_); }

 private:
  std::remove_const_t<decltype(symbolic)> set_;
};
inline size_t node_count(uop u) { return toposort(u).size(); }

struct need {
  std::string input;     // its name
  std::string text;      // what it says
  std::string with, without;
  bool found = false;
};
// Is the result without the rule different and not smaller?
inline bool is_needed(uop input, const others& without, need& out) {
  try {
    const uop a = simplify(input), b = without.simplify(input);
    if (a == b || node_count(b) < node_count(a)) return false;
    out.text = render(input).c_str();
    out.with = render(a).c_str();
    out.without = render(b).c_str();
    return out.found = true;
  } catch (const error&) {
    return false;
  }
}

// The comment beside the rule in its source: the input that it was written for.
inline std::string comment_of(const rule& r) {
  std::ifstream file(r.file);
  std::string line;
  for (int i = 0; i < r.line && std::getline(file, line);) ++i;
  // A rule of several lines has it after the last.
  for (int more = 0; more < 2; ++more) {
    const size_t at = line.find("// ");
    if (line.find("}  //") != std::string::npos) break;
    if (at != std::string::npos) {
      const std::string comment = line.substr(at + 3);
      return comment;
    }
    const std::string end = line.size() > 2 ? line.substr(line.size() - 2) : "";
    if (end == ")," || !std::getline(file, line)) break;
  }
  return "";
}

class corpus {
 public:
  explicit corpus(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    while (std::getline(file, line)) {
      const size_t from = line.find("\"id\":\"") + 6, to = line.find('"', from);
      lines_[line.substr(from, to - from)] = line;
    }
  }
  bool has(const std::string& id) const { return lines_.count(id) != 0; }
  uop read(graph& g, const std::string& id) const { return conformance::read_tree(g, conformance::json::parse(lines_.at(id))["expr"]); }
  const std::map<std::string, std::string>& lines() const { return lines_; }

 private:
  std::map<std::string, std::string> lines_;
};

// Where the corpus has none: the least instance of the rule's left side that needs it.
inline need least_instance(const rule_view& set, size_t index, const others& without) {
  const rule& r = set.rules[index];
  instance_check instances(set, r, 77 + static_cast<u64>(r.line));
  need best;
  size_t least = ~size_t{0};
  int hits = 0;
  for (int i = 0; i < 4000 && hits < 12; ++i) {
    graph g;
    const uop root = instances.instance(g);
    if (root.owner == nullptr || root.type().kind == scalar_kind::void_) continue;
    const size_t size = node_count(root);
    if (size >= least) continue;
    match_stats stats;
    rewrite_options options;
    options.stats = &stats;
    try {
      graph_rewrite(root, symbolic, options);
    } catch (const error&) {
      continue;
    }
    if (stats.applied(r.name) == 0) continue;
    need n;
    if (!is_needed(root, without, n)) continue;
    least = size;
    best = n;
    ++hits;
  }
  best.input = comment_of(r);
  return best;
}

inline std::string corpus_id(const char* rule) {
  for (const corpus_need& n : corpus_needs)
    if (std::string_view(n.rule) == rule) return n.id;
  return "";
}
inline need need_of(const rule_view& set, size_t index, const corpus& cases) {
  const others without(index);
  const std::string id = corpus_id(set.rules[index].name);
  if (!id.empty() && cases.has(id)) {
    graph g;
    need n;
    n.input = id;
    if (is_needed(cases.read(g, id), without, n)) return n;
  }
  return least_instance(set, index, without);
}

// Prints corpus_needs.hpp: for each rule the least case of the corpus that needs it.
inline int find_needs(const corpus& cases) {
  const rule_view set = symbolic.view();
  std::vector<std::string> best(set.count);
  std::vector<size_t> least(set.count, ~size_t{0});
  std::vector<std::vector<std::pair<size_t, std::string>>> fired(set.count);
  for (const auto& [id, line] : cases.lines()) {
    graph g;
    try {
      const uop u = cases.read(g, id);
      match_stats stats;
      rewrite_options options;
      options.stats = &stats;
      const size_t size = node_count(u);
      graph_rewrite(u, symbolic, options);
      const auto entries = stats.entries();
      for (size_t i = 0; i < set.count; ++i)
        if (entries[i].applied > 0) fired[i].push_back({size, id});
    } catch (const std::exception&) {
    }
  }
  std::puts("// For each rule the least case of the conformance corpus that gets worse without it. Written by `twill_proofs find-needs`.\n#pragma once\n\nnamespace proofs {\n\nstruct corpus_need {\n  const char* rule;\n  const char* id;\n};\ninline constexpr corpus_need corpus_needs[] = {");
  for (size_t i = 0; i < set.count; ++i) {
    std::sort(fired[i].begin(), fired[i].end());
    const others without(i);
    size_t tries = 0;
    for (const auto& [size, id] : fired[i]) {
      if (++tries > 400) break;
      graph g;
      need n;
      if (!is_needed(cases.read(g, id), without, n)) continue;
      std::printf("    {\"%s\", \"%s\"},\n", set.rules[i].name, id.c_str());
      break;
    }
  }
  std::puts("    {\"\", \"\"},\n};\n\n}  // namespace proofs");
  return 0;
}

}  // namespace proofs
