// Timing of contenders against each other. They are checked against a reference, then run in interleaved rounds: in each
// round every contender is sampled once, so that a busy moment of the machine meets all of them, and what is compared is
// the ratio of two times of one round. Prints Markdown; with --write=FILE also puts it between the program's markers there.
#pragma once

#include <time.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

struct options {
  size_t rounds = 21;
  double sample_seconds = 2e-3;
  std::string only;   // workloads whose name contains this
  std::string write;  // file with markers
};

inline options parse(int count, char** words) {
  options o;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    const auto value = [&](std::string_view name) { return word.starts_with(name) ? words[i] + name.size() : nullptr; };
    if (const char* v = value("--rounds=")) o.rounds = std::max<size_t>(21, std::strtoul(v, nullptr, 10));
    else if (const char* s = value("--sample-ms=")) o.sample_seconds = std::strtod(s, nullptr) * 1e-3;
    else if (const char* f = value("--only=")) o.only = f;
    else if (const char* w = value("--write=")) o.write = w;
    else throw std::runtime_error("options: --rounds=N (>= 21) --sample-ms=T --only=TEXT --write=FILE; got " + std::string(word));
  }
  return o;
}

inline double wall_seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
inline double thread_seconds() {
  timespec t;
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Everything in memory may have been read and written.
inline void touch_memory() { asm volatile("" ::: "memory"); }

// The value at a fraction of the sorted values.
inline double quantile(std::vector<double> values, double fraction) {
  std::sort(values.begin(), values.end());
  const double place = fraction * static_cast<double>(values.size() - 1);
  const size_t below = static_cast<size_t>(place), above = std::min(below + 1, values.size() - 1);
  return values[below] + (values[above] - values[below]) * (place - static_cast<double>(below));
}

struct spread {
  double low, median, high;  // quartiles
};
inline spread spread_of(const std::vector<double>& values) {
  return {quantile(values, 0.25), quantile(values, 0.5), quantile(values, 0.75)};
}

inline std::string fixed(double value, int digits) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*f", digits, value);
  return buffer;
}

// Floats aligned to a cache line, uniform in [low, high).
class floats {
 public:
  explicit floats(size_t count, unsigned seed = 0, float low = 0, float high = 0)
      : count_(count), at_(static_cast<float*>(std::aligned_alloc(64, (count * sizeof(float) + 63) / 64 * 64))) {
    unsigned long long state = seed * 2654435761ull + 1;
    for (size_t i = 0; i < count; ++i) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      at_[i] = low + (high - low) * static_cast<float>(state >> 40) * 0x1p-24f;
    }
  }
  float* data() const { return at_.get(); }
  size_t size() const { return count_; }
  float& operator[](size_t i) const { return at_[i]; }

 private:
  struct release {
    void operator()(float* p) const { std::free(p); }
  };
  size_t count_;
  std::unique_ptr<float[], release> at_;
};

// What is computed: the contenders write `out`, which is held against `reference`.
struct workload {
  std::string name;
  double flops = 0;                         // of one run; 0: no rate is shown
  const floats& out;
  std::vector<double> reference;
  double tolerance = 0;                     // of |out - reference| / (1 + |reference|)
  std::vector<std::string> baselines;       // contenders that the others are compared with

  double error() const {
    double worst = 0;
    for (size_t i = 0; i < reference.size(); ++i) {
      const double e = std::abs(static_cast<double>(out[i]) - reference[i]) / (1 + std::abs(reference[i]));
      if (!(e <= worst)) worst = e;  // NaN too
    }
    return worst;
  }
};

// The contenders of one workload.
class contest {
 public:
  static constexpr float unset = 1e30f;  // what the output holds before a contender is checked

  contest(const options& o, workload w) : options_(o), workload_(std::move(w)) {}

  // run(): the whole computation, once.
  template <class Run>
  void add(std::string name, Run run) {
    contenders_.push_back({std::move(name), [run](size_t repeats) mutable {
                             for (size_t i = 0; i < repeats; ++i) {
                               run();
                               touch_memory();
                             }
                           }, 1, false, 0, {}});
  }
  // The contender's speed is to be at least `least` times the baseline's.
  void target(std::string who, std::string baseline, double least) { targets_.push_back({std::move(who), std::move(baseline), least}); }

  bool selected() const { return workload_.name.find(options_.only) != std::string::npos; }

  // Checks, times and returns the Markdown.
  std::string run() {
    for (contender& c : contenders_) check(c);
    for (contender& c : contenders_)
      if (!c.wrong) calibrate(c);
    for (size_t round = 0; round < options_.rounds; ++round)
      for (size_t i = 0; i < contenders_.size(); ++i) {
        contender& c = contenders_[(i + round) % contenders_.size()];
        if (!c.wrong) c.seconds.push_back(sample(c));
      }
    return report();
  }

  // How many times faster contender ran than baseline, by round; empty when one of them has no times.
  std::vector<double> ratios(std::string_view contender_name, std::string_view baseline_name) const {
    const contender *c = find(contender_name), *b = find(baseline_name);
    std::vector<double> out;
    if (c == nullptr || b == nullptr || c->seconds.empty() || b->seconds.empty()) return out;
    for (size_t i = 0; i < c->seconds.size(); ++i) out.push_back(b->seconds[i] / c->seconds[i]);
    return out;
  }

 private:
  struct contender {
    std::string name;
    std::function<void(size_t)> run;
    size_t repeats;
    bool wrong;
    double error;
    std::vector<double> seconds;  // by round, of one run
  };
  struct goal {
    std::string contender, baseline;
    double least;
  };

  const contender* find(std::string_view name) const {
    for (const contender& c : contenders_)
      if (c.name == name) return &c;
    return nullptr;
  }
  void check(contender& c) const {
    for (size_t i = 0; i < workload_.out.size(); ++i) workload_.out[i] = unset;
    c.run(1);
    c.error = workload_.error();
    c.wrong = !(c.error <= workload_.tolerance);
  }
  void calibrate(contender& c) const {
    for (;;) {
      const double start = wall_seconds();
      c.run(c.repeats);
      const double took = wall_seconds() - start;
      if (took >= options_.sample_seconds) return;
      const double wanted = 1.2 * options_.sample_seconds / std::max(took, 1e-7) * static_cast<double>(c.repeats);
      c.repeats = std::max(2 * c.repeats, static_cast<size_t>(wanted));
    }
  }
  // A sample that waited for another process is taken again, a few times at most.
  double sample(contender& c) const {
    for (int attempt = 0;; ++attempt) {
      const double cpu = thread_seconds(), start = wall_seconds();
      c.run(c.repeats);
      const double wall = wall_seconds() - start, used = thread_seconds() - cpu;
      if (wall <= 1.03 * used || attempt == 4) return wall / static_cast<double>(c.repeats);
    }
  }

  std::string report() const {
    std::ostringstream out;
    out << "### " << workload_.name << "\n\n| contender | median | " << (workload_.flops > 0 ? "GFLOP/s | " : "");
    for (const std::string& b : workload_.baselines) out << "speed / " << b << " | ";
    out << "error |\n| --- | ---: | " << (workload_.flops > 0 ? "---: | " : "");
    for (size_t i = 0; i < workload_.baselines.size(); ++i) out << "---: | ";
    out << "---: |\n";
    for (const contender& c : contenders_) {
      char error[32];
      std::snprintf(error, sizeof error, "%.1e", c.error);
      if (c.wrong) {
        out << "| " << c.name << " | WRONG |" << (workload_.flops > 0 ? " |" : "");
        for (size_t i = 0; i < workload_.baselines.size(); ++i) out << " |";
        out << ' ' << error << " |\n";
        continue;
      }
      const double median = spread_of(c.seconds).median;
      out << "| " << c.name << " | " << time_text(median) << " | ";
      if (workload_.flops > 0) out << fixed(workload_.flops / median * 1e-9, 1) << " | ";
      for (const std::string& b : workload_.baselines) {
        const std::vector<double> r = ratios(c.name, b);
        if (r.empty() || c.name == b) out << (c.name == b ? "1" : "") << " | ";
        else out << spread_text(spread_of(r)) << " | ";
      }
      out << error << " |\n";
    }
    out << "\n";
    for (const goal& g : targets_) {
      const std::vector<double> r = ratios(g.contender, g.baseline);
      out << "- " << g.contender << " ≥ " << fixed(g.least, 2) << " × " << g.baseline << ": ";
      if (r.empty()) {
        out << "not measured\n";
        continue;
      }
      const spread s = spread_of(r);
      out << (s.median >= g.least ? "met" : s.high >= g.least ? "met (within the quartiles)" : "**missed**") << ", " << spread_text(s) << "\n";
    }
    if (!targets_.empty()) out << "\n";
    return out.str();
  }
  static std::string time_text(double seconds) {
    return seconds < 1e-6 ? fixed(seconds * 1e9, 1) + " ns" : seconds < 1e-3 ? fixed(seconds * 1e6, 2) + " µs" : fixed(seconds * 1e3, 2) + " ms";
  }
  static std::string spread_text(const spread& s) { return fixed(s.median, 2) + " [" + fixed(s.low, 2) + ", " + fixed(s.high, 2) + "]"; }

  options options_;
  workload workload_;
  std::vector<contender> contenders_;
  std::vector<goal> targets_;
};

// Prints what a program measured, and writes it between <!-- name: begin --> and <!-- name: end --> of --write's file.
inline void publish(const options& o, const std::string& name, const std::string& markdown) {
  std::fputs(markdown.c_str(), stdout);
  if (o.write.empty()) return;
  std::ifstream in(o.write);
  std::stringstream whole;
  whole << in.rdbuf();
  std::string text = whole.str();
  const std::string begin = "<!-- " + name + ": begin -->\n", end = "<!-- " + name + ": end -->";
  const size_t from = text.find(begin), to = text.find(end);
  if (from == std::string::npos || to == std::string::npos || to < from) throw std::runtime_error(o.write + " has no markers of " + name);
  text.replace(from + begin.size(), to - from - begin.size(), "\n" + markdown);
  std::ofstream(o.write) << text;
}

}  // namespace bench
