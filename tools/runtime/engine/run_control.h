// Ends a run at a deadline, or when another thread cancels it.

#ifndef TFCARVE_TOOLS_RUNTIME_ENGINE_RUN_CONTROL_H_
#define TFCARVE_TOOLS_RUNTIME_ENGINE_RUN_CONTROL_H_

#include <atomic>
#include <chrono>
#include <cstdint>

#include "tensorflow/core/platform/status.h"
#include "tools/runtime/include/tfcarve_c_api.h"

struct tfcarve_cancellation {
  std::atomic<bool> is_cancelled{false};
};

namespace tfcarve {

// The limits of the run in the current thread, for as long as the object
// exists: a session runs its ops in the thread that calls it.
class RunControl {
 public:
  // A timeout of 0 and a null cancellation do not limit the run.
  RunControl(int64_t timeout_ms, const tfcarve_cancellation* cancellation);
  ~RunControl() { current_ = outer_; }
  RunControl(const RunControl&) = delete;
  RunControl& operator=(const RunControl&) = delete;

  // Returns why the run must end, or OK.
  tensorflow::Status Check() const;

  // Returns why the current thread's run must end, or OK.
  static tensorflow::Status CheckCurrent();

 private:
  static thread_local const RunControl* current_;

  const RunControl* const outer_;
  const int64_t timeout_ms_;
  const std::chrono::steady_clock::time_point deadline_;
  const tfcarve_cancellation* const cancellation_;
};

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_ENGINE_RUN_CONTROL_H_
