#include "twill/runtime/parallel.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "scratch.hpp"
#include "twill/runtime/module.hpp"  // both in one translation unit

using twill::i64;
using twill::parallel_for;

namespace {

// The chunks of a range, in order.
std::vector<std::pair<i64, i64>> chunks(i64 begin, i64 end, i64 threads) {
  struct state {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    std::vector<std::pair<i64, i64>> seen;
  } seen;
  parallel_for(
      begin, end, threads,
      [](void* context, i64 from, i64 to) {
        state& s = *static_cast<state*>(context);
        ::pthread_mutex_lock(&s.mutex);
        s.seen.emplace_back(from, to);
        ::pthread_mutex_unlock(&s.mutex);
      },
      &seen);
  std::sort(seen.seen.begin(), seen.seen.end());
  return seen.seen;
}

char sum_is_wrong;

void add(void* context, i64 from, i64 to) {
  for (i64 i = from; i < to; ++i) static_cast<std::atomic<i64>*>(context)->fetch_add(i, std::memory_order_relaxed);
}

}  // namespace

TEST_CASE("chunks cover the range once and do not depend on the number of threads") {
  for (const auto& [begin, end] :
       std::vector<std::pair<i64, i64>>{{0, 0}, {5, 3}, {0, 1}, {-3, 4}, {0, 255}, {0, 256}, {0, 257}, {7, 100003}}) {
    const auto serial = chunks(begin, end, 1);
    i64 at = begin;
    for (const auto& [from, to] : serial) {
      CHECK(from == at);
      CHECK(to > from);
      at = to;
    }
    CHECK(at == std::max(begin, end));
    CHECK(serial.size() <= 256);
    for (i64 threads : {0, 2, 3, 16, 5000}) CHECK(chunks(begin, end, threads) == serial);
  }
  const i64 edge = INT64_MAX;
  CHECK(chunks(edge - 300, edge, 4).back().second == edge);
}

TEST_CASE("called from several threads at once") {
  pthread_t threads[6];
  for (pthread_t& thread : threads)
    ::pthread_create(
        &thread, nullptr,
        [](void*) -> void* {
          for (int round = 0; round < 200; ++round) {
            std::atomic<i64> sum{0};
            parallel_for(0, 1000, 3, add, &sum);
            if (sum != 499500) return &sum_is_wrong;
          }
          return nullptr;
        },
        nullptr);
  for (pthread_t thread : threads) {
    void* result = nullptr;
    ::pthread_join(thread, &result);
    CHECK(result == nullptr);
  }
}

TEST_CASE("inside itself it runs on the calling thread") {
  std::atomic<i64> sum{0};
  parallel_for(
      0, 20, 4,
      [](void* context, i64 from, i64 to) {
        for (i64 i = from; i < to; ++i) {
          struct inner {
            pthread_t self;
            bool same = true;
            i64 count = 0;
          } state{::pthread_self()};
          parallel_for(
              0, 300, 4,
              [](void* c, i64 b, i64 e) {
                static_cast<inner*>(c)->same &= ::pthread_equal(static_cast<inner*>(c)->self, ::pthread_self()) != 0;
                static_cast<inner*>(c)->count += e - b;
              },
              &state);
          if (state.same) *static_cast<std::atomic<i64>*>(context) += state.count;
        }
      },
      &sum);
  CHECK(sum == 20 * 300);
}

TEST_CASE("a forked child can use it after its parent did") {
  std::atomic<i64> sum{0};
  parallel_for(0, 1000, 4, add, &sum);
  CHECK(sum == 499500);
  CHECK(scratch::in_process([] {
          std::atomic<i64> inner{0};
          parallel_for(0, 1000, 4, add, &inner);
          return inner == 499500 ? 0 : 1;
        }) == 0);
}

TEST_CASE("the number of threads comes from the environment") {
  CHECK(twill::default_threads() >= 1);
  const auto with = [](const char* own, const char* openmp) {
    return scratch::in_process([&] {
      const scratch::variable first("TWILL_NUM_THREADS", own);
      const scratch::variable second("OMP_NUM_THREADS", openmp);
      return static_cast<int>(
          twill::posix::environment_integer("TWILL_NUM_THREADS", twill::posix::environment_integer("OMP_NUM_THREADS", 99)));
    });
  };
  CHECK(with("3", "5") == 3);
  CHECK(with("", "5,2") == 5);
  CHECK(with("many", "7") == 7);
  CHECK(with("0", "") == 99);
  CHECK(with("-4", "") == 99);
}
