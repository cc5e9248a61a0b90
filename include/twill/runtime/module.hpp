// From a kernel's text to a function: looked for in this process, then in the disk cache, then compiled.
#pragma once

#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>

#include "twill/runtime/disk_cache.hpp"
#include "twill/runtime/host_compiler.hpp"
#include "twill/runtime/warning.hpp"

namespace twill {

// What every emitted kernel is: its arguments in the order of its text, and a range of its outer parallel axis.
using kernel_entry = void (*)(void* const* arguments, long long begin, long long end);

// A loaded shared object; unloaded when it goes.
class module {
 public:
  module() = default;
  module(module&& other) noexcept :handle_(other.handle_), memory_(static_cast<posix::unique_fd&&>(other.memory_)) {
    other.handle_ = nullptr;
  }
  module& operator=(module&& other) noexcept {
    void* const handle = handle_;
    handle_ = other.handle_;
    other.handle_ = handle;
    posix::unique_fd memory(memory_.release());
    memory_ = static_cast<posix::unique_fd&&>(other.memory_);
    other.memory_ = static_cast<posix::unique_fd&&>(memory);
    return *this;
  }
  ~module() {
    if (handle_ != nullptr) ::dlclose(handle_);
  }

  // From a file. `problem` gets the loader's words on failure.
  static module load(const text& path, text& problem) {
    module loaded;
    loaded.handle_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (loaded.handle_ == nullptr) problem = text(::dlerror());
    return loaded;
  }

  // From bytes, for where files may not be executed. The descriptor stays open as long as the module: the loader knows
  // modules by their path, and a descriptor's number that is used again would name the old one.
  static module load(span<const char> bytes, text& problem) {
    module loaded;
    loaded.memory_ = posix::unique_fd(::memfd_create("twill-kernel", MFD_CLOEXEC));
    if (!loaded.memory_ || !posix::write_all(loaded.memory_.get(), bytes.data(), bytes.size())) {
      problem = text("no memory file: ") << posix::error_text(errno);
      return loaded;
    }
    text path("/proc/self/fd/");
    path << loaded.memory_.get();
    loaded.handle_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (loaded.handle_ == nullptr) problem = text(::dlerror());
    return loaded;
  }

  explicit operator bool() const { return handle_ != nullptr; }
  // nullptr: there is none of that name.
  void* symbol(const char* name) const { return handle_ == nullptr ? nullptr : ::dlsym(handle_, name); }

 private:
  void* handle_ = nullptr;
  posix::unique_fd memory_;
};

enum class load_failure : u8 {
  none,
  no_compiler,     // none found, or it could not be started
  compile_failed,  // it said no
  killed,          // by a signal
  timed_out,
  no_output,     // it claimed success and made no shared object
  not_loadable,  // the loader said no
  no_symbol,
  no_workspace,  // nowhere to write
};

// A function, or why there is none: message is one line or a few, the compiler's first ones included.
struct load_result {
  kernel_entry entry = nullptr;
  load_failure failure = load_failure::none;
  text message;
  explicit operator bool() const { return entry != nullptr; }
};

// What happened on the way, for debug output.
struct compile_report {
  text command;  // as run, or as it would have been
  text path;     // of the shared object in the disk cache; empty: built privately
  bool memory_hit = false;
  bool disk_hit = false;
  bool loaded_from_memory = false;  // the directory may not hold programs
  double milliseconds = 0;          // all of the call
  double compiler_milliseconds = 0;
  text compiler_output;
};

// Since the start of the process.
struct cache_counters {
  i64 compiles = 0;
  i64 disk_hits = 0;
  i64 memory_hits = 0;
  i64 failures = 0;  // compilations or loads that gave no function
};

namespace detail {

class lock_guard {
 public:
  explicit lock_guard(pthread_mutex_t& mutex) : mutex_(mutex) { ::pthread_mutex_lock(&mutex_); }
  lock_guard(const lock_guard&) = delete;
  lock_guard& operator=(const lock_guard&) = delete;
  ~lock_guard() { ::pthread_mutex_unlock(&mutex_); }

 private:
  pthread_mutex_t& mutex_;
};

struct cached_module {
  enum class state_kind : u8 { building, loaded, failed };
  digest source;
  state_kind state = state_kind::building;
  pid_t builder = 0;  // a fork in the middle of a build leaves its child an entry that nobody will finish
  module loaded;
  load_result failure;
  digest setting;  // the compiler that failed: another one is given a try
  cached_module* next = nullptr;
};

// Never destroyed: kernels may still run while the process ends.
struct module_table {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
  cached_module* buckets[512]{};
  cache_counters counters;

  static module_table& instance() {
    static module_table* const table = new module_table;
    return *table;
  }
  cached_module*& bucket(const digest& source) { return buckets[source.low % 512]; }
  void count(i64 cache_counters::*counter) {
    const lock_guard lock(mutex);
    ++(counters.*counter);
  }
};

inline load_result fail(load_failure failure, text message) {
  load_result result;
  result.failure = failure;
  result.message = static_cast<text&&>(message);
  return result;
}

// Runs the compiler. Success: `bytes` is a shared object. The file at `output` is gone afterwards.
inline load_result compile(const host_compiler& compiler, const text& source, const text& output, vector<char>& bytes,
                           compile_report& report) {
  const vector<text> command = compiler.command(source, output);
  const double started = posix::milliseconds_now();
  const process_outcome outcome = run_process(command, compiler.timeout_milliseconds);
  report.compiler_milliseconds = posix::milliseconds_now() - started;
  report.command = printable_command(command);
  report.compiler_output = outcome.output;
  module_table::instance().count(&cache_counters::compiles);
  const bool made = read_file(output, bytes) && is_shared_object(bytes);
  ::unlink(output.c_str());
  if (outcome.succeeded() && made) return {};
  load_failure failure = load_failure::no_output;
  if (outcome.end == process_end::not_started) failure = load_failure::no_compiler;
  if (outcome.end == process_end::timed_out) failure = load_failure::timed_out;
  if (outcome.end == process_end::killed) failure = load_failure::killed;
  if (outcome.end == process_end::exited && outcome.code != 0) failure = load_failure::compile_failed;
  return fail(failure, describe(outcome, command, compiler.timeout_milliseconds));
}

// Loads verified bytes, from their file if there is one that may be executed.
inline load_result load_bytes(const text* path, span<const char> bytes, module& loaded, compile_report& report) {
  text problem;
  if (path != nullptr) {
    loaded = module::load(*path, problem);
    if (loaded) return {};
  }
  text memory_problem;
  loaded = module::load(bytes, memory_problem);
  if (loaded) {
    report.loaded_from_memory = true;
    if (path != nullptr) warn_once(warning::cache, text("kernels are loaded through memory: ") << problem);
    return {};
  }
  return fail(load_failure::not_loadable, text("the compiled kernel cannot be loaded: ") << (path != nullptr ? problem : memory_problem));
}

inline load_result load_from_cache(const cache_directory& directory, const host_compiler& compiler, const digest& key, text_view source,
                                   module& loaded, compile_report& report, bool& usable) {
  const text name = to_text(key);
  const text entry = posix::join(directory.path, text(name) << ".so");
  vector<char> bytes;
  const auto hit = [&] { return read_cache_entry(entry, key, bytes); };
  const auto load_hit = [&] {
    load_result result = load_bytes(&entry, bytes, loaded, report);
    report.path = entry;
    report.disk_hit = result.failure == load_failure::none;
    if (report.disk_hit) module_table::instance().count(&cache_counters::disk_hits);
    return result;
  };
  if (hit()) return load_hit();

  const text source_path = posix::join(directory.path, text(name) << ".cpp");
  const entry_builder builder(source_path, source, compiler.timeout_milliseconds, hit);
  if (builder.built_elsewhere()) return load_hit();
  if (!builder) {
    usable = false;
    return {};
  }
  text output = entry;
  output << posix::unique_suffix();
  remove_stale_files(directory.path);
  load_result result = compile(compiler, source_path, output, bytes, report);
  if (result.failure != load_failure::none) {
    usable = !report.compiler_output.contains("No space left on device");  // there may be some elsewhere
    return result;
  }
  append_seal(bytes, key);
  if (!write_cache_entry(entry, bytes)) return load_bytes(nullptr, bytes, loaded, report);
  report.path = entry;
  return load_bytes(&entry, bytes, loaded, report);
}

inline load_result load_privately(const host_compiler& compiler, text_view source, module& loaded, compile_report& report) {
  posix::scratch_directory scratch;
  const text_view nowhere = "there is nowhere to compile: neither the cache directory nor TMPDIR can be written";
  if (!scratch) return fail(load_failure::no_workspace, text(nowhere));
  const text source_path = scratch.file("kernel.cpp");
  const text output = scratch.file("kernel.so");
  posix::unique_fd file = posix::open_file(source_path.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (!file || !posix::write_all(file.get(), source.data(), source.size())) return fail(load_failure::no_workspace, text(nowhere));
  file.reset();
  vector<char> bytes;
  load_result result = compile(compiler, source_path, output, bytes, report);
  if (result.failure != load_failure::none) return result;
  return load_bytes(nullptr, bytes, loaded, report);
}

// Everything but the table of this process.
inline load_result load_or_build(const host_compiler& compiler, const digest& source_digest, text_view source, module& loaded,
                                 compile_report& report) {
  if (!compiler) return fail(load_failure::no_compiler, compiler.problem);
  const digest key = digest_of(to_text(source_digest), compiler.identity);
  const cache_directory directory = find_cache_directory();
  bool usable = static_cast<bool>(directory);
  if (usable) {
    load_result result = load_from_cache(directory, compiler, key, source, loaded, report, usable);
    if (usable) return result;
  }
  if (directory.asked) {
    text message("compiled kernels are not kept: ");
    if (directory)
      message << "cache directory " << directory.path << " cannot be written";
    else
      message << directory.problem;
    warn_once(warning::cache, message);
  }
  return load_privately(compiler, source, loaded, report);
}

inline load_result entry_of(const module& loaded, text_view symbol) {
  load_result result;
  const text name(symbol);
  result.entry = reinterpret_cast<kernel_entry>(loaded.symbol(name.c_str()));
  if (result.entry == nullptr) return fail(load_failure::no_symbol, text("the compiled kernel has no function ") << name);
  return result;
}

}  // namespace detail

// The function `symbol` of the module that is compiled from `source`, a C++ text that includes nothing. It stays valid
// until the process ends. Safe from any thread; two threads asking for one text compile it once. Throws nothing. A failure
// is remembered too, until the compiler settings change.
inline load_result load_or_compile(text_view source, text_view symbol, compile_report* report = nullptr) {
  using state_kind = detail::cached_module::state_kind;
  compile_report unwanted;
  compile_report& told = report != nullptr ? *report : unwanted;
  told = {};
  const double started = report != nullptr ? posix::milliseconds_now() : 0;
  const auto finish = [&](load_result result) {
    if (report != nullptr) told.milliseconds = posix::milliseconds_now() - started;
    return result;
  };
  const digest source_digest = digest_of(source);
  detail::module_table& table = detail::module_table::instance();
  host_compiler compiler;
  bool compiler_known = false;
  const auto need_compiler = [&] {
    if (!compiler_known) compiler = find_host_compiler();
    compiler_known = true;
  };

  detail::cached_module* entry = nullptr;
  ::pthread_mutex_lock(&table.mutex);
  for (;;) {
    for (entry = table.bucket(source_digest); entry != nullptr && !(entry->source == source_digest);) entry = entry->next;
    if (entry == nullptr) {
      entry = new detail::cached_module;
      entry->source = source_digest;
      entry->next = table.bucket(source_digest);
      table.bucket(source_digest) = entry;
      break;
    }
    if (entry->state == state_kind::loaded) {
      ++table.counters.memory_hits;
      ::pthread_mutex_unlock(&table.mutex);
      told.memory_hit = true;
      return finish(detail::entry_of(entry->loaded, symbol));
    }
    if (entry->state == state_kind::failed) {
      need_compiler();
      if (!(entry->setting == compiler.setting())) break;
      load_result failure = entry->failure;
      ::pthread_mutex_unlock(&table.mutex);
      told.memory_hit = true;
      return finish(static_cast<load_result&&>(failure));
    }
    if (entry->builder != ::getpid()) break;
    ::pthread_cond_wait(&table.changed, &table.mutex);
  }
  entry->state = state_kind::building;
  entry->builder = ::getpid();
  ::pthread_mutex_unlock(&table.mutex);

  need_compiler();
  module loaded;
  if (report != nullptr && compiler) told.command = printable_command(compiler.command(text("kernel.cpp"), text("kernel.so")));
  load_result result = detail::load_or_build(compiler, source_digest, source, loaded, told);
  const bool success = static_cast<bool>(loaded);
  ::pthread_mutex_lock(&table.mutex);
  if (success) {
    entry->loaded = static_cast<module&&>(loaded);
    entry->state = state_kind::loaded;
  } else {
    entry->failure = result;
    entry->setting = compiler.setting();
    entry->state = state_kind::failed;
    ++table.counters.failures;
  }
  ::pthread_cond_broadcast(&table.changed);
  ::pthread_mutex_unlock(&table.mutex);
  return finish(success ? detail::entry_of(entry->loaded, symbol) : static_cast<load_result&&>(result));
}

inline cache_counters cache_statistics() {
  detail::module_table& table = detail::module_table::instance();
  const detail::lock_guard lock(table.mutex);
  return table.counters;
}

}  // namespace twill
