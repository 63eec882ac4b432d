// Tests of work that threads share: each unit is computed once.

#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/runtime/expecting.h"
#include "tools/runtime/threads/denormals.h"
#include "tools/runtime/threads/shared_work.h"
#include "tools/runtime/threads/worker_threads.h"

namespace {

using tfcarve::WorkerThreads;

tfcarve::ScheduleTask In(WorkerThreads* threads) {
  return [threads](std::function<void()> task) {
    threads->Schedule(std::move(task));
  };
}

// Returns how often each unit was computed.
std::vector<int> Counts(int64_t units, int64_t helpers,
                        const tfcarve::ScheduleTask& schedule) {
  std::vector<std::atomic<int>> counts(units);
  tfcarve::ShareWork(units, helpers, schedule,
                     [&](int64_t unit) { ++counts[unit]; });
  return {counts.begin(), counts.end()};
}

void EachUnitOnce() {
  for (const int count : {1, 2, 5}) {
    WorkerThreads threads(count);
    for (const int64_t units : {0, 1, 2, 7, 1000}) {
      for (const int64_t helpers : {0, 1, 4, 2000}) {
        for (int repetition = 0; repetition < 50; ++repetition) {
          Expect(Counts(units, helpers, In(&threads)) ==
                     std::vector<int>(units, 1),
                 std::to_string(units) + " units, " + std::to_string(helpers) +
                     " helpers, " + std::to_string(count) + " threads");
        }
      }
    }
  }
}

// Tasks that start after all units are computed find nothing to do.
void LateTasksDoNothing() {
  std::vector<std::function<void()>> late;
  const std::vector<int> counts =
      Counts(9, 3, [&](std::function<void()> task) { late.push_back(task); });
  Expect(late.size() == 3, "one task for each helper");
  for (const auto& task : late) task();
  Expect(counts == std::vector<int>(9, 1), "units without helpers");
}

void AllTasksRunBeforeTheEnd() {
  std::atomic<int> ran{0};
  {
    WorkerThreads threads(3);
    for (int i = 0; i < 1000; ++i) threads.Schedule([&] { ++ran; });
  }
  Expect(ran == 1000, "all tasks ran");
}

// Two units that wait for each other, so both must run at once.
void TasksRunConcurrently() {
  WorkerThreads threads(2);
  for (int repetition = 0; repetition < 100; ++repetition) {
    std::atomic<int> arrived{0};
    tfcarve::ShareWork(2, 1, In(&threads), [&](int64_t) {
      ++arrived;
      while (arrived < 2) std::this_thread::yield();
    });
    Expect(arrived == 2, "both units");
  }
}

// Each thread begins with a range of its own, always the same one.
void ThreadsKeepTheirRanges() {
  WorkerThreads threads(1);
  for (int repetition = 0; repetition < 100; ++repetition) {
    std::atomic<int> arrived{0};
    int64_t caller = -1, helper = -1;  // the first unit of each
    tfcarve::ShareWork(10, 1, In(&threads), [&](int64_t unit) {
      int64_t& first = threads.CurrentThread() == -1 ? caller : helper;
      if (first != -1) return;
      first = unit;
      ++arrived;
      while (arrived < 2) std::this_thread::yield();
    });
    Expect(caller == 0 && helper == 5, "first units " + std::to_string(caller) +
                                           " and " + std::to_string(helper));
  }
}

// Returns a denormal number, or 0 if they are flushed. `volatile` prevents the
// compiler from computing the result.
float Denormal() {
  volatile float min_normal = std::numeric_limits<float>::min();
  return min_normal / 2;
}

void WorkersFlushDenormals() {
  std::atomic<bool> is_zero{false};
  {
    WorkerThreads threads(1);
    threads.Schedule([&] { is_zero = Denormal() == 0; });
  }
  Expect(is_zero, "a worker has no denormal numbers");
}

void DenormalsAreFlushedInAScope() {
  volatile float denormal = Denormal();
  Expect(denormal != 0, "denormal numbers before the scope");
  {
    const tfcarve::FlushDenormals flush;
    volatile float sum = denormal + denormal;
    Expect(Denormal() == 0, "no denormal results");
    Expect(sum == 0, "denormal operands are 0");
  }
  Expect(Denormal() == denormal, "denormal numbers after the scope");
}

// A task may schedule others, from several threads at once.
void TasksScheduleTasks() {
  std::atomic<int> ran{0};
  {
    WorkerThreads threads(4);
    std::vector<std::thread> callers;
    for (int i = 0; i < 4; ++i) {
      callers.emplace_back([&] {
        for (int j = 0; j < 100; ++j) {
          threads.Schedule([&] { threads.Schedule([&] { ++ran; }); });
        }
      });
    }
    for (std::thread& caller : callers) caller.join();
  }
  Expect(ran == 400, "tasks of tasks");
}

void ThreadsHaveNumbers() {
  std::mutex mutex;
  std::set<int> numbers;
  bool others_have_none = true;
  WorkerThreads other(1);
  {
    WorkerThreads threads(3);
    Expect(threads.count() == 3, "count");
    Expect(threads.CurrentThread() == -1, "the caller is not a worker");
    Expect(WorkerThreads::NumberInPool() == -1, "the caller is in no pool");
    for (int i = 0; i < 300; ++i) {
      threads.Schedule([&] {
        const std::lock_guard<std::mutex> lock(mutex);
        numbers.insert(threads.CurrentThread());
        others_have_none &=
            other.CurrentThread() == -1 &&
            WorkerThreads::NumberInPool() == threads.CurrentThread();
      });
    }
  }
  Expect(!numbers.empty() && *numbers.begin() >= 0 && *numbers.rbegin() < 3,
         "numbers below the count");
  Expect(others_have_none, "a thread belongs to one pool");
}

}  // namespace

int main() {
  EachUnitOnce();
  LateTasksDoNothing();
  AllTasksRunBeforeTheEnd();
  TasksRunConcurrently();
  ThreadsKeepTheirRanges();
  TasksScheduleTasks();
  ThreadsHaveNumbers();
  WorkersFlushDenormals();
  DenormalsAreFlushedInAScope();
  return failures == 0 ? 0 : 1;
}
