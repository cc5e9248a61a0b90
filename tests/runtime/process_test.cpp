#include "twill/runtime/process.hpp"

#include "catch.hpp"
#include "scratch.hpp"
#include "twill/runtime/digest.hpp"
#include "twill/runtime/host_compiler.hpp"

using twill::process_end;
using twill::text;
using twill::vector;

namespace {

twill::process_outcome shell(const char* script, double timeout = 10'000, size_t cap = 1000) {
  return twill::run_process(vector<text>{text("/bin/sh"), text("-c"), text(script)}, timeout, cap);
}

}  // namespace

TEST_CASE("output, status and signal of a program") {
  const auto both = shell("echo out; echo err >&2; exit 7");
  CHECK(both.end == process_end::exited);
  CHECK(both.code == 7);
  CHECK(both.output == "out\nerr\n");
  CHECK_FALSE(both.succeeded());
  CHECK(shell("kill -15 $$").end == process_end::killed);
  CHECK(shell("true").succeeded());
  CHECK(twill::run_process(vector<text>{text("/nonexistent")}, 1000).end == process_end::not_started);
}

TEST_CASE("standard input is empty, and no descriptor of ours is inherited") {
  CHECK(shell("cat; echo end").output == "end\n");
  const auto fds = shell("ls /proc/self/fd | wc -l");
  CHECK(fds.succeeded());
  CHECK(std::atoi(fds.output.c_str()) <= 4 + 6);  // what runs the test may leave some open
}

TEST_CASE("the output has a limit, the program does not notice") {
  const auto much = shell("i=0; while [ $i -lt 2000 ]; do echo 0123456789; i=$((i+1)); done; exit 4", 10'000, 100);
  CHECK(much.code == 4);
  CHECK(much.output.size() == 100);
  CHECK(much.truncated);
}

TEST_CASE("a program that does not end is ended") {
  const double started = twill::posix::milliseconds_now();
  CHECK(shell("sleep 30", 200).end == process_end::timed_out);
  CHECK(shell("exec >/dev/null 2>&1; sleep 30", 200).end == process_end::timed_out);
  CHECK(shell("while :; do echo x; done", 200).end == process_end::timed_out);
  CHECK(twill::posix::milliseconds_now() - started < 5000);
}

TEST_CASE("words of a command") {
  const scratch::directory here;
  const std::string program = here.script("a tool", "exit 0");
  const auto whole = twill::detail::command_words(program);
  REQUIRE(whole.size() == 1);
  CHECK(whole[0] == twill::text_view(program));
  const auto several = twill::detail::command_words("  sh  -c\ttrue ");
  REQUIRE(several.size() == 3);
  CHECK(several[0].contains("/sh"));
  CHECK(several[2] == "true");
  CHECK(twill::detail::command_words("/nonexistent -x")[0].empty());
  CHECK(twill::detail::command_words("").empty());
  CHECK(twill::printable_command(vector<text>{text("a b"), text("-c"), text("it's"), text("")}) == "'a b' -c 'it'\\''s' ''");
}

TEST_CASE("the identity of a compiler follows its file and its words") {
  const scratch::directory here;
  const std::string program = here.script("tool", "exit 0");
  const auto identity = [](const std::string& setting) {
    const scratch::variable compiler("TWILL_CXX", setting);
    return twill::find_host_compiler().identity;
  };
  const auto first = identity(program);
  CHECK(first == identity(program));
  CHECK_FALSE(first == identity("env " + program.substr(0, program.find(' '))));
  here.script("tool", "exit 0 # longer");
  CHECK_FALSE(first == identity(program));
}

TEST_CASE("digests differ for different bytes, lengths and seeds") {
  using twill::digest_of;
  CHECK(digest_of("abc") == digest_of("abc"));
  CHECK_FALSE(digest_of("abc") == digest_of("abd"));
  CHECK_FALSE(digest_of("") == digest_of(twill::text_view("\0", 1)));
  CHECK_FALSE(digest_of("12345678") == digest_of(twill::text_view("12345678\0", 9)));
  CHECK_FALSE(digest_of("abc") == digest_of("abc", digest_of("x")));
  CHECK(twill::to_text(digest_of("abc")).size() == 32);
}
