// Compiles emitted C++ into a shared object and loads it: all a test needs of a host compiler.
#pragma once

#include <dlfcn.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "twill/base/text.hpp"

namespace samples {

using kernel_function = void (*)(void* const*, long long, long long);

// Runs a program without its output; its exit status, or -1 where it cannot be run.
inline int run_command(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& a : command) arguments.push_back(const_cast<char*>(a.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  if (posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ) != 0) return -1;
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) != 127 ? WEXITSTATUS(status) : -1;
}
inline bool have_command(const char* name) {
  return run_command({"/bin/sh", "-c", std::string("command -v ") + name + " >/dev/null 2>&1"}) == 0;
}

class temporary_folder {
 public:
  temporary_folder() {
    char name[] = "/tmp/twill_test_XXXXXX";
    if (mkdtemp(name) != nullptr) path_ = name;
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  ~temporary_folder() {
    for (const std::string& f : files_) unlink(f.c_str());
    rmdir(path_.c_str());
  }
  std::string file(const std::string& name) {
    files_.push_back(path_ + "/" + name);
    return files_.back();
  }
  std::string write(const std::string& name, twill::text_view content) {
    const std::string path = file(name);
    if (FILE* f = fopen(path.c_str(), "w")) {
      fwrite(content.data(), 1, content.size(), f);
      fclose(f);
    }
    return path;
  }

 private:
  std::string path_;
  std::vector<std::string> files_;
};

// A translation unit, compiled and loaded. It stays loaded.
class compiled_code {
 public:
  compiled_code(twill::text_view source, std::vector<std::string> compiler) {
    const std::string from = folder_.write("code.cpp", source), to = folder_.file("code.so");
    for (const char* a : {"-shared", "-fPIC", "-o"}) compiler.push_back(a);
    compiler.push_back(to);
    compiler.push_back(from);
    if (run_command(compiler) == 0) handle_ = dlopen(to.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  bool ok() const { return handle_ != nullptr; }
  kernel_function function(const std::string& name) const { return reinterpret_cast<kernel_function>(dlsym(handle_, name.c_str())); }

 private:
  temporary_folder folder_;
  void* handle_ = nullptr;
};

}  // namespace samples
