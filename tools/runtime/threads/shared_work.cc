#include "tools/runtime/threads/shared_work.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>

#include "tools/runtime/threads/spin.h"
#include "tools/runtime/threads/worker_threads.h"

namespace tfcarve {
namespace {

// Each thread first computes a fixed range of its own, because the previous
// op's part of the range may still be in the cache of its core. Then it
// helps with other ranges.
//
// Lives until the caller has waited and all tasks are done. Normally the caller
// is the last one: memory that another thread frees takes a lock of malloc,
// which stops both threads.
class Work {
 public:
  // Below kHelping.
  static constexpr int64_t kMaxTasks = 1000;

  // For the caller and `tasks` tasks.
  Work(int64_t units, int64_t tasks,
       const std::function<void(int64_t)>& compute)
      : compute_(compute),
        count_(tasks + 1),
        ranges_(new Range[count_]),
        users_(static_cast<uint32_t>(count_)) {
    for (int64_t i = 0; i < count_; ++i) {
      ranges_[i].next = units * i / count_;
      ranges_[i].end = units * (i + 1) / count_;
    }
  }

  void Compute(int64_t first) {
    for (int64_t i = 0; i < count_; ++i) {
      Range& range = ranges_[(first + i) % count_];
      for (int64_t unit; (unit = range.next++) < range.end;) compute_(unit);
    }
  }

  // Computes units in another thread. Counts as helping before it takes a unit,
  // so that Wait(), which starts when no unit is left, sees it.
  void Help() {
    users_ += kHelping;
    // The first range is the caller's.
    const int64_t thread = std::max(0, WorkerThreads::NumberInPool());
    Compute(1 + thread % (count_ - 1));
    Leave(kHelping + 1);
  }

  // Waits until no unit is being computed. The caller must not use the work
  // afterwards.
  void Wait() {
    // A helper that the system has preempted needs a core.
    constexpr int kPauses = 1000;
    for (int i = 0; users_ >= kHelping; ++i) {
      if (i < kPauses) {
        Pause();
      } else {
        std::this_thread::yield();
      }
    }
    Leave(1);
  }

 private:
  struct Range {
    std::atomic<int64_t> next{0};
    int64_t end = 0;
    // The counters of different ranges are on different cache lines.
    char padding[48];
  };

  // Counts of helping tasks and of users are in one number, because a task
  // leaves both at once.
  static constexpr uint32_t kHelping = 1 << 16;

  void Leave(uint32_t counts) {
    if ((users_ -= counts) == 0) delete this;
  }

  // Owned by the caller. No longer valid for tasks that find nothing to do.
  const std::function<void(int64_t)>& compute_;
  const int64_t count_;  // of ranges
  const std::unique_ptr<Range[]> ranges_;
  std::atomic<uint32_t> users_;
};

}  // namespace

void ShareWork(int64_t units, int64_t helpers, const ScheduleTask& schedule,
               const std::function<void(int64_t)>& compute) {
  const int64_t tasks =
      std::max<int64_t>(0, std::min({helpers, units - 1, Work::kMaxTasks}));
  Work* const work = new Work(units, tasks, compute);
  for (int64_t i = 0; i < tasks; ++i) {
    // A pointer is stored in the function object, without memory of its own.
    schedule([work] { work->Help(); });
  }
  work->Compute(0);
  work->Wait();
}

}  // namespace tfcarve
