#include "tools/runtime/threads/shared_work.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>

#include "tools/runtime/threads/spin.h"

namespace tfcarve {
namespace {

class Work {
 public:
  Work(int64_t units, const std::function<void(int64_t)>& compute)
      : units_(units), compute_(compute) {}

  void Compute() {
    for (int64_t unit; (unit = next_++) < units_;) compute_(unit);
  }

  // Computes units in another thread. Increments the counter before taking a
  // unit, so that Wait(), which starts when no unit is left, sees it.
  void Help() {
    ++helping_;
    Compute();
    --helping_;
  }

  // Waits until no unit is being computed.
  void Wait() const {
    // A helper that the system has preempted needs a core.
    constexpr int kPauses = 1000;
    for (int i = 0; helping_ > 0; ++i) {
      if (i < kPauses) {
        Pause();
      } else {
        std::this_thread::yield();
      }
    }
  }

 private:
  const int64_t units_;
  // Owned by the caller. No longer valid for tasks that find nothing to do.
  const std::function<void(int64_t)>& compute_;
  std::atomic<int64_t> next_{0};
  std::atomic<int> helping_{0};
};

}  // namespace

void ShareWork(int64_t units, int64_t helpers, const Schedule& schedule,
               const std::function<void(int64_t)>& compute) {
  const auto work = std::make_shared<Work>(units, compute);
  for (int64_t i = std::min(helpers, units - 1); i > 0; --i) {
    schedule([work] { work->Help(); });
  }
  work->Compute();
  work->Wait();
}

}  // namespace tfcarve
