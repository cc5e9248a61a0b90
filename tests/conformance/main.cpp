// twill_conformance FAMILY FILE [--results OUT.jsonl] [--weaker] [--weaker-at-most PERCENT]: judges this library by measured cases.
//
// One line for each failing case, the skipped ones counted by reason, and last "FAMILY: P passed, F failed, S skipped".
// --weaker: a line for each case where the corpus has fewer nodes or tighter bounds. --weaker-at-most: more of the former
// fail, too.
// Exit status: 0 nothing failed, 1 something did, 2 the question or the file is wrong.
#include <cerrno>
#include <cstring>
#include <exception>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <set>

#include "family.hpp"
#include "twill/base/error.hpp"

namespace conformance {
namespace {

struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct command {
  std::string family, file, results;
  options chosen;
  std::optional<size_t> percent;  // of cases that may be weaker
};

size_t read_percent(const std::string& word) {
  if (word.empty() || word.size() > 3 || word.find_first_not_of("0123456789") != std::string::npos)
    throw usage_error("no percentage: " + word);
  return std::stoul(word);
}

command read_command(int argc, char** argv) {
  command out;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--weaker") {
      out.chosen.list_weaker = true;
    } else if (word == "--results") {
      if (++i == argc) throw usage_error("--results needs a file");
      out.results = argv[i];
      out.chosen.results = true;
    } else if (word == "--weaker-at-most") {
      if (++i == argc) throw usage_error("--weaker-at-most needs a percentage");
      out.percent = read_percent(argv[i]);
    } else if (word.starts_with("--")) {
      throw usage_error("unknown option " + word);
    } else if (out.family.empty()) {
      out.family = word;
    } else if (out.file.empty()) {
      out.file = word;
    } else {
      throw usage_error("unexpected argument " + word);
    }
  }
  if (out.file.empty()) throw usage_error("a family and a file are needed");
  return out;
}

[[noreturn]] void cannot(const char* what, const std::string& file) {
  throw data_error(std::string("cannot ") + what + ' ' + file + ": " + std::strerror(errno));
}

struct tally {
  size_t passed = 0, failed = 0, skipped = 0;
  std::map<std::string, size_t> reasons;
};

void judge_line(family& judge, const std::string& text, std::set<std::string>& ids, tally& count, std::ostream* results) {
  const json line = json::parse(text);
  const std::string& id = line["id"].string();
  if (!ids.insert(id).second) throw data_error("id " + quoted(id) + " occurs twice");
  verdict v;
  try {
    judge.judge(id, line, v);
  } catch (const twill::error& e) {
    v.fail("a result", std::string("error: ") + e.what());
    v.result = "\"error\":" + quoted(e.what());
  }
  switch (v.what) {
    case verdict::kind::passed: ++count.passed; break;
    case verdict::kind::skipped:
      ++count.skipped;
      ++count.reasons[v.reason];
      v.result = "\"skipped\":" + quoted(v.reason);
      break;
    case verdict::kind::failed:
      ++count.failed;
      std::cout << "FAILED " << id << ": expected " << v.expected << ", got " << v.got << '\n';
      break;
  }
  if (results != nullptr) *results << "{\"id\":" << quoted(id) << ',' << v.result << "}\n";
}

int run(const command& c) {
  const std::unique_ptr<family> judge = make_family(c.family, c.chosen);
  if (judge == nullptr) throw usage_error("unknown family " + quoted(c.family) + "; there are " + family_names());
  std::ifstream in(c.file);
  if (!in) cannot("read", c.file);
  std::ofstream results;
  if (!c.results.empty()) {
    results.open(c.results);
    if (!results) cannot("write", c.results);
  }

  tally count;
  std::set<std::string> ids;
  std::string text;
  for (size_t number = 1; std::getline(in, text); ++number) {
    try {
      judge_line(*judge, text, ids, count, c.results.empty() ? nullptr : &results);
    } catch (const data_error& e) { throw data_error(c.file + ':' + std::to_string(number) + ": " + e.what()); }
  }
  if (in.bad()) cannot("read", c.file);
  if (count.passed + count.failed + count.skipped == 0) throw data_error(c.file + ": no cases");
  results.flush();
  if (!c.results.empty() && !results) cannot("write", c.results);

  judge->summarize(std::cout);
  const bool strong = !c.percent || judge->weaker_at_most(*c.percent, std::cout);
  for (const auto& [reason, cases] : count.reasons) std::cout << "skipped " << cases << ": " << reason << '\n';
  std::cout << c.family << ": " << count.passed << " passed, " << count.failed << " failed, " << count.skipped << " skipped\n";
  return count.failed == 0 && strong ? 0 : 1;
}

}  // namespace
}  // namespace conformance

int main(int argc, char** argv) {
  using namespace conformance;
  try {
    return run(read_command(argc, argv));
  } catch (const usage_error& e) {
    std::cerr << "twill_conformance: " << e.what()
              << "\nusage: twill_conformance FAMILY FILE [--results OUT.jsonl] [--weaker] [--weaker-at-most PERCENT]\n";
  } catch (const std::exception& e) { std::cerr << "twill_conformance: " << e.what() << '\n'; }
  return 2;
}
