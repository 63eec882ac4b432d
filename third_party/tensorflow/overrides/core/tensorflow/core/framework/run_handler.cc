// Replaces TensorFlow's source of the same path, which prioritizes the requests
// of a server. Here all runs with use_run_handler_pool share two thread pools,
// first come, first served.

#include "tensorflow/core/framework/run_handler.h"

#include <memory>
#include <utility>
#include <vector>

#include "tensorflow/core/platform/env.h"
#include "tensorflow/core/platform/threadpool_interface.h"

namespace tensorflow {
namespace {

class Threads : public thread::ThreadPoolInterface {
 public:
  Threads(const char* name, int count)
      : pool_(Env::Default(), name, count > 0 ? count : 1) {}

  void Schedule(std::function<void()> task) override {
    pool_.Schedule(std::move(task));
  }
  int NumThreads() const override { return pool_.NumThreads(); }
  int CurrentThreadId() const override { return pool_.CurrentThreadId(); }

 private:
  thread::ThreadPool pool_;
};

}  // namespace

class RunHandler::Impl {
 public:
  Impl(int inter_op, int intra_op)
      : inter("inter_op", inter_op), intra("intra_op", intra_op) {}

  Threads inter;
  Threads intra;
};

class RunHandlerPool::Impl {
 public:
  Impl(int inter_op, int intra_op) : threads_(inter_op, intra_op) {}

  std::unique_ptr<RunHandler> Handler() {
    return std::unique_ptr<RunHandler>(new RunHandler(&threads_));
  }

 private:
  RunHandler::Impl threads_;
};

RunHandlerPool::RunHandlerPool(int num_inter_op_threads)
    : RunHandlerPool(num_inter_op_threads, 0) {}

RunHandlerPool::RunHandlerPool(int num_inter_op_threads,
                               int num_intra_op_threads)
    : impl_(
          std::make_unique<Impl>(num_inter_op_threads, num_intra_op_threads)) {}

RunHandlerPool::~RunHandlerPool() = default;

std::unique_ptr<RunHandler> RunHandlerPool::Get(
    int64_t, int64_t, const RunOptions::Experimental::RunHandlerPoolOptions&) {
  return impl_->Handler();
}

std::vector<int64_t> RunHandlerPool::GetActiveHandlerPrioritiesForTesting()
    const {
  return {};
}

RunHandler::RunHandler(Impl* impl) : impl_(impl) {}

RunHandler::~RunHandler() = default;

void RunHandler::ScheduleInterOpClosure(std::function<void()> fn) {
  impl_->inter.Schedule(std::move(fn));
}

thread::ThreadPoolInterface* RunHandler::AsIntraThreadPoolInterface() {
  return &impl_->intra;
}

}  // namespace tensorflow
