// The clock in place of TensorFlow's environment, for sources of TSL that ask
// only for the time: the environment has the file systems.

#ifndef TFCARVE_TOOLS_RUNTIME_SHIMS_CLOCK_H_
#define TFCARVE_TOOLS_RUNTIME_SHIMS_CLOCK_H_

#include <cstdint>

#include "tensorflow/core/platform/env.h"
#include "tensorflow/core/platform/env_time.h"
#include "tensorflow/core/platform/logging.h"

namespace tsl {
namespace {

// Stands where TensorFlow's source asks the environment.
struct Clock {
  static Clock* Default() { return nullptr; }
  static uint64_t NowMicros() { return EnvTime::NowMicros(); }
};

}  // namespace
}  // namespace tsl

#endif  // TFCARVE_TOOLS_RUNTIME_SHIMS_CLOCK_H_
