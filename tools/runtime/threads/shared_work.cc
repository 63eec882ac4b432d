#include "tools/runtime/threads/shared_work.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "tools/runtime/threads/spin.h"

namespace tfcarve {
namespace {

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
      : units_(units),
        compute_(compute),
        users_(static_cast<uint32_t>(tasks) + 1) {}

  void Compute() {
    for (int64_t unit; (unit = next_++) < units_;) compute_(unit);
  }

  // Computes units in another thread. Counts as helping before it takes a unit,
  // so that Wait(), which starts when no unit is left, sees it.
  void Help() {
    users_ += kHelping;
    Compute();
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
  // Counts of helping tasks and of users are in one number, because a task
  // leaves both at once.
  static constexpr uint32_t kHelping = 1 << 16;

  void Leave(uint32_t counts) {
    if ((users_ -= counts) == 0) delete this;
  }

  const int64_t units_;
  // Owned by the caller. No longer valid for tasks that find nothing to do.
  const std::function<void(int64_t)>& compute_;
  std::atomic<int64_t> next_{0};
  std::atomic<uint32_t> users_;
};

}  // namespace

void ShareWork(int64_t units, int64_t helpers, const Schedule& schedule,
               const std::function<void(int64_t)>& compute) {
  const int64_t tasks =
      std::max<int64_t>(0, std::min({helpers, units - 1, Work::kMaxTasks}));
  Work* const work = new Work(units, tasks, compute);
  for (int64_t i = 0; i < tasks; ++i) {
    // A pointer is stored in the function object, without memory of its own.
    schedule([work] { work->Help(); });
  }
  work->Compute();
  work->Wait();
}

}  // namespace tfcarve
