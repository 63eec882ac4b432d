#include "tools/runtime/engine/session_threads.h"

#include <memory>

#include "tensorflow/core/platform/cpu_info.h"
#include "tensorflow/core/platform/errors.h"
#include "tensorflow/core/platform/strcat.h"
#include "tools/runtime/threads/thread_limit.h"

namespace tfcarve {

tensorflow::Status NewThreads(int32_t count,
                              std::shared_ptr<SessionThreads>* threads) {
  if (count < 0 || count > kMaxThreads) {
    return tensorflow::errors::InvalidArgument(
        tensorflow::strings::StrCat("threads is ", count, ": pass 1 to ",
                                    kMaxThreads, ", or 0 for one per core"));
  }
  if (count == 0) count = tensorflow::port::MaxParallelism();
  if (count > 1) *threads = std::make_shared<SessionThreads>(count);
  return tensorflow::OkStatus();
}

}  // namespace tfcarve
