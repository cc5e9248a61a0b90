// Runs a range in parallel on the program's threads: OpenMP where this translation unit has it, else threads of our own.
#pragma once

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include "twill/base/config.hpp"
#include "twill/base/types.hpp"
#include "twill/runtime/posix.hpp"

#if TWILL_OPENMP
#include <omp.h>
#endif

namespace twill::inline TWILL_ABI {

// Below this many scalar operations starting threads costs more than it saves (about 100 µs of work).
inline constexpr i64 parallel_work = 2'000'000;

using range_function = void (*)(void* context, i64 begin, i64 end);

namespace parallel_detail {  // not detail: twill has one beside this inline namespace

// A range cut into chunks. Law: the chunks depend on the range alone, never on the number of threads, so what a chunk
// computes is the same bits on any machine.
struct chunked_range {
  static constexpr i64 most = 256;
  i64 begin = 0;
  i64 end = 0;
  i64 step = 1;
  i64 count = 0;
  constexpr chunked_range(i64 from, i64 to) : begin(from), end(to) {
    if (to <= from) return;
    step = (to - from - 1) / most + 1;
    count = (to - from - 1) / step + 1;
  }
  constexpr void run(range_function function, void* context, i64 chunk) const {
    const i64 from = begin + chunk * step;
    function(context, from, end - from < step ? end : from + step);
  }
};

// True while this thread runs a chunk: a parallel_for inside runs on this thread.
inline bool& inside_parallel() {
  static thread_local bool inside = false;
  return inside;
}

inline void run_serially(const chunked_range& range, range_function function, void* context) {
  for (i64 chunk = 0; chunk < range.count; ++chunk) range.run(function, context, chunk);
}

#if TWILL_OPENMP

// The process in which OpenMP has started threads. In a child forked from it, starting them again hangs (libgomp).
inline pid_t openmp_process() {
  static const pid_t first = ::getpid();
  return first;
}

inline void run_in_parallel(const chunked_range& range, int threads, range_function function, void* context) {
  if (omp_in_parallel() != 0 || openmp_process() != ::getpid()) return run_serially(range, function, context);
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
  for (i64 chunk = 0; chunk < range.count; ++chunk) {
    inside_parallel() = true;
    range.run(function, context, chunk);
    inside_parallel() = false;
  }
}

#else

// Threads that start when first needed and wait for work until the process ends. Any thread may bring a job; it works on
// its own job too, so a job is finished even if no worker comes.
class thread_pool {
 public:
  // Never destroyed: workers use it until the process ends. A fork took no workers with it, so its child starts anew.
  static thread_pool& instance() {
    static thread_pool* shared = new thread_pool;
    thread_pool* pool = __atomic_load_n(&shared, __ATOMIC_ACQUIRE);
    if (pool->process_ == ::getpid()) return *pool;
    thread_pool* const fresh = new thread_pool;
    if (__atomic_compare_exchange_n(&shared, &pool, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return *fresh;
    delete fresh;
    return *pool;
  }

  void run(const chunked_range& range, int threads, range_function function, void* context) {
    job work{range, function, context, threads - 1, nullptr};
    ::pthread_mutex_lock(&mutex_);
    while (workers_ < threads - 1 && start_worker()) ++workers_;
    work.next = jobs_;
    jobs_ = &work;
    if (threads > 2)
      ::pthread_cond_broadcast(&work_came_);
    else
      ::pthread_cond_signal(&work_came_);
    ::pthread_mutex_unlock(&mutex_);
    work.run_chunks();
    ::pthread_mutex_lock(&mutex_);
    job** link = &jobs_;
    while (*link != &work) link = &(*link)->next;
    *link = work.next;
    while (work.active > 0) ::pthread_cond_wait(&work_ended_, &mutex_);
    ::pthread_mutex_unlock(&mutex_);
  }

 private:
  struct job {
    chunked_range range;
    range_function function;
    void* context;
    int wanted;  // workers that may still join; under the mutex, as `active` and `next` are
    job* next;
    int active = 0;
    i64 taken = 0;  // chunks; atomic

    void run_chunks() {
      inside_parallel() = true;
      for (;;) {
        const i64 chunk = __atomic_fetch_add(&taken, i64{1}, __ATOMIC_RELAXED);  // <atomic> costs more than all of this header
        if (chunk >= range.count) break;
        range.run(function, context, chunk);
      }
      inside_parallel() = false;
    }
    bool has_work() { return wanted > 0 && __atomic_load_n(&taken, __ATOMIC_RELAXED) < range.count; }
  };

  bool start_worker() {
    pthread_t thread;
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);  // the program's signals go to the program's own threads
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = ::pthread_create(&thread, nullptr, &thread_pool::help, this) == 0;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (started) ::pthread_detach(thread);
    return started;
  }

  static void* help(void* self) {
    thread_pool& pool = *static_cast<thread_pool*>(self);
    ::pthread_mutex_lock(&pool.mutex_);
    for (;;) {
      job* work = pool.jobs_;
      while (work != nullptr && !work->has_work()) work = work->next;
      if (work == nullptr) {
        ::pthread_cond_wait(&pool.work_came_, &pool.mutex_);
        continue;
      }
      --work->wanted;
      ++work->active;
      ::pthread_mutex_unlock(&pool.mutex_);
      work->run_chunks();
      ::pthread_mutex_lock(&pool.mutex_);
      if (--work->active == 0) ::pthread_cond_broadcast(&pool.work_ended_);
    }
  }

  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t work_came_ = PTHREAD_COND_INITIALIZER;
  pthread_cond_t work_ended_ = PTHREAD_COND_INITIALIZER;
  job* jobs_ = nullptr;
  int workers_ = 0;
  const pid_t process_ = ::getpid();
};

inline void run_in_parallel(const chunked_range& range, int threads, range_function function, void* context) {
  thread_pool::instance().run(range, threads, function, context);
}

#endif

}  // namespace parallel_detail

// TWILL_NUM_THREADS, else OMP_NUM_THREADS, else the processors that this process may use. Read once.
inline i64 default_threads() {
  static const i64 threads = [] {
    i64 count = posix::environment_integer("TWILL_NUM_THREADS", 0);
    if (count == 0) count = posix::environment_integer("OMP_NUM_THREADS", 0);
    if (count > 0) return count;
    cpu_set_t allowed;
    if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0) return i64{CPU_COUNT(&allowed)};
    const i64 online = ::sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? online : i64{1};
  }();
  return threads;
}

// Calls function(context, b, e) for chunks [b, e) that cover [begin, end) exactly once; returns when all are done. At most
// `threads` threads, this one included (0: default_threads()). Safe from several threads at once, and inside itself, where it
// runs on the calling thread. The function must not throw. A start costs microseconds: the caller decides what is worth it.
inline void parallel_for(i64 begin, i64 end, i64 threads, range_function function, void* context) {
  const parallel_detail::chunked_range range(begin, end);
  i64 wanted = threads > 0 ? threads : default_threads();
  if (wanted > range.count) wanted = range.count;
  if (wanted > 1024) wanted = 1024;
  if (wanted <= 1 || parallel_detail::inside_parallel()) return parallel_detail::run_serially(range, function, context);
  parallel_detail::run_in_parallel(range, static_cast<int>(wanted), function, context);
}

}  // namespace twill::inline TWILL_ABI
