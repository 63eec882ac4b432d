// The CPU of one session.

#ifndef TFCARVE_TOOLS_RUNTIME_SESSION_SESSION_DEVICE_H_
#define TFCARVE_TOOLS_RUNTIME_SESSION_SESSION_DEVICE_H_

#include <cstddef>
#include <memory>

#include "tensorflow/core/common_runtime/device.h"
#include "tensorflow/core/public/session_options.h"

namespace tfcarve {

// Creates a CPU that ends a run as its RunControl says, and whose kernels
// allocate at most `memory_limit` bytes at a time; 0: any number.
std::unique_ptr<tensorflow::Device> NewSessionDevice(
    const tensorflow::SessionOptions& options, size_t memory_limit);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_SESSION_SESSION_DEVICE_H_
