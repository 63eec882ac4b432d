// The device of a session that runs plans: the CPU.

#ifndef TFCARVE_TOOLS_RUNTIME_PLAN_DEVICE_H_
#define TFCARVE_TOOLS_RUNTIME_PLAN_DEVICE_H_

#include <cstddef>
#include <memory>

#include "tensorflow/core/framework/device.h"
#include "tensorflow/core/platform/threadpool_interface.h"

namespace tfcarve {

// Returns a device whose kernels compute on `threads` in addition to the
// caller's thread, or only in the caller's thread if it is null. Kernels may
// allocate `memory_limit` bytes at a time, 0 for any number. `threads` must
// outlive the device.
std::unique_ptr<tensorflow::Device> NewPlanDevice(
    tensorflow::thread::ThreadPoolInterface* threads, size_t memory_limit);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_PLAN_DEVICE_H_
