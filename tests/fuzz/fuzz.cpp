// twill_fuzz [--seed S] [--count N] [--seconds T] [--stats]
//   Fuzzes all rules; exits with 1, and a program that shows the fault, at the first failing expression.
// twill_fuzz --self-test COMPILER INCLUDE-FOLDER...
//   Fuzzes sets of rules that are wrong: each must be found, shrink to a few nodes, and fail again as a program.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "fuzz/run.hpp"
#include "fuzz/wrong_rules.hpp"
#include "twill/match/list.hpp"

namespace {

using fuzz::u64;

void report(const fuzz::finding& f, const fuzz::origin& from) {
  std::printf("FAILED: %s, seed %llu, expression %llu: %s\n\n%s", fuzz::name(f.least.why.what), static_cast<unsigned long long>(f.seed),
              static_cast<unsigned long long>(f.index), f.least.why.why.c_str(), to_cpp(f.least.what, f.least.why.at, from).c_str());
}

// An expression that takes more than some seconds: rules go on for ever inside one step. Shown as it is.
const fuzz::run* watched = nullptr;
void hangs(int) {
  const fuzz::recipe r = watched->current();
  std::printf("FAILED: no end, seed %llu, expression %llu\n\n%s", static_cast<unsigned long long>(watched->seed()),
              static_cast<unsigned long long>(watched->expressions() - 1), to_cpp(r, {}).c_str());
  std::fflush(stdout);
  std::_Exit(1);
}
constexpr unsigned patience = 20;

struct arguments {
  u64 seed = 1, count = 0;
  double seconds = 0;
  bool stats = false, keep_going = false;
};

int fuzz_all(const arguments& a) {
  const fuzz::subject s = fuzz::all_rules();
  fuzz::run run(s, a.seed);
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  int failures = 0;
  watched = &run;
  std::signal(SIGALRM, hangs);
  while (a.count == 0 || run.expressions() < a.count) {
    if ((run.expressions() & 255) == 0) {
      alarm(patience);
      if (a.seconds > 0 && elapsed() > a.seconds) break;
    }
    if (run.next()) continue;
    alarm(0);
    report(run.found, {});
    std::fflush(stdout);
    ++failures;
    if (!a.keep_going || failures == 20) break;
  }
  alarm(0);
  const double seconds = elapsed();
  const auto& applied = run.applied();
  u64 total = 0, least = ~u64{0};
  for (const u64 n : applied) {
    total += n;
    least = n < least ? n : least;
  }
  if (a.stats) {
    for (fuzz::size_t i = 0; i < s.rules.count; ++i) {
      const twill::rule& r = s.rules.rules[i];
      std::printf("%10llu  %-11s %s\n", static_cast<unsigned long long>(applied[i]), r.act ? "procedural" : r.test ? "computed if" : "",
                  r.name);
    }
  }
  std::printf("seed %llu: %llu expressions, %d failed; %.1f nodes each; %llu rule applications checked, the least used rule %llu times; %.1f s, %.0f expressions/s\n",
              static_cast<unsigned long long>(a.seed), static_cast<unsigned long long>(run.expressions()), failures,
              static_cast<double>(run.nodes()) / static_cast<double>(run.expressions()), static_cast<unsigned long long>(total), static_cast<unsigned long long>(least), seconds,
              static_cast<double>(run.expressions()) / seconds);
  return failures == 0 ? 0 : 1;
}

// Compiles and runs a printed case, in the current folder.
bool fails_again(const std::string& program, const char* compiler, int folder_count, char** folders) {
  char file[] = "./twill_fuzz_XXXXXX";
  const int handle = mkstemp(file);
  if (handle < 0) return false;
  std::FILE* out = fdopen(handle, "w");
  std::fputs(program.c_str(), out);
  std::fclose(out);
  const std::string path = file;
  std::string command = std::string("'") + compiler + "' -std=c++20 -O0 -x c++";
  for (int i = 0; i < folder_count; ++i) command += std::string(" -I'") + folders[i] + "'";
  command += " '" + path + "' -o '" + path + ".out'";
  const bool compiled = std::system(command.c_str()) == 0;
  const int status = compiled ? std::system((path + ".out").c_str()) : 0;
  std::remove(path.c_str());
  std::remove((path + ".out").c_str());
  if (!compiled) std::printf("FAILED: the printed program does not compile\n");
  return compiled && status != 0;
}

int self_test(int count, char** values) {
  int failures = 0;
  std::string all;
  for (const fuzz::fixture& f : fuzz::fixtures()) {
    fuzz::run run(f.rules, 3);
    bool found = false;
    while (!found && run.expressions() < 200000) found = !run.next();
    if (!found) {
      std::printf("FAILED: %s: no fault found\n", f.name);
      ++failures;
      continue;
    }
    const fuzz::size_t nodes = run.found.least.what.cells.size();
    std::printf("%s: found at expression %llu, %d nodes left: %s: %s\n", f.name, static_cast<unsigned long long>(run.found.index),
                static_cast<int>(nodes), fuzz::name(run.found.least.why.what), run.found.least.why.why.c_str());
    const std::string program = to_cpp(run.found.least.what, run.found.least.why.at, {"fuzz/wrong_rules.hpp", f.expression}).c_str();
    if (static_cast<int>(nodes) > f.nodes) {
      std::printf("FAILED: %s: not minimal\n%s", f.name, program.c_str());
      ++failures;
    }
    // One translation unit for all: each main becomes a function.
    std::string part = program;
    part.replace(part.find("int main()"), 10, std::string("int ") + f.name + "()");
    if (!all.empty()) part.erase(0, part.find("int "));
    all += part;
  }
  all += "int main() { return";
  const char* separator = " ";
  for (const fuzz::fixture& f : fuzz::fixtures()) {
    all += std::string(separator) + f.name + "() == 1";
    separator = " && ";
  }
  all += " ? 1 : 0; }\n";
  if (failures == 0 && !fails_again(all, values[0], count - 1, values + 1)) {
    std::printf("FAILED: the printed programs do not fail again\n%s", all.c_str());
    ++failures;
  }
  std::printf("%s\n", failures == 0 ? "all wrong rules were found, shrunk, printed, compiled and failed again" : "self-test failed");
  return failures == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** values) {
  arguments a;
  for (int i = 1; i < count; ++i) {
    const auto is = [&](const char* option) { return std::strcmp(values[i], option) == 0; };
    const bool more = i + 1 < count;
    if (is("--self-test") && more) return self_test(count - i - 1, values + i + 1);
    if (is("--seed") && more) a.seed = std::strtoull(values[++i], nullptr, 10);
    else if (is("--count") && more) a.count = std::strtoull(values[++i], nullptr, 10);
    else if (is("--seconds") && more) a.seconds = std::strtod(values[++i], nullptr);
    else if (is("--stats")) a.stats = true;
    else if (is("--keep-going")) a.keep_going = true;
    else {
      std::printf("usage: twill_fuzz [--seed S] [--count N] [--seconds T] [--stats] [--keep-going] | --self-test COMPILER FOLDER...\n");
      return 2;
    }
  }
  if (a.count == 0 && a.seconds == 0) a.count = 10000;
  return fuzz_all(a);
}
