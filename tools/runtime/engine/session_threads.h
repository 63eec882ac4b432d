// The threads of one or several sessions, or of a Flex delegate.

#ifndef TFCARVE_TOOLS_RUNTIME_ENGINE_SESSION_THREADS_H_
#define TFCARVE_TOOLS_RUNTIME_ENGINE_SESSION_THREADS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "tensorflow/core/platform/status.h"
#include "tensorflow/core/platform/threadpool_interface.h"
#include "tools/runtime/threads/worker_threads.h"

namespace tfcarve {

// Threads through TensorFlow's interface.
class SessionThreads final : public tensorflow::thread::ThreadPoolInterface {
 public:
  explicit SessionThreads(int count) : threads_(count) {}
  void Schedule(std::function<void()> task) override {
    threads_.Schedule(std::move(task));
  }
  int NumThreads() const override { return threads_.count(); }
  int CurrentThreadId() const override { return threads_.CurrentThread(); }

 private:
  WorkerThreads threads_;
};

// Sets `threads` to a pool of `count` threads, 0 for one per core; null if the
// caller's thread computes alone.
tensorflow::Status NewThreads(int32_t count,
                              std::shared_ptr<SessionThreads>* threads);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_ENGINE_SESSION_THREADS_H_
