// Compiled kernels on disk: <key>.so and, for reading, the text it was made of, <key>.cpp. Private to the user, shared by
// any number of processes, checked before use.
#pragma once

#include <cstdio>

#include <dirent.h>
#include <sys/file.h>

#include "twill/runtime/digest.hpp"
#include "twill/runtime/posix.hpp"

namespace twill {

struct cache_directory {
  text path;           // empty: none is usable
  text problem;        // why the one that was asked for, or the last one tried, is not
  bool asked = false;  // TWILL_CACHE_DIR was set
  explicit operator bool() const { return !path.empty(); }
};

namespace detail {

// Makes the directory and its parents, each for this user only; what exists stays as it is.
inline void make_directories(const text& path) {
  text prefix;
  for (size_t i = 0; i <= path.size(); ++i) {
    if ((i == path.size() || path[i] == '/') && !prefix.empty()) ::mkdir(prefix.c_str(), 0700);
    if (i < path.size()) prefix << path[i];
  }
}

// Empty: the directory is there, is ours, and nobody else can write in it.
inline text directory_problem(const text& path, bool follow_link) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0 && errno == ENOENT) make_directories(path);
  text problem;
  problem << "cache directory " << path << ": ";
  if ((follow_link ? ::stat : ::lstat)(path.c_str(), &info) != 0) return problem << posix::error_text(errno);
  if (!S_ISDIR(info.st_mode)) return problem << "is no directory";
  if (info.st_uid != ::geteuid()) return problem << "belongs to user " << info.st_uid << ", not to user " << ::geteuid();
  if ((info.st_mode & 022) != 0) return problem << "others can write in it";
  return {};
}

}  // namespace detail

// TWILL_CACHE_DIR alone if it is set, else the first usable one of XDG_CACHE_HOME/twill, ~/.cache/twill and a directory of
// this user's in TMPDIR. A usable one may still be read-only.
inline cache_directory find_cache_directory() {
  cache_directory found;
  const auto take = [&](const text& path, bool follow_link) {
    found.problem = detail::directory_problem(path, follow_link);
    if (found.problem.empty()) found.path = path;
    return found.problem.empty();
  };
  const text_view asked = posix::environment("TWILL_CACHE_DIR");
  found.asked = !asked.empty();
  if (found.asked) {
    take(posix::explicit_path(asked), true);
    return found;
  }
  const text_view xdg = posix::environment("XDG_CACHE_HOME");
  if (!xdg.empty() && xdg[0] == '/' && take(posix::join(xdg, "twill"), true)) return found;
  const text_view home = posix::environment("HOME");
  if (xdg.empty() && !home.empty() && home[0] == '/' && take(posix::join(home, ".cache/twill"), true)) return found;
  const text_view temporary = posix::environment("TMPDIR");
  text name("twill-");
  name << ::geteuid();
  take(posix::join(posix::explicit_path(temporary.empty() ? text_view("/tmp") : temporary), name), false);
  return found;
}

// What follows the shared object in its file; loaders ignore it.
struct cache_trailer {
  char magic[16] = {'t', 'w', 'i', 'l', 'l', ' ', 'm', 'o', 'd', 'u', 'l', 'e', ' ', '1', '\n', '\0'};
  u64 size = 0;    // of the shared object
  digest content;  // of its bytes
  digest key;      // of what it was made from: an entry under another entry's name is refused
};

inline bool is_shared_object(span<const char> bytes) { return bytes.size() > 64 && std::memcmp(bytes.data(), "\177ELF", 4) == 0; }

// Whether the bytes are what was written for this key, whole and unchanged.
inline bool is_sealed(span<const char> bytes, const digest& key) {
  cache_trailer expected;
  cache_trailer found;
  if (bytes.size() <= sizeof found) return false;
  expected.size = bytes.size() - sizeof found;
  std::memcpy(&found, bytes.data() + expected.size, sizeof found);
  return std::memcmp(found.magic, expected.magic, sizeof found.magic) == 0 && found.size == expected.size && found.key == key &&
         is_shared_object({bytes.data(), expected.size}) && found.content == digest_of(bytes.data(), expected.size);
}

inline void append_seal(vector<char>& bytes, const digest& key) {
  cache_trailer trailer;
  trailer.size = bytes.size();
  trailer.content = digest_of(bytes.data(), bytes.size());
  trailer.key = key;
  char raw[sizeof trailer];
  std::memcpy(raw, &trailer, sizeof trailer);
  bytes.append(raw);
}

inline bool read_file(const text& path, vector<char>& bytes) {
  bytes.clear();
  const posix::unique_fd file = posix::open_file(path.c_str(), O_RDONLY);
  struct stat info {};
  return file && ::fstat(file.get(), &info) == 0 && S_ISREG(info.st_mode) && posix::read_all(file.get(), bytes);
}

// The verified bytes of an entry. False: it is not there, or is damaged, or someone else's.
inline bool read_cache_entry(const text& path, const digest& key, vector<char>& bytes) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0 || info.st_uid != ::geteuid() || (info.st_mode & 022) != 0) return false;
  return read_file(path, bytes) && is_sealed(bytes, key);
}

// Writes the entry so that a reader sees all of it or none of it, and leaves nothing else behind.
inline bool write_cache_entry(const text& path, span<const char> bytes) {
  text temporary = path;
  temporary << posix::unique_suffix();
  posix::unique_fd file = posix::open_file(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0700);
  if (!file) return false;
  const bool written = posix::write_all(file.get(), bytes.data(), bytes.size());
  file.reset();
  if (written && std::rename(temporary.c_str(), path.c_str()) == 0) return true;
  ::unlink(temporary.c_str());
  return false;
}

// Removes what processes that were killed in the middle of a build left behind, an hour or more ago.
inline void remove_stale_files(const text& directory) {
  DIR* const listing = ::opendir(directory.c_str());
  if (listing == nullptr) return;
  while (const struct dirent* entry = ::readdir(listing)) {
    const text_view name(entry->d_name);
    if (name.size() < 4 || !(text_view(name.end() - 4, 4) == text_view(".tmp"))) continue;
    const text path = posix::join(directory, name);
    struct stat info {};
    if (::lstat(path.c_str(), &info) == 0 && ::time(nullptr) - info.st_mtim.tv_sec > 3600) ::unlink(path.c_str());
  }
  ::closedir(listing);
}

// One builder for an entry at a time: holds a lock on the entry's text, which goes with the process. Without a lock (it
// timed out, the file system has none) the build goes on: entries are renamed into place, so the worst is double work.
class entry_builder {
 public:
  // True as soon as the lock is held or `ready()` says that another process has built the entry.
  template <class Ready> entry_builder(const text& source_path, text_view source, double timeout_milliseconds, Ready ready) {
    file_ = posix::open_file(source_path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
    if (!file_) return;
    const double deadline = posix::milliseconds_now() + timeout_milliseconds;
    for (long pause = 500;; pause = pause < 10'000 ? pause * 2 : pause) {
      const bool busy = ::flock(file_.get(), LOCK_EX | LOCK_NB) != 0 && (errno == EWOULDBLOCK || errno == EINTR);
      if (ready()) {
        built_elsewhere_ = true;
        return;
      }
      if (!busy || posix::milliseconds_now() >= deadline) break;
      posix::sleep_microseconds(pause);
    }
    // Readers may look at any time, so the text is overwritten, not truncated first: it is the same text each time.
    writable_ =
        ::ftruncate(file_.get(), static_cast<off_t>(source.size())) == 0 && posix::write_all(file_.get(), source.data(), source.size());
  }
  bool built_elsewhere() const { return built_elsewhere_; }
  explicit operator bool() const { return writable_; }

 private:
  posix::unique_fd file_;
  bool built_elsewhere_ = false;
  bool writable_ = false;
};

}  // namespace twill
