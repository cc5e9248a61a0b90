// Runs a program by its argument list, never through a shell: standard input is empty, both outputs are captured.
#pragma once

#include <csignal>

#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>

#include "twill/runtime/posix.hpp"

extern "C" char** environ;

namespace twill {

enum class process_end : u8 {
  exited,       // code: the exit status
  killed,       // code: the signal
  timed_out,    // stopped by us
  not_started,  // code: errno
  status_lost,  // the caller's process reaps its children itself (SIGCHLD ignored): judge by what was left behind
};

struct process_outcome {
  process_end end = process_end::not_started;
  int code = 0;
  text output;             // both streams as they came, at most the cap
  bool truncated = false;  // there was more
  bool succeeded() const { return (end == process_end::exited && code == 0) || end == process_end::status_lost; }
};

namespace detail {

// Waits for the child until the deadline. False: it still runs.
inline bool reap_until(pid_t child, double deadline, process_outcome& outcome) {
  for (long pause = 50;; pause = pause < 5000 ? pause * 2 : pause) {
    int status = 0;
    const pid_t got = ::waitpid(child, &status, WNOHANG);
    if (got == child) {
      outcome.end = WIFEXITED(status) ? process_end::exited : process_end::killed;
      outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
      return true;
    }
    if (got < 0 && errno != EINTR) {
      outcome.end = process_end::status_lost;
      return true;
    }
    if (posix::milliseconds_now() >= deadline) return false;
    posix::sleep_microseconds(pause);
  }
}

// Ends the child and all that it started; compilers get a moment to remove their temporary files.
inline void stop_group(pid_t child) {
  process_outcome ignored;
  ::kill(-child, SIGTERM);
  if (!reap_until(child, posix::milliseconds_now() + 500, ignored)) {
    ::kill(-child, SIGKILL);
    reap_until(child, posix::milliseconds_now() + 5000, ignored);
  }
  ::kill(-child, SIGKILL);  // what the child left behind in its group
}

// File descriptors 0, 1, 2 may be closed in this process: the pipe must not land on them.
inline int above_standard(int fd) {
  if (fd < 0 || fd > 2) return fd;
  const int moved = ::fcntl(fd, F_DUPFD_CLOEXEC, 3);
  ::close(fd);
  return moved;
}

}  // namespace detail

// arguments[0] is the path of the program. Postcondition: the program has ended, and so has its process group if it timed out.
inline process_outcome run_process(span<const text> arguments, double timeout_milliseconds, size_t output_cap = 64 * 1024) {
  process_outcome outcome;
  const double deadline = posix::milliseconds_now() + timeout_milliseconds;
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    outcome.code = errno;
    return outcome;
  }
  const posix::unique_fd reading(detail::above_standard(ends[0]));
  posix::unique_fd writing(detail::above_standard(ends[1]));
  ::fcntl(reading.get(), F_SETFL, O_NONBLOCK);

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, writing.get(), 1);
  ::posix_spawn_file_actions_adddup2(&actions, writing.get(), 2);
  sigset_t none;
  sigset_t defaults;
  ::sigemptyset(&none);
  ::sigfillset(&defaults);  // the caller's ignored signals are not the compiler's
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &defaults);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);

  vector<char*> argv;
  for (const text& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  pid_t child = -1;
  const int failure = ::posix_spawn(&child, argv[0], &actions, &attributes, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  writing.reset();
  if (failure != 0) {
    outcome.code = failure;
    return outcome;
  }

  // The end of the output comes with the end of the child, unless the child left a grandchild holding the pipe: then the
  // child's own end, looked for now and then, is enough.
  bool reaped = false;
  for (bool open = true; open;) {
    const double left = deadline - posix::milliseconds_now();
    if (left <= 0) break;
    struct pollfd wanted {
      reading.get(), POLLIN, 0
    };
    ::poll(&wanted, 1, left < 50 ? static_cast<int>(left) + 1 : 50);
    for (;;) {
      char buffer[4096];
      const ssize_t got = ::read(reading.get(), buffer, sizeof buffer);
      if (got > 0) {
        const size_t room = output_cap - outcome.output.size();
        const size_t kept = static_cast<size_t>(got) < room ? static_cast<size_t>(got) : room;
        outcome.output << text_view(buffer, kept);
        outcome.truncated |= kept < static_cast<size_t>(got);
        if (posix::milliseconds_now() >= deadline) break;
        continue;
      }
      if (got == 0 || (errno != EAGAIN && errno != EINTR)) open = false;
      if (got == 0 || errno != EINTR) break;
    }
    if (reaped) break;  // one more read after the child's end has taken what it wrote
    if (open && wanted.revents == 0) reaped = detail::reap_until(child, 0, outcome);
  }
  if (!reaped && !detail::reap_until(child, deadline, outcome)) {
    detail::stop_group(child);
    outcome.end = process_end::timed_out;
  }
  return outcome;
}

}  // namespace twill
