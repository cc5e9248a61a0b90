// How long a new run-time kernel takes to its first result, and how long one takes that an earlier process left in the
// disk cache. Each figure comes from a process of its own: this program runs itself, with an empty cache directory and then
// again with what is in it by then.
#include <twill/tensor.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "harness.hpp"

namespace {

constexpr size_t chain_count = 1024, rows = 64, columns = 128, side = 64;

// A result and what it should be.
struct outcome {
  twill::tensor result;
  std::vector<double> reference;
  double tolerance;
};

twill::tensor tensor_of(const bench::floats& x, const twill::shape& shape) { return twill::tensor::from(x, shape); }
twill::i64 size(size_t n) { return static_cast<twill::i64>(n); }

outcome chain() {
  const bench::floats a(chain_count, 1, -1, 1), b(chain_count, 2, -1, 1), c(chain_count, 3, -1, 1), d(chain_count, 4, -2, 2);
  std::vector<double> reference;
  for (size_t i = 0; i < chain_count; ++i) {
    const double x = a[i], y = b[i], z = c[i], w = d[i];
    reference.push_back(std::max(0.0, x * y + z) - std::exp(-w * w));
  }
  const twill::shape s{size(chain_count)};
  const twill::tensor A = tensor_of(a, s), B = tensor_of(b, s), C = tensor_of(c, s), D = tensor_of(d, s);
  return {twill::relu(A * B + C) - twill::exp(-D * D), reference, 5e-6};
}
outcome softmax() {
  const bench::floats x(rows * columns, 1, -3, 3);
  std::vector<double> reference(rows * columns);
  for (size_t i = 0; i < rows * columns; i += columns) {
    double sum = 0;
    for (size_t j = i; j < i + columns; ++j) sum += reference[j] = std::exp(static_cast<double>(x[j]));
    for (size_t j = i; j < i + columns; ++j) reference[j] /= sum;
  }
  return {twill::softmax(tensor_of(x, {size(rows), size(columns)})), reference, 1e-6};
}
outcome matmul() {
  const bench::floats a(side * side, 1, -1, 1), b(side * side, 2, -1, 1);
  std::vector<double> reference(side * side);
  for (size_t i = 0; i < side; ++i)
    for (size_t k = 0; k < side; ++k)
      for (size_t j = 0; j < side; ++j) reference[i * side + j] += static_cast<double>(a[i * side + k]) * static_cast<double>(b[k * side + j]);
  const twill::shape s{size(side), size(side)};
  return {twill::matmul(tensor_of(a, s), tensor_of(b, s)), reference, 1e-5};
}

struct kernel_case {
  const char* name;
  outcome (*make)();
  double limit_seconds;  // with g++, from nothing; 0: none
};
constexpr kernel_case cases[] = {{"chain, 1024", chain, 0.150}, {"softmax, 64 × 128", softmax, 0.250}, {"matmul, 64 × 64 × 64", matmul, 0}};

// In the child: prints the seconds to the first result, those of the compiler, and whether the disk cache had it.
int measure_case(size_t number) {
  twill::set_execution(twill::execution::compiled);
  const outcome o = cases[number].make();  // records: nothing has been scheduled yet
  const double start = bench::wall_seconds();
  const float* at = o.result.data<float>();
  const double seconds = bench::wall_seconds() - start;
  for (size_t i = 0; i < o.reference.size(); ++i)
    if (!(std::abs(static_cast<double>(at[i]) - o.reference[i]) <= o.tolerance * (1 + std::abs(o.reference[i])))) return 1;
  const twill::cache_counters counters = twill::cache_statistics();
  std::printf("%.9f %d %d\n", seconds, static_cast<int>(counters.compiles), static_cast<int>(counters.disk_hits));
  return 0;
}

class scratch_directory {
 public:
  scratch_directory() {
    std::string name = (std::filesystem::temp_directory_path() / "twill-first-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
    path_ = name;
  }
  ~scratch_directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  scratch_directory(const scratch_directory&) = delete;
  scratch_directory& operator=(const scratch_directory&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Runs this program as a child that measures one case. from_disk: what is expected of it.
double child_seconds(size_t number, const std::string& compiler, const std::string& cache, bool from_disk) {
  ::setenv("TWILL_CXX", compiler.c_str(), 1);
  ::setenv("TWILL_CACHE_DIR", cache.c_str(), 1);
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  FILE* child = ::popen(("'" + self + "' --child=" + std::to_string(number)).c_str(), "r");
  if (child == nullptr) throw std::runtime_error("cannot run a child");
  double seconds = 0;
  int compiles = -1, hits = -1;
  const int read = std::fscanf(child, "%lf %d %d", &seconds, &compiles, &hits);
  if (::pclose(child) != 0 || read != 3) throw std::runtime_error(std::string(cases[number].name) + " failed or is WRONG with " + compiler);
  if ((compiles == 0) != from_disk || (hits == 1) != from_disk)
    throw std::runtime_error(std::string(cases[number].name) + (from_disk ? ": the disk cache did not have it" : ": something had it already"));
  return seconds;
}

struct series {
  std::vector<double> cold, warm;
};

std::string milliseconds(const std::vector<double>& seconds) {
  const bench::spread s = bench::spread_of(seconds);
  return bench::fixed(s.median * 1e3, 1) + " [" + bench::fixed(s.low * 1e3, 1) + ", " + bench::fixed(s.high * 1e3, 1) + "]";
}
std::string verdict(const bench::spread& s, double most) { return s.median <= most ? "met" : s.low <= most ? "met (within the quartiles)" : "**missed**"; }

std::string measure(const bench::options& o) {
  std::vector<std::string> compilers;
  for (const char* name : {"g++", "clang++-19"})
    if (std::system((std::string(name) + " --version > /dev/null 2>&1").c_str()) == 0) compilers.push_back(name);
  std::vector<std::vector<series>> all(compilers.size(), std::vector<series>(std::size(cases)));
  for (size_t round = 0; round < o.rounds; ++round)
    for (size_t c = 0; c < compilers.size(); ++c)
      for (size_t k = 0; k < std::size(cases); ++k) {
        const scratch_directory cache;
        all[c][k].cold.push_back(child_seconds(k, compilers[c], cache.path(), false));
        all[c][k].warm.push_back(child_seconds(k, compilers[c], cache.path(), true));
      }

  std::string out = "| kernel | compiler | new kernel, ms | from the disk cache in a new process, ms |\n| --- | --- | ---: | ---: |\n", goals = "\n";
  for (size_t k = 0; k < std::size(cases); ++k)
    for (size_t c = 0; c < compilers.size(); ++c) {
      const series& s = all[c][k];
      const std::string what = std::string(cases[k].name) + ", " + compilers[c];
      out += "| " + std::string(cases[k].name) + " | " + compilers[c] + " | " + milliseconds(s.cold) + " | " + milliseconds(s.warm) + " |\n";
      if (c == 0 && cases[k].limit_seconds > 0)
        goals += "- " + what + ", new, ≤ " + bench::fixed(cases[k].limit_seconds * 1e3, 0) + " ms: " + verdict(bench::spread_of(s.cold), cases[k].limit_seconds) + "\n";
      if (c > 0) {
        std::vector<double> ratios;
        for (size_t i = 0; i < s.cold.size(); ++i) ratios.push_back(s.cold[i] / all[0][k].cold[i]);
        const bench::spread r = bench::spread_of(ratios);
        goals += "- " + what + ", new, ≤ 2.5 × " + compilers[0] + ": " + verdict(r, 2.5) + ", " + bench::fixed(r.median, 2) + "\n";
      }
      goals += "- " + what + ", from the disk cache, ≤ 20 ms: " + verdict(bench::spread_of(s.warm), 0.020) + "\n";
    }
  return out + goals + "\n";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]).starts_with("--child=")) return measure_case(std::strtoul(argv[1] + 8, nullptr, 10));
  const bench::options o = bench::parse(argc, argv);
  bench::publish(o, "first_result", measure(o));
}
