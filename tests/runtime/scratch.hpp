// What the tests of this folder share: a directory of their own, environment variables put back afterwards, small scripts,
// and processes.
#pragma once

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

namespace scratch {

namespace fs = std::filesystem;

class directory {
 public:
  directory() {
    std::string pattern = (fs::temp_directory_path() / "twill test (XXXXXX)").string();
    pattern = pattern.substr(0, pattern.size() - 8) + "XXXXXX";  // mkdtemp wants them at the end
    path_ = ::mkdtemp(pattern.data());
  }
  directory(const directory&) = delete;
  directory& operator=(const directory&) = delete;
  ~directory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  std::string path(const std::string& name) const { return (path_ / name).string(); }

  std::string script(const std::string& name, const std::string& body) const {
    std::ofstream(path(name)) << "#!/bin/sh\n" << body << "\n";
    fs::permissions(path(name), fs::perms::owner_all);
    return path(name);
  }

 private:
  fs::path path_;
};

class variable {
 public:
  variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    if (value.empty())
      ::unsetenv(name);
    else
      ::setenv(name, value.c_str(), 1);
  }
  variable(const variable&) = delete;
  variable& operator=(const variable&) = delete;
  ~variable() {
    if (before_)
      ::setenv(name_, before_->c_str(), 1);
    else
      ::unsetenv(name_);
  }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

// The files of a directory whose names end so.
inline std::vector<std::string> files(const std::string& where, const std::string& ending = "") {
  std::vector<std::string> found;
  if (fs::exists(where))
    for (const auto& entry : fs::directory_iterator(where))
      if (entry.path().string().ends_with(ending)) found.push_back(entry.path().string());
  return found;
}

inline std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Runs the function in a forked process; its status is the function's result (0 to 125).
template <class F> pid_t start(F function) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(function());
  return child;
}
inline int wait_for(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
template <class F> int in_process(F function) { return wait_for(start(function)); }

// A kernel that no other test has: out[i] = in[i] * factor.
inline std::string kernel(int factor) {
  return "extern \"C\" void scale(void* const* args, long long begin, long long end) {\n"
         "  float* out = (float*)args[0];\n  const float* in = (const float*)args[1];\n"
         "  for (long long i = begin; i < end; ++i) out[i] = in[i] * " +
         std::to_string(factor) + ".0f;\n}\n";
}

template <class Entry> bool scales(Entry entry, int factor) {
  float in[5] = {1, 2, 3, 4, 5};
  float out[5] = {};
  void* const args[] = {out, in};
  entry(args, 1, 4);
  const float f = static_cast<float>(factor);
  return out[0] == 0 && out[1] == 2 * f && out[2] == 3 * f && out[3] == 4 * f && out[4] == 0;
}

}  // namespace scratch
