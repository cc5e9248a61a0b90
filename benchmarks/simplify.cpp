// simplify at run time: the index-like expressions of the measured cases beside tinygrad 0.10.2, rule applications a second,
// growth of the time with the size of the graph, shared and deep graphs. tinygrad is a peer when a Python that has it is named:
//
//   python3 -m venv peer && peer/bin/pip install tinygrad==0.10.2
//   TWILL_TINYGRAD_PYTHON=peer/bin/python build/bench/benchmarks/simplify
#include <twill/symbolic.hpp>

#include <map>

#include "evaluator.hpp"
#include "harness.hpp"
#include "json.hpp"
#include "tree.hpp"

namespace tw = twill;
namespace cf = conformance;

namespace {

const std::string cases_file = TWILL_CASES;

struct index_case {
  cf::json expression;
  std::vector<std::string> variables;
  std::vector<std::pair<std::vector<tw::i64>, tw::i64>> samples;
};

std::vector<index_case> read_cases() {
  std::ifstream in(cases_file);
  std::vector<index_case> out;
  for (std::string line; std::getline(in, line);) {
    const cf::json c = cf::json::parse(line);
    if (!c["id"].string().starts_with("rand_index/") || c.find("samples") == nullptr) continue;
    index_case one{c["expr"], {}, {}};
    for (const cf::json& name : c["vars"].items()) one.variables.push_back(name.string());
    for (const cf::json& sample : c["samples"].items()) {
      std::vector<tw::i64> point;
      for (const cf::json& value : sample[0].items()) point.push_back(value.integer());
      const cf::json& value = sample[1];
      one.samples.push_back({point, value.is_bool() ? tw::i64{value.boolean()} : value.integer()});
    }
    out.push_back(std::move(one));
  }
  if (out.empty()) throw std::runtime_error(cases_file + " has no index-like cases");
  return out;
}

// Before anything is timed: every simplified expression has the measured values.
void check(const index_case& c) {
  tw::graph g;
  const tw::uop e = cf::read_tree(g, c.expression), s = tw::simplify(e);
  const std::vector<cf::variable> variables = cf::variables_of({e, s});
  cf::evaluator value(s, variables);
  for (const auto& [point, expected] : c.samples) {
    std::vector<tw::i64> words(variables.size(), 0);
    for (size_t i = 0; i < point.size(); ++i)
      if (const size_t at = cf::find_variable(variables, c.variables[i]); at < words.size()) words[at] = point[i];
    if (value(words)[0] != expected) throw std::runtime_error("simplify is WRONG for " + c.expression[0].string());
  }
}

std::string microseconds(double seconds, int digits = 2) { return bench::fixed(seconds * 1e6, digits) + " µs"; }

// The peer's median over the same expressions, nodes cold; 0 without one.
double peer_median() {
  const char* python = std::getenv("TWILL_TINYGRAD_PYTHON");
  if (python == nullptr || *python == '\0') return 0;
  const std::string command = "'" + std::string(python) + "' '" + TWILL_PEER_SCRIPT + "' '" + cases_file + "'";
  FILE* child = ::popen(command.c_str(), "r");
  double seconds = 0;
  const int read = child == nullptr ? 0 : std::fscanf(child, "%lf", &seconds);
  if (child == nullptr || ::pclose(child) != 0 || read != 1) throw std::runtime_error("the peer failed: " + command);
  return seconds;
}

std::string measure_cases(const bench::options& o) {
  const std::vector<index_case> cases = read_cases();
  tw::match_stats stats;
  for (const index_case& c : cases) {
    check(c);
    tw::graph g;
    tw::simplify(cf::read_tree(g, c.expression), {.stats = &stats});
  }
  std::vector<double> medians, totals, ratios;
  for (size_t round = 0; round < o.rounds; ++round) {
    std::vector<double> seconds;
    double total = 0;
    for (const index_case& c : cases) {
      tw::graph g;
      const tw::uop e = cf::read_tree(g, c.expression);
      const double start = bench::thread_seconds();
      const tw::uop s = tw::simplify(e);
      seconds.push_back(bench::thread_seconds() - start);
      if (s.owner == nullptr) throw std::runtime_error("lost");
      total += seconds.back();
    }
    medians.push_back(bench::quantile(seconds, 0.5));
    totals.push_back(total);
    // The peer takes seconds: in every seventh round.
    if (round % 7 == 0)
      if (const double peer = peer_median(); peer > 0) ratios.push_back(peer / medians.back());
  }
  const bench::spread median = bench::spread_of(medians);
  std::string out = "| index-like expressions | median | [quartiles] over rounds | rules applied | tried | a second |\n| ---: | ---: | --- | ---: | ---: | ---: |\n";
  out += "| " + std::to_string(cases.size()) + " | " + microseconds(median.median) + " | [" + microseconds(median.low) + ", " + microseconds(median.high) + "] | " +
         std::to_string(stats.applied()) + " | " + std::to_string(stats.tried()) + " | " +
         bench::fixed(static_cast<double>(stats.applied()) / bench::quantile(totals, 0.5) * 1e-6, 2) + " M |\n\n";
  if (ratios.empty()) return out + "Without tinygrad.\n";
  const bench::spread r = bench::spread_of(ratios);
  return out + "tinygrad 0.10.2's median is " + bench::fixed(r.median, 0) + " [" + bench::fixed(r.low, 0) + ", " + bench::fixed(r.high, 0) +
         "] times ours (≥ 100: " + (r.median >= 100 ? "met" : "**missed**") + "; aim 300).\n";
}

double seconds_of(tw::graph& g, const std::vector<tw::uop>& roots, tw::u64& applied) {
  const double start = bench::thread_seconds();
  tw::rewriter r(g, tw::symbolic.view());
  for (const tw::uop& root : roots) r(root);
  applied = r.applications();
  return bench::thread_seconds() - start;
}

// x * 3 * 5 + …: nearly every node is one at which a rule fires.
std::string measure_applications(const bench::options& o) {
  std::vector<double> rates;
  for (size_t round = 0; round < o.rounds; ++round) {
    tw::graph g;
    std::vector<tw::uop> roots;
    for (int k = 0; k < 200; ++k) {
      const tw::uop x = g.var("x", 0, k + 1);
      tw::uop e = x;
      for (int i = 2; i < 12; ++i) e = e * i * 1 + 0;
      roots.push_back(e);
    }
    tw::u64 applied = 0;
    const double seconds = seconds_of(g, roots, applied);
    rates.push_back(static_cast<double>(applied) / seconds);
  }
  const bench::spread s = bench::spread_of(rates);
  return "\nWhere nearly every node has a rule that fires, " + bench::fixed(s.median * 1e-6, 1) + " [" + bench::fixed(s.low * 1e-6, 1) + ", " +
         bench::fixed(s.high * 1e-6, 1) + "] million rules a second are applied (≥ 4: " + (s.median >= 4e6 ? "met" : "**missed**") + ").\n";
}

// Index expressions over four variables, different ones until there are `nodes` nodes.
std::string measure_growth(const bench::options& o) {
  const size_t sizes[] = {10'000, 100'000, 1'000'000};
  std::vector<std::vector<double>> times(std::size(sizes));
  for (size_t round = 0; round < o.rounds / 4 + 1; ++round)
    for (size_t s = 0; s < std::size(sizes); ++s) {
      // The same number of nodes at each size.
      double total = 0;
      for (size_t repeat = 0; repeat < sizes[2] / sizes[s]; ++repeat) {
        tw::graph g;
        std::vector<tw::uop> roots;
        const tw::uop i = g.var("i", 0, 31), j = g.var("j", 0, 63);
        for (int k = 1; g.size() < sizes[s]; ++k) {
          const tw::uop flat = (i * k + j) * 8 + k % 7;
          roots.push_back(flat / 4 % 16 + flat % 4);
        }
        tw::u64 applied = 0;
        total += seconds_of(g, roots, applied);
      }
      times[s].push_back(total / static_cast<double>(sizes[2]));
    }
  std::string out = "\n| nodes | time a node | of that at 10^4 nodes |\n| ---: | ---: | ---: |\n";
  for (size_t s = 0; s < std::size(sizes); ++s) {
    std::vector<double> ratios;
    for (size_t i = 0; i < times[s].size(); ++i) ratios.push_back(times[s][i] / times[0][i]);
    const bench::spread r = bench::spread_of(ratios);
    out += "| " + std::to_string(sizes[s]) + " | " + bench::fixed(bench::quantile(times[s], 0.5) * 1e9, 0) + " ns | " + bench::fixed(r.median, 2) + " [" +
           bench::fixed(r.low, 2) + ", " + bench::fixed(r.high, 2) + "] |\n";
  }
  return out;
}

std::string measure_shapes() {
  std::string out = "\n| graph | nodes | time |\n| --- | ---: | ---: |\n";
  const auto row = [&](const char* name, tw::graph& g, tw::uop e) {
    const size_t nodes = g.size();
    tw::u64 applied = 0;
    const double seconds = seconds_of(g, {e}, applied);
    out += "| " + std::string(name) + " | " + std::to_string(nodes) + " | " + microseconds(seconds, 0) + " |\n";
  };
  {
    tw::graph g;
    tw::uop x = g.var("x", 0, 3);
    for (int k = 0; k < 64; ++k) x = x * x;
    row("x = x * x, 64 times", g, x);
  }
  {
    tw::graph g;
    tw::uop x = g.var("x", 0, 1000, tw::int64);
    for (int k = 0; k < 100'000; ++k) x = tw::max(x % (k + 7), x / 3);
    row("max(x % k, x / 3), 100,000 deep", g, x);
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::options o = bench::parse(argc, argv);
  bench::publish(o, "simplify", measure_cases(o) + measure_applications(o) + measure_growth(o) + measure_shapes());
}
