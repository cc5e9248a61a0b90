// The C++ compiler of the machine: where it is, with which flags it makes a kernel, and what names it in a cache key.
#pragma once

#include "twill/runtime/cpu_identity.hpp"
#include "twill/runtime/process.hpp"

namespace twill {

namespace detail {

inline bool is_program(const char* path) {
  struct stat info {};
  return ::stat(path, &info) == 0 && S_ISREG(info.st_mode) && ::access(path, X_OK) == 0;
}

// The path of a program as a shell would find it: a name without a slash is looked for in PATH. Empty: there is none.
inline text find_program(text_view name) {
  if (name.empty()) return {};
  for (char c : name) {
    if (c != '/') continue;
    const text path = posix::explicit_path(name);
    return is_program(path.c_str()) ? path : text();
  }
  const text_view directories = posix::environment("PATH");
  for (size_t start = 0; start <= directories.size();) {
    size_t end = start;
    while (end < directories.size() && directories[end] != ':') ++end;
    const text path = posix::join(posix::explicit_path({directories.data() + start, end - start}), name);
    if (is_program(path.c_str())) return path;
    start = end + 1;
  }
  return {};
}

// The words of a setting: one word if all of it names a program, blanks included, else split at blanks. No quoting.
inline vector<text> command_words(text_view setting) {
  vector<text> words;
  text whole = find_program(setting);
  if (!whole.empty()) {
    words.push_back(static_cast<text&&>(whole));
    return words;
  }
  for (size_t start = 0; start < setting.size();) {
    size_t end = start;
    while (end < setting.size() && setting[end] != ' ' && setting[end] != '\t') ++end;
    if (end > start) words.push_back(text(text_view(setting.data() + start, end - start)));
    start = end + 1;
  }
  if (!words.empty()) words[0] = find_program(words[0]);
  return words;
}

// A program by its real path, size and time of change. Its version is not asked for: that costs a process, and whatever
// changes the version changes these.
inline digest file_identity(const text& path, digest seed) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return seed;
  digest out = seed;
  if (char* real = ::realpath(path.c_str(), nullptr)) {
    out = digest_of(real, out);
    std::free(real);
  }
  const i64 numbers[3] = {static_cast<i64>(info.st_size), static_cast<i64>(info.st_mtim.tv_sec), static_cast<i64>(info.st_mtim.tv_nsec)};
  return digest_of(reinterpret_cast<const char*>(numbers), sizeof numbers, out);
}

inline digest command_identity(const vector<text>& words, digest seed) {
  digest out = seed;
  for (const text& word : words) {
    out = digest_of(word, out);
    if (word[0] != '-') out = file_identity(word[0] == '/' || word[0] == '.' ? word : find_program(word), out);
  }
  return out;
}

}  // namespace detail

// A command as one line, words with blanks or quotes in single quotes; for reading and for pasting into a shell.
inline text printable_command(span<const text> words) {
  text out;
  for (const text& word : words) {
    if (!out.empty()) out << ' ';
    bool plain = !word.empty();
    for (char c : word.view())
      plain &= (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || text_view("-_=+./,:@%").contains({&c, 1});
    if (plain) {
      out << word;
      continue;
    }
    out << '\'';
    for (char c : word.view()) {
      if (c == '\'') out << "'\\'";
      out << c;
    }
    out << '\'';
  }
  return out;
}

// What a compiler's run that gave nothing useful came to: how it ended and the first lines that it printed.
inline text describe(const process_outcome& outcome, const vector<text>& command, double timeout_milliseconds) {
  text out("the compiler ");
  out << command[0];
  switch (outcome.end) {
    case process_end::not_started: return out << " cannot be started: " << posix::error_text(outcome.code);
    case process_end::timed_out: out << " was stopped after " << static_cast<i64>(timeout_milliseconds) << " ms"; break;
    case process_end::killed: out << " was killed by signal " << outcome.code; break;
    case process_end::exited:
      if (outcome.code != 0) {
        out << " ended with status " << outcome.code;
        break;
      }
      [[fallthrough]];
    case process_end::status_lost: out << " claimed success but made no output"; break;
  }
  if (outcome.output.empty()) return out << ", printed nothing; the command was: " << printable_command(command);
  out << " and printed:\n";
  size_t lines = 0;
  size_t characters = 0;
  for (char c : outcome.output.view()) {
    if (++characters > 2000 || (c == '\n' && ++lines == 12)) return out << " ...";
    out << c;
  }
  return out;
}

// What turns a kernel's text into a shared object. Emitted text includes nothing, so nothing is linked but libgcc (128-bit
// division, half floats): without start files and the C++ library the link takes 8 ms, not 40. -O3 would unroll and peel
// loops over vector lanes without end (one softmax: 1.6 s instead of 0.23 s) and ran no kernel faster; g++ 12 vectorizes
// scalar loops at -O2 only when asked. Its straight-line vectorizer stays off: it makes -1 of lanes that compute
// b == 0 ? 0 : b / b. No flag changes a value: -ffp-contract=off keeps every rounding, the -fno-*-math ones only drop errno
// and floating-point traps.
inline span<const text_view> host_compiler_flags() {
  static constexpr text_view flags[] = {"-std=c++20",
                                        "-O2",
                                        "-ftree-vectorize",
                                        "-fno-tree-slp-vectorize",
                                        "-march=native",
                                        "-ffp-contract=off",
                                        "-fno-math-errno",
                                        "-fno-trapping-math",
                                        "-fno-exceptions",
                                        "-fno-rtti",
                                        "-fno-asynchronous-unwind-tables",
                                        "-fPIC",
                                        "-shared",
                                        "-nostdlib",
                                        "-w"};
  return flags;
}

struct host_compiler {
  vector<text> words;  // the program and its first arguments; empty: there is no compiler
  text problem;        // why not
  digest identity;     // words, programs, flags, processor: whatever decides what a text becomes
  double timeout_milliseconds = 120'000;
  explicit operator bool() const { return !words.empty(); }
  // What decides whether a text that failed deserves another try.
  digest setting() const { return digest_of(text() << static_cast<i64>(timeout_milliseconds), identity); }

  vector<text> command(const text& source, const text& output) const {
    vector<text> all = words;
    for (text_view flag : host_compiler_flags()) all.push_back(text(flag));
    for (text_view flag : {text_view("-o"), output.view(), source.view(), text_view("-lgcc")}) all.push_back(text(flag));
    return all;
  }
};

// The first of TWILL_CXX, CXX and `c++` that is set decides; one that is set and names no program means that there is no
// compiler. A setting is a program's path, blanks allowed, or several words ("ccache g++"), split at blanks.
// TWILL_COMPILE_TIMEOUT is in seconds. The environment is read at each call.
inline host_compiler find_host_compiler() {
  host_compiler found;
  text_view variable = "TWILL_CXX";
  text_view setting = posix::environment("TWILL_CXX");
  if (setting.empty()) {
    variable = "CXX";
    setting = posix::environment("CXX");
  }
  if (setting.empty()) {
    variable = {};
    setting = "c++";
  }
  found.words = detail::command_words(setting);
  if (found.words.empty() || found.words[0].empty()) {
    found.words.clear();
    if (variable.empty())
      found.problem << "there is no C++ compiler: no c++ in PATH, and neither TWILL_CXX nor CXX is set";
    else
      found.problem << "there is no C++ compiler: " << variable << " is '" << setting << "', which is no program";
  }
  found.timeout_milliseconds = static_cast<double>(posix::environment_integer("TWILL_COMPILE_TIMEOUT", 120)) * 1000;
  digest identity = digest_of("twill kernel 1", cpu_identity());
  for (text_view flag : host_compiler_flags()) identity = digest_of(flag, identity);
  found.identity = detail::command_identity(found.words, identity);
  return found;
}

}  // namespace twill
