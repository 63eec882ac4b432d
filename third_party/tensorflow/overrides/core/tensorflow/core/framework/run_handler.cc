// Replaces TensorFlow's source of the same path, which schedules the requests
// of a server and limits their number. Here all runs with use_run_handler_pool
// share two thread pools, which perform the closures of runs with the highest
// priority (RunHandlerPoolOptions) first, and otherwise in order of arrival.

#include "tensorflow/core/framework/run_handler.h"

#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "tensorflow/core/platform/env.h"
#include "tensorflow/core/platform/mutex.h"
#include "tensorflow/core/platform/threadpool_interface.h"

namespace tensorflow {
namespace {

// Threads that perform the closures of all runs.
class Threads {
 public:
  Threads(const char* name, int count)
      : pool_(Env::Default(), name, count > 0 ? count : 1) {}

  void Schedule(int64_t priority, std::function<void()> task) {
    {
      mutex_lock lock(mutex_);
      tasks_.emplace(priority, std::move(task));
    }
    pool_.Schedule([this] { PerformFirst(); });
  }
  int NumThreads() const { return pool_.NumThreads(); }
  int CurrentThreadId() const { return pool_.CurrentThreadId(); }

 private:
  void PerformFirst() {
    std::function<void()> task;
    {
      mutex_lock lock(mutex_);
      task = std::move(tasks_.begin()->second);
      tasks_.erase(tasks_.begin());
    }
    task();
  }

  mutex mutex_;
  // By priority, the highest first; equal ones in order of arrival. As many as
  // calls of PerformFirst that the pool has not begun.
  std::multimap<int64_t, std::function<void()>, std::greater<int64_t>> tasks_
      TF_GUARDED_BY(mutex_);
  thread::ThreadPool pool_;  // last: it ends its threads first
};

}  // namespace

// The threads of one run.
class RunHandler::Impl final : public thread::ThreadPoolInterface {
 public:
  Impl(int64_t priority, Threads* inter, Threads* intra)
      : priority_(priority), inter_(inter), intra_(intra) {}

  void ScheduleInterOp(std::function<void()> task) {
    inter_->Schedule(priority_, std::move(task));
  }

  // The pool for parts of ops.
  void Schedule(std::function<void()> task) override {
    intra_->Schedule(priority_, std::move(task));
  }
  int NumThreads() const override { return intra_->NumThreads(); }
  int CurrentThreadId() const override { return intra_->CurrentThreadId(); }

 private:
  const int64_t priority_;
  Threads* const inter_;
  Threads* const intra_;
};

class RunHandlerPool::Impl {
 public:
  Impl(int inter_op, int intra_op)
      : inter_("inter_op", inter_op), intra_("intra_op", intra_op) {}

  std::unique_ptr<RunHandler> Handler(int64_t priority) {
    return std::unique_ptr<RunHandler>(
        new RunHandler(new RunHandler::Impl(priority, &inter_, &intra_)));
  }

 private:
  Threads inter_;
  Threads intra_;
};

RunHandlerPool::RunHandlerPool(int num_inter_op_threads)
    : RunHandlerPool(num_inter_op_threads, 0) {}

RunHandlerPool::RunHandlerPool(int num_inter_op_threads,
                               int num_intra_op_threads)
    : impl_(
          std::make_unique<Impl>(num_inter_op_threads, num_intra_op_threads)) {}

RunHandlerPool::~RunHandlerPool() = default;

std::unique_ptr<RunHandler> RunHandlerPool::Get(
    int64_t, int64_t,
    const RunOptions::Experimental::RunHandlerPoolOptions& options) {
  return impl_->Handler(options.priority());
}

std::vector<int64_t> RunHandlerPool::GetActiveHandlerPrioritiesForTesting()
    const {
  return {};
}

RunHandler::RunHandler(Impl* impl) : impl_(impl) {}

RunHandler::~RunHandler() { delete impl_; }

void RunHandler::ScheduleInterOpClosure(std::function<void()> fn) {
  impl_->ScheduleInterOp(std::move(fn));
}

thread::ThreadPoolInterface* RunHandler::AsIntraThreadPoolInterface() {
  return impl_;
}

}  // namespace tensorflow
