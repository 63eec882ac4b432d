// Products of floats, split into parts for a device's threads.

#ifndef TENSORFLOW_CORE_KERNELS_OVERRIDE_PARTS_H_
#define TENSORFLOW_CORE_KERNELS_OVERRIDE_PARTS_H_

#include <atomic>
#include <cstdint>

#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/kernels/override_share.h"
#include "tensorflow/core/platform/errors.h"
#include "tools/runtime/math/product.h"

namespace tensorflow {
namespace overrides {

namespace math = ::tfcarve::math;

// Returns the number of parts of a product: one for each thread, but each large
// enough to be worth handing to a thread.
inline int ThreadsFor(OpKernelContext* context, int64_t multiply_adds) {
  constexpr int64_t kMinPerThread = 256 * 1024;
  const int threads = context->eigen_cpu_device().numThreads();
  return static_cast<int>(std::max<int64_t>(
      1, std::min<int64_t>(threads, multiply_adds / kMinPerThread)));
}

// Calls compute(unit) for each unit of [0, units), each with `multiply_adds` of
// work, on the device's threads. compute returns false if it ran out of memory;
// then the context gets an error.
template <typename Compute>
void ForEachUnit(OpKernelContext* context, int64_t units, int64_t multiply_adds,
                 const Compute& compute) {
  // Approximate multiply-adds of a core in a cycle.
  constexpr double kPerCycle = 8;
  std::atomic<bool> had_memory{true};
  ShareUnits(context->eigen_cpu_device(), units, multiply_adds / kPerCycle,
             [&](int64_t unit) {
               if (!compute(unit)) had_memory = false;
             });
  OP_REQUIRES(
      context, had_memory,
      errors::ResourceExhausted("out of memory for blocks of a product"));
}

}  // namespace overrides
}  // namespace tensorflow

#endif  // TENSORFLOW_CORE_KERNELS_OVERRIDE_PARTS_H_
