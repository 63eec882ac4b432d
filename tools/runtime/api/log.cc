#include "tools/runtime/api/log.h"

#ifndef TFCARVE_WITHOUT_LOG_MESSAGES

#include <mutex>

#include "tensorflow/core/platform/logging.h"

namespace tfcarve {
namespace {

// Where messages go, in the form of TensorFlow's interface.
class Sink final : public tsl::TFLogSink {
 public:
  void Set(tfcarve_log_sink sink, void* context, int32_t level) {
    const std::lock_guard<std::mutex> lock(mutex_);
    sink_ = sink;
    context_ = context;
    level_ = level;
  }

  void Send(const tsl::TFLogEntry& entry) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto severity = static_cast<int32_t>(entry.log_severity());
    if (severity < level_) return;
    if (sink_ == nullptr) {
      stderr_.Send(entry);
    } else {
      sink_(context_, severity, entry.ToString().c_str());
    }
  }

 private:
  std::mutex mutex_;
  tfcarve_log_sink sink_ = nullptr;
  void* context_ = nullptr;
  int32_t level_ = 0;
  tsl::TFDefaultLogSink stderr_;
};

// Returns the only sink, which is never deleted: any thread may log until the
// process ends.
Sink* TheSink() {
  static Sink* const sink = [] {
    for (tsl::TFLogSink* each : tsl::TFGetLogSinks()) {
      tsl::TFRemoveLogSink(each);
    }
    auto* const created = new Sink;
    tsl::TFAddLogSink(created);
    return created;
  }();
  return sink;
}

}  // namespace

bool SetLog(tfcarve_log_sink sink, void* context, int32_t level) {
  if (level < 0 || level > 4) return false;
  TheSink()->Set(sink, context, level);
  return true;
}

}  // namespace tfcarve

#else

namespace tfcarve {

bool SetLog(tfcarve_log_sink, void*, int32_t) { return false; }

}  // namespace tfcarve

#endif  // TFCARVE_WITHOUT_LOG_MESSAGES
