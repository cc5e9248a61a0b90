#include "twill/runtime/module.hpp"

#include <pthread.h>
#include <sys/mount.h>

#include <chrono>

#include "catch.hpp"
#include "scratch.hpp"

using scratch::content;
using scratch::files;
using scratch::in_process;
using scratch::kernel;
using scratch::scales;
using scratch::variable;
using twill::load_failure;
using twill::load_or_compile;

namespace {

// 0: the kernel works.
int build_and_check(int factor, twill::compile_report* report = nullptr) {
  const twill::load_result got = load_or_compile(kernel(factor), "scale", report);
  if (!got) {
    std::fprintf(stderr, "%s\n", got.message.c_str());
    return 1;
  }
  return scales(got.entry, factor) ? 0 : 2;
}

}  // namespace

TEST_CASE("a text becomes a function, then is found in memory, then on disk by a new process") {
  const scratch::directory here;
  const variable cache("TWILL_CACHE_DIR", here.path("cache"));
  const auto before = twill::cache_statistics();
  twill::compile_report report;
  REQUIRE(build_and_check(1001, &report) == 0);
  CHECK_FALSE(report.memory_hit);
  CHECK_FALSE(report.disk_hit);
  CHECK(report.command.contains("-ffp-contract=off"));
  CHECK(report.milliseconds >= report.compiler_milliseconds);
  CHECK(report.compiler_milliseconds > 0);
  CHECK(files(here.path("cache"), ".so").size() == 1);
  CHECK(files(here.path("cache")).size() == 2);
  CHECK(content(files(here.path("cache"), ".cpp").at(0)) == kernel(1001));
  CHECK(report.path == twill::text_view(files(here.path("cache"), ".so").at(0)));
  struct stat info {};
  REQUIRE(::stat(here.path("cache").c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0700);

  REQUIRE(build_and_check(1001, &report) == 0);
  CHECK(report.memory_hit);
  const auto after = twill::cache_statistics();
  CHECK(after.compiles - before.compiles == 1);
  CHECK(after.memory_hits - before.memory_hits == 1);
  CHECK(after.disk_hits == before.disk_hits);

  REQUIRE(build_and_check(1002) == 0);
  CHECK(files(here.path("cache"), ".so").size() == 2);
}

TEST_CASE("another process finds the entry on disk") {
  const scratch::directory here;
  const variable cache("TWILL_CACHE_DIR", here.path("a b/(c)"));
  CHECK(in_process([] {
          twill::compile_report report;
          return build_and_check(1003, &report) + (report.disk_hit ? 4 : 0);
        }) == 0);
  CHECK(in_process([] {
          twill::compile_report report;
          const int status = build_and_check(1003, &report);
          return report.disk_hit ? status : 4;
        }) == 0);
  CHECK(files(here.path("a b/(c)"), ".so").size() == 1);
}

TEST_CASE("sixteen processes with a cold cache make one artefact and leave nothing else") {
  const scratch::directory here;
  const variable cache("TWILL_CACHE_DIR", here.path("cache"));
  const auto compiled = here.path("compiled");
  const variable compiler("TWILL_CXX", here.script("counting compiler", "echo x >> '" + compiled + "'\nexec c++ \"$@\""));
  std::vector<pid_t> children;
  for (int i = 0; i < 16; ++i) children.push_back(scratch::start([] { return build_and_check(1004); }));
  for (pid_t child : children) CHECK(scratch::wait_for(child) == 0);
  CHECK(files(here.path("cache"), ".so").size() == 1);
  CHECK(files(here.path("cache")).size() == 2);
  CHECK(content(compiled) == "x\n");
}

TEST_CASE("threads asking for one text compile it once") {
  const scratch::directory here;
  const variable cache("TWILL_CACHE_DIR", here.path("cache"));
  const auto before = twill::cache_statistics();
  pthread_t threads[8];
  for (pthread_t& thread : threads)
    ::pthread_create(
        &thread, nullptr, [](void*) -> void* { return reinterpret_cast<void*>(static_cast<long>(build_and_check(1005))); }, nullptr);
  for (pthread_t thread : threads) {
    void* status = nullptr;
    ::pthread_join(thread, &status);
    CHECK(status == nullptr);
  }
  CHECK(twill::cache_statistics().compiles - before.compiles == 1);
}

TEST_CASE("compilers that fail are told apart, and the failure is remembered until the setting changes") {
  const scratch::directory here;
  const variable cache("TWILL_CACHE_DIR", here.path("cache"));
  const auto attempt = [&](const std::string& setting, int factor) {
    const variable compiler("TWILL_CXX", setting);
    return load_or_compile(kernel(factor), "scale");
  };
  SECTION("none there") {
    const auto got = attempt("/nonexistent/c++", 1010);
    CHECK(got.failure == load_failure::no_compiler);
    CHECK(got.message == "there is no C++ compiler: TWILL_CXX is '/nonexistent/c++', which is no program");
    CHECK(attempt("", 1010));  // another setting, another try
  }
  SECTION("not a program") {
    std::ofstream(here.path("text")) << "hello";
    CHECK(attempt(here.path("text"), 1011).failure == load_failure::no_compiler);
    std::ofstream(here.path("garbage")) << "\x7f garbage";
    scratch::fs::permissions(here.path("garbage"), scratch::fs::perms::owner_all);
    const auto got = attempt(here.path("garbage"), 1011);
    CHECK(got.failure == load_failure::no_compiler);
    CHECK(got.message.contains("cannot be started"));
  }
  SECTION("says no in silence") {
    const auto got = attempt("/bin/false", 1012);
    CHECK(got.failure == load_failure::compile_failed);
    CHECK(got.message.contains("/bin/false ended with status 1, printed nothing; the command was: /bin/false -std=c++20"));
  }
  SECTION("says no with words, once for two tries") {
    const std::string script = here.script("no", "echo ran >> '" + here.path("runs") + "'\necho first line >&2\necho second line\nexit 3");
    const auto got = attempt(script, 1013);
    CHECK(got.failure == load_failure::compile_failed);
    CHECK(got.message.contains("ended with status 3 and printed:\nfirst line\nsecond line"));
    CHECK(attempt(script, 1013).failure == load_failure::compile_failed);
    CHECK(content(here.path("runs")) == "ran\n");
  }
  SECTION("prints nonsense and claims success") {
    const auto got = attempt(here.script("nonsense", "echo blah blah"), 1014);
    CHECK(got.failure == load_failure::no_output);
    CHECK(got.message.contains("claimed success but made no output and printed:\nblah blah"));
  }
  SECTION("makes a file that is no shared object") {
    const auto got = attempt(here.script("fake", "while [ \"$1\" != -o ]; do shift; done\necho fake > \"$2\""), 1015);
    CHECK(got.failure == load_failure::no_output);
  }
  SECTION("makes a file that cannot be loaded") {
    const auto got = attempt(here.script("object", "while [ \"$1\" != -o ]; do shift; done\nexec c++ -c \"$3\" -o \"$2\""), 1016);
    CHECK(got.failure == load_failure::not_loadable);
    CHECK(got.message.contains("cannot be loaded: "));
  }
  SECTION("is killed") {
    const auto got = attempt(here.script("killed", "kill -9 $$"), 1017);
    CHECK(got.failure == load_failure::killed);
    CHECK(got.message.contains("was killed by signal 9"));
  }
  SECTION("hangs, with a child that hangs, deaf to polite signals") {
    const variable timeout("TWILL_COMPILE_TIMEOUT", "1");
    const auto started = std::chrono::steady_clock::now();
    const auto got = attempt(here.script("hangs", "trap '' TERM\necho thinking\nsleep 60 &\nsleep 60"), 1018);
    CHECK(got.failure == load_failure::timed_out);
    CHECK(got.message.contains("was stopped after 1000 ms and printed:\nthinking"));
    CHECK(std::chrono::steady_clock::now() - started < std::chrono::seconds(10));
  }
  SECTION("floods its output") {
    const auto got = attempt(here.script("flood", "head -c 10000000 /dev/zero | tr '\\0' x\nexit 1"), 1019);
    CHECK(got.failure == load_failure::compile_failed);
    CHECK(got.message.size() < 4000);
  }
  SECTION("leaves a child that holds the pipe") {
    const auto started = std::chrono::steady_clock::now();
    CHECK(attempt(here.script("daemon", "sleep 20 &\nexec c++ \"$@\""), 1020));
    CHECK(std::chrono::steady_clock::now() - started < std::chrono::seconds(15));
  }
  CHECK(files(here.path("cache"), ".tmp").empty());
}

TEST_CASE("errors in the text come back with the compiler's words") {
  const scratch::directory here;
  const variable cache("TWILL_CACHE_DIR", here.path("cache"));
  twill::compile_report report;
  const auto got = load_or_compile("extern \"C\" void scale() { undeclared_name = 1; }\n", "scale", &report);
  CHECK(got.failure == load_failure::compile_failed);
  CHECK(got.message.contains("undeclared_name"));
  CHECK(report.compiler_output.contains("undeclared_name"));
  CHECK(files(here.path("cache"), ".so").empty());
}

TEST_CASE("a missing symbol is a message, not a crash") {
  const scratch::directory here;
  const variable cache("TWILL_CACHE_DIR", here.path("cache"));
  for (int i = 0; i < 2; ++i) {
    const auto got = load_or_compile(kernel(1030), "scael");
    CHECK(got.failure == load_failure::no_symbol);
    CHECK(got.message == "the compiled kernel has no function scael");
  }
  CHECK(load_or_compile(kernel(1030), "scale"));
}

TEST_CASE("texts may use what the compiler turns into calls") {
  const scratch::directory here;
  const variable cache("TWILL_CACHE_DIR", here.path("cache"));
  const auto got = load_or_compile(
      "struct big { char bytes[100000]; };\n"
      "extern \"C\" void calls(void* const* args, long long begin, long long end) {\n"
      "  *(big*)args[0] = big{};\n"
      "  *(long long*)args[1] = (long long)(((__int128)end << 64) / ((__int128)begin + 1) >> 64);\n"
      "}\n",
      "calls");
  REQUIRE(got);
  std::vector<char> bytes(100000, 'x');
  long long quotient = 0;
  void* const args[] = {bytes.data(), &quotient};
  got.entry(args, 6, 70);
  CHECK(bytes == std::vector<char>(100000));
  CHECK(quotient == 10);
}

TEST_CASE("what a killed process left is removed an hour later, not before") {
  const scratch::directory here;
  const variable cache("TWILL_CACHE_DIR", here.path("."));
  std::ofstream(here.path("old.so.1-2.tmp")) << "x";
  std::ofstream(here.path("new.so.1-3.tmp")) << "x";
  std::ofstream(here.path("old.txt")) << "x";
  const auto old = scratch::fs::file_time_type::clock::now() - std::chrono::hours(2);
  scratch::fs::last_write_time(here.path("old.so.1-2.tmp"), old);
  scratch::fs::last_write_time(here.path("old.txt"), old);
  REQUIRE(build_and_check(1035) == 0);
  CHECK_FALSE(scratch::fs::exists(here.path("old.so.1-2.tmp")));
  CHECK(scratch::fs::exists(here.path("new.so.1-3.tmp")));
  CHECK(scratch::fs::exists(here.path("old.txt")));
}

TEST_CASE("settings of several words, paths with blanks") {
  const scratch::directory here;
  const variable cache("TWILL_CACHE_DIR", here.path("cache"));
  SECTION("several words") {
    const variable compiler("TWILL_CXX", "env UNUSED=1 c++");
    CHECK(build_and_check(1040) == 0);
  }
  SECTION("one path with a blank") {
    const variable compiler("TWILL_CXX", here.script("my c++", "exec c++ \"$@\""));
    CHECK(build_and_check(1041) == 0);
  }
  SECTION("CXX counts when TWILL_CXX is not set") {
    const variable unset("TWILL_CXX", "");
    const variable compiler("CXX", "/nonexistent");
    CHECK(load_or_compile(kernel(1042), "scale").message == "there is no C++ compiler: CXX is '/nonexistent', which is no program");
  }
  SECTION("nothing in PATH") {
    const variable first("TWILL_CXX", "");
    const variable second("CXX", "");
    const variable path("PATH", here.path("empty"));
    CHECK(load_or_compile(kernel(1043), "scale").message.contains("no c++ in PATH"));
  }
}

TEST_CASE("damaged and foreign entries are rebuilt, never loaded") {
  const scratch::directory here;
  const variable cache("TWILL_CACHE_DIR", here.path("cache"));
  const auto fresh = [](int factor) {
    return in_process([=] {
      twill::compile_report report;
      const int status = build_and_check(factor, &report);
      return status != 0 ? status : report.disk_hit ? 100 : 101;
    });
  };
  REQUIRE(fresh(1050) == 101);
  REQUIRE(fresh(1050) == 100);
  const std::string entry = files(here.path("cache"), ".so").at(0);
  const std::string good = content(entry);
  const auto overwrite = [&](const std::string& bytes) { std::ofstream(entry, std::ios::binary | std::ios::trunc) << bytes; };
  SECTION("truncated") { overwrite(good.substr(0, good.size() / 2)); }
  SECTION("empty") { overwrite(""); }
  SECTION("one bit flipped") {
    std::string bad = good;
    bad[bad.size() / 3] = static_cast<char>(bad[bad.size() / 3] ^ 4);
    overwrite(bad);
  }
  SECTION("grown") { overwrite(good + "x"); }
  SECTION("a shared object that we did not make") {
    REQUIRE(std::system(
                ("echo 'extern \"C\" void scale() { __builtin_trap(); }' | c++ -x c++ - -shared -fPIC -o '" + entry + "'").c_str()) == 0);
  }
  SECTION("another entry's file") {
    const scratch::directory other;
    const variable elsewhere("TWILL_CACHE_DIR", other.path("cache"));
    REQUIRE(fresh(1051) == 101);
    overwrite(content(files(other.path("cache"), ".so").at(0)));
  }
  SECTION("writable by others") { scratch::fs::permissions(entry, scratch::fs::perms(0722)); }
  SECTION("a directory") {
    scratch::fs::remove(entry);
    scratch::fs::create_directory(entry);
    CHECK(fresh(1050) == 101);
    return;
  }
  CHECK(fresh(1050) == 101);
  CHECK(content(entry) == good);
  CHECK(fresh(1050) == 100);
  CHECK(files(here.path("cache")).size() == 2);
}

TEST_CASE("an unusable cache directory means a private build, and one warning") {
  const scratch::directory here;
  const auto warnings = [&](int factor) {
    const std::string log = here.path("stderr");
    const int status = in_process([&] {
      if (std::freopen(log.c_str(), "w", stderr) == nullptr) return 9;
      twill::compile_report report;
      const int first = build_and_check(factor, &report);
      return first != 0 ? first : build_and_check(factor + 500, &report);
    });
    CHECK(status == 0);
    return content(log);
  };
  const variable temporary("TMPDIR", here.path("tmp"));
  scratch::fs::create_directory(here.path("tmp"));
  const auto one_line = [](const std::string& s) { return !s.empty() && s.find('\n') == s.size() - 1; };
  SECTION("under a regular file") {
    std::ofstream(here.path("file")) << "x";
    const variable cache("TWILL_CACHE_DIR", here.path("file/cache"));
    const std::string said = warnings(1060);
    CHECK(one_line(said));
    CHECK(said.find("Not a directory") != std::string::npos);
  }
  SECTION("others can write in it") {
    scratch::fs::create_directory(here.path("open"));
    scratch::fs::permissions(here.path("open"), scratch::fs::perms::all);
    const variable cache("TWILL_CACHE_DIR", here.path("open"));
    const std::string said = warnings(1061);
    CHECK(one_line(said));
    CHECK(said.find("others can write in it") != std::string::npos);
    CHECK(files(here.path("open")).empty());
  }
  SECTION("belongs to someone else") {
    scratch::fs::create_directory(here.path("theirs"));
    if (::chown(here.path("theirs").c_str(), 12345, 12345) == 0) {
      const variable cache("TWILL_CACHE_DIR", here.path("theirs"));
      const std::string said = warnings(1062);
      CHECK(one_line(said));
      CHECK(said.find("belongs to user 12345") != std::string::npos);
      CHECK(files(here.path("theirs")).empty());
    }
  }
  SECTION("cannot be written") {
    const variable cache("TWILL_CACHE_DIR", "/proc/self");
    CHECK(one_line(warnings(1063)));
  }
  CHECK(files(here.path("tmp")).empty());
}

TEST_CASE("mounted read-only or without execution") {
  const scratch::directory here;
  scratch::fs::create_directory(here.path("mount"));
  const auto mounted = [&](unsigned long flags) {
    return ::mount("twill", here.path("mount").c_str(), "tmpfs", flags & ~static_cast<unsigned long>(MS_RDONLY), "mode=0700") == 0;
  };
  SECTION("no execution: through memory, entries are kept") {
    if (!mounted(MS_NOEXEC)) return;
    const variable cache("TWILL_CACHE_DIR", here.path("mount"));
    for (int i = 0; i < 2; ++i)
      CHECK(in_process([&] {
              twill::compile_report report;
              const int status = build_and_check(1070, &report);
              return status != 0 ? status : report.loaded_from_memory && report.disk_hit == (i == 1) ? 0 : 4;
            }) == 0);
  }
  SECTION("full: private builds") {
    if (::mount("twill", here.path("mount").c_str(), "tmpfs", 0, "mode=0700,size=8k") != 0) return;
    const variable cache("TWILL_CACHE_DIR", here.path("mount"));
    CHECK(in_process([] { return build_and_check(1073); }) == 0);
    CHECK(files(here.path("mount"), ".so").empty());
    CHECK(files(here.path("mount"), ".tmp").empty());
  }
  SECTION("read-only: hits are used, misses are private") {
    if (!mounted(0)) return;
    const variable cache("TWILL_CACHE_DIR", here.path("mount"));
    CHECK(in_process([] { return build_and_check(1071); }) == 0);
    REQUIRE(::mount("twill", here.path("mount").c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr) == 0);
    CHECK(in_process([] {
            twill::compile_report report;
            const int status = build_and_check(1071, &report);
            return status != 0 ? status : report.disk_hit ? 0 : 4;
          }) == 0);
    CHECK(in_process([] {
            twill::compile_report report;
            const int status = build_and_check(1072, &report);
            return status != 0 ? status : report.path.empty() ? 0 : 4;
          }) == 0);
  }
  ::umount(here.path("mount").c_str());
}

TEST_CASE("processes that ignore their children's ends, or closed their standard streams") {
  const scratch::directory here;
  const variable cache("TWILL_CACHE_DIR", here.path("cache"));
  CHECK(in_process([] {
          ::signal(SIGCHLD, SIG_IGN);
          return build_and_check(1080);
        }) == 0);
  CHECK(in_process([] {
          for (int fd = 0; fd < 3; ++fd) ::close(fd);
          return build_and_check(1081);
        }) == 0);
}

TEST_CASE("without TWILL_CACHE_DIR the cache is in XDG_CACHE_HOME, HOME or TMPDIR") {
  const scratch::directory here;
  const variable asked("TWILL_CACHE_DIR", "");
  const variable temporary("TMPDIR", here.path("."));
  {
    const variable xdg("XDG_CACHE_HOME", here.path("xdg"));
    CHECK(twill::find_cache_directory().path == twill::text_view(here.path("xdg/twill")));
  }
  const variable xdg("XDG_CACHE_HOME", "");
  {
    const variable home("HOME", here.path("home"));
    CHECK(twill::find_cache_directory().path == twill::text_view(here.path("home/.cache/twill")));
  }
  const variable home("HOME", "/proc/nonexistent");
  const auto last = twill::find_cache_directory();
  CHECK(last.path.contains("/twill-"));
  CHECK(scratch::fs::is_directory(std::string(last.path)));
}
