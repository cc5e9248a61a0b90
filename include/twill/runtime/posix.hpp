// The few system calls of the compile caches: file descriptors with an owner, whole-file reads and writes that survive
// interruption, environment variables, a monotonic clock.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "twill/base/text.hpp"

namespace twill::posix {

// Law: the descriptor is closed exactly once, by the last owner.
class unique_fd {
 public:
  unique_fd() = default;
  explicit unique_fd(int fd) : fd_(fd) {}
  unique_fd(unique_fd&& other) noexcept : fd_(other.release()) {}
  unique_fd& operator=(unique_fd&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  ~unique_fd() { reset(); }
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release() {
    const int fd = fd_;
    fd_ = -1;
    return fd;
  }
  void reset(int fd = -1) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }

 private:
  int fd_ = -1;
};

inline unique_fd open_file(const char* path, int flags, mode_t mode = 0) {
  int fd = -1;
  do fd = ::open(path, flags | O_CLOEXEC, mode);
  while (fd < 0 && errno == EINTR);
  return unique_fd(fd);
}

// Appends what the descriptor holds from its current position on. False on a read error or over `limit` bytes.
inline bool read_all(int fd, vector<char>& out, size_t limit = size_t{1} << 30) {
  struct stat info {};
  if (::fstat(fd, &info) == 0 && info.st_size > 0) out.reserve(out.size() + static_cast<size_t>(info.st_size) + 1);
  for (;;) {
    if (out.size() == out.capacity()) out.reserve(out.size() + 4096);
    const size_t used = out.size();
    if (used > limit) return false;
    const size_t room = out.capacity() - used;
    out.resize(used + room);
    const ssize_t got = ::read(fd, out.data() + used, room);
    out.resize(used + (got > 0 ? static_cast<size_t>(got) : 0));
    if (got == 0) return true;
    if (got < 0 && errno != EINTR) return false;
  }
}

inline bool write_all(int fd, const char* bytes, size_t size) {
  while (size > 0) {
    const ssize_t put = ::write(fd, bytes, size);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    bytes += put;
    size -= static_cast<size_t>(put);
  }
  return true;
}

// The value of an environment variable; unset and empty are the same.
inline text_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? text_view() : text_view(value);
}

// The value of an environment variable as a positive integer, or `otherwise`. "4,2" is 4.
inline i64 environment_integer(const char* name, i64 otherwise) {
  i64 value = 0;
  bool any = false;
  for (char c : environment(name)) {
    if (c < '0' || c > '9') {
      if (c != ',' && c != ' ') return otherwise;
      break;
    }
    if (value > 1'000'000'000) return otherwise;
    value = value * 10 + (c - '0');
    any = true;
  }
  return any && value > 0 ? value : otherwise;
}

inline double milliseconds_now() {
  struct timespec now {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

inline void sleep_microseconds(long microseconds) {
  const struct timespec span { microseconds / 1'000'000, (microseconds % 1'000'000) * 1000 };
  ::nanosleep(&span, nullptr);
}

// The system's words for an errno value.
inline text error_text(int code) { return text(std::strerror(code)); }

// A suffix that no other process and no other thread uses at the same time, processes in other pid namespaces included.
inline text unique_suffix() {
  struct timespec now {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  text out(".");
  out << ::getpid() << '-';
  out.hex(static_cast<u64>(now.tv_nsec) ^ reinterpret_cast<u64>(&now) << 20);
  return out << ".tmp";
}

// A relative path never starts with '-' or '@', and always holds a slash, so that neither compilers nor dlopen misread it.
inline text explicit_path(text_view path) {
  text out;
  if (path.empty() || path[0] != '/') out << "./";
  return out << path;
}

inline text join(text_view directory, text_view name) {
  text out;
  out << directory;
  if (directory.empty() || directory[directory.size() - 1] != '/') out << '/';
  return out << name;
}

// A new directory that only this user can enter, removed with the files named by `scratch` when it goes.
class scratch_directory {
 public:
  scratch_directory() {
    const text_view base = environment("TMPDIR");
    text pattern = join(explicit_path(base.empty() ? text_view("/tmp") : base), "twill-build-XXXXXX");
    vector<char> name(span<const char>(pattern.data(), pattern.size() + 1));
    if (::mkdtemp(name.data()) != nullptr) path_ << name.data();
  }
  scratch_directory(const scratch_directory&) = delete;
  scratch_directory& operator=(const scratch_directory&) = delete;
  ~scratch_directory() {
    if (path_.empty()) return;
    for (const text& name : names_) ::unlink(name.c_str());
    ::rmdir(path_.c_str());
  }
  explicit operator bool() const { return !path_.empty(); }
  const text& path() const { return path_; }
  // The path of a file in it, which will be unlinked.
  text file(text_view name) {
    names_.push_back(join(path_, name));
    return names_.back();
  }

 private:
  text path_;
  vector<text> names_;
};

}  // namespace twill::posix
