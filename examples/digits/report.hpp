// What the program prints, and the folder with the emitted source.
#pragma once

#include <cstdio>
#include <filesystem>

#include <twill/tensor.hpp>

#include "training.hpp"

namespace digits {

// Law: 0 exactly when all weights have the same values.
inline double largest_difference(const weight_values& a, const weight_values& b) {
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t k = 0; k < a[i].size(); ++k) {
      const double d = std::abs(static_cast<double>(a[i][k]) - static_cast<double>(b[i][k]));
      if (!(d <= largest)) largest = d;  // also when it is NaN
    }
  return largest;
}

inline bool print_comparison(const char* model, const path_report& fixed, const path_report& lazy) {
  const bool agree = fixed.result.predictions == lazy.result.predictions;
  std::printf("\n%-28s %12s %12s\n", model, "static", "run time");
  const auto row = [](const char* what, const char* format, auto a, auto b) {
    std::printf("  %-26s ", what);
    std::printf(format, a);
    std::printf(" ");
    std::printf(format, b);
    std::printf("\n");
  };
  row("test accuracy", "%12.4f", fixed.result.accuracy, lazy.result.accuracy);
  row("training loss", "%12.4f", fixed.result.loss, lazy.result.loss);
  row("training time, seconds", "%12.3f", fixed.result.seconds, lazy.result.seconds);
  row("kernels of a step", "%12zu", fixed.kernels.step, lazy.kernels.step);
  row("kernels of the loss", "%12zu", fixed.kernels.loss, lazy.kernels.loss);
  row("kernels of a prediction", "%12zu", fixed.kernels.predict, lazy.kernels.predict);
  std::printf("  %-26s %12.2g\n", "largest weight difference", largest_difference(fixed.result.weights, lazy.result.weights));
  std::printf("  predictions agree: %s\n", agree ? "yes" : "no");
  return agree;
}

// The first images, side by side, and what each model made of them.
inline void print_images(const dataset& rows, const std::vector<std::pair<std::string, const std::vector<int>*>>& answers) {
  constexpr std::string_view shades = " .:-=+*#%@";
  const size_t count = std::min<size_t>(7, rows.size());
  std::printf("\nthe first test rows\n");
  for (size_t y = 0; y < 8; ++y) {
    std::string line = "  ";
    for (size_t i = 0; i < count; ++i) {
      for (size_t x = 0; x < 8; ++x) {
        const auto shade = static_cast<size_t>(rows.image(i)[8 * y + x] * static_cast<float>(shades.size() - 1) + 0.5f);
        line += shades[shade];
      }
      line += "  ";
    }
    std::printf("%s\n", line.substr(0, line.find_last_not_of(' ') + 1).c_str());
  }
  const auto print_row = [&](const std::string& what, const std::vector<int>& digits) {
    std::printf("  ");
    for (size_t i = 0; i < count; ++i) std::printf("   %d      ", digits[i]);
    std::printf("%s\n", what.c_str());
  };
  print_row("what they are", rows.digits);
  for (const auto& [what, digits] : answers) print_row(what, *digits);
}

// Writes each kernel's source as C++ and as CUDA, and remembers how the kernels came to be.
class kernel_log {
 public:
  explicit kernel_log(std::filesystem::path folder) : folder_(std::move(folder)) { std::filesystem::create_directories(folder_); }

  void add(const std::string& name, const tw::tensor_schedule& kernels) {
    for (size_t k = 0; k < kernels.size(); ++k) {
      const std::string stem = name + "_" + std::to_string(k);
      write(stem + ".cpp", kernels[k].source(tw::lang::cpp));
      write(stem + ".cu", kernels[k].source(tw::lang::cuda));
      ++written_;
      interpreted_ += kernels[k].interpreted();
      milliseconds_ += kernels[k].report().milliseconds;
      if (command_.empty()) command_ = kernels[k].report().command.c_str();
    }
  }

  void print() const {
    const tw::cache_counters cache = tw::cache_statistics();
    std::printf("\nrun-time kernels\n");
    std::printf("  compiler command           %s\n", command_.empty() ? "none" : command_.c_str());
    if (interpreted_ == 0) std::printf("  made ready in              %.0f ms\n", milliseconds_);
    else std::printf("  INTERPRETED: %zu of %zu kernels, because the compiler made none\n", interpreted_, written_);
    std::printf("  compilations               %lld, of which %lld failed\n", static_cast<long long>(cache.compiles), static_cast<long long>(cache.failures));
    std::printf("  cache hits                 %lld on disk, %lld in memory\n", static_cast<long long>(cache.disk_hits),
                static_cast<long long>(cache.memory_hits));
    std::printf("  their source               %zu .cpp and %zu .cu in %s\n", written_, written_, std::filesystem::absolute(folder_).c_str());
  }

 private:
  void write(const std::string& name, const tw::text& source) const {
    std::ofstream out(folder_ / name, std::ios::binary);
    out.write(source.data(), static_cast<std::streamsize>(source.size()));
    if (!out.flush()) throw std::runtime_error((folder_ / name).string() + ": cannot be written");
  }

  std::filesystem::path folder_;
  std::string command_;
  size_t written_ = 0, interpreted_ = 0;
  double milliseconds_ = 0;
};

}  // namespace digits
