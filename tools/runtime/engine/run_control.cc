#include "tools/runtime/engine/run_control.h"

#include <algorithm>

#include "tensorflow/core/platform/errors.h"

namespace tfcarve {
namespace {

using Clock = std::chrono::steady_clock;

// A longer timeout would overflow the clock.
constexpr int64_t kMaxTimeoutMs = int64_t{1000} * 3600 * 24 * 365;

Clock::time_point Deadline(int64_t timeout_ms) {
  return Clock::now() +
         std::chrono::milliseconds(std::min(timeout_ms, kMaxTimeoutMs));
}

}  // namespace

thread_local const RunControl* RunControl::current_ = nullptr;

RunControl::RunControl(int64_t timeout_ms,
                       const tfcarve_cancellation* cancellation)
    : outer_(current_),
      timeout_ms_(timeout_ms),
      deadline_(timeout_ms > 0 ? Deadline(timeout_ms) : Clock::time_point()),
      cancellation_(cancellation) {
  current_ = this;
}

tensorflow::Status RunControl::Check() const {
  if (cancellation_ != nullptr && cancellation_->is_cancelled) {
    return tensorflow::errors::Cancelled("the run was cancelled");
  }
  if (timeout_ms_ > 0 && Clock::now() >= deadline_) {
    return tensorflow::errors::DeadlineExceeded("the run took longer than ",
                                                timeout_ms_, " ms");
  }
  return tensorflow::OkStatus();
}

tensorflow::Status RunControl::CheckCurrent() {
  return current_ == nullptr ? tensorflow::OkStatus() : current_->Check();
}

}  // namespace tfcarve
