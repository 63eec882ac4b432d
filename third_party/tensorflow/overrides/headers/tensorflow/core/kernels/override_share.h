// Splits the work of an op among a device's threads.

#ifndef TENSORFLOW_CORE_KERNELS_OVERRIDE_SHARE_H_
#define TENSORFLOW_CORE_KERNELS_OVERRIDE_SHARE_H_

#ifndef EIGEN_USE_THREADS
#define EIGEN_USE_THREADS
#endif

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

#include "tools/runtime/threads/shared_work.h"
#include "unsupported/Eigen/CXX11/Tensor"

namespace tensorflow {
namespace overrides {

// The minimum work of a thread: less is not worth handing over.
constexpr double kMinCycles = 15000;

// Calls compute(unit) once for each unit of [0, units), in the caller's thread
// and in the device's threads. A unit takes about `cycles`.
template <typename Compute>
void ShareUnits(const Eigen::ThreadPoolDevice& device, int64_t units,
                double cycles, const Compute& compute) {
  const double max_threads =
      std::min<double>(device.numThreads(), units * cycles / kMinCycles);
  const int64_t helpers = static_cast<int64_t>(max_threads) - 1;
  if (helpers < 1) {
    for (int64_t unit = 0; unit < units; ++unit) compute(unit);
    return;
  }
  Eigen::ThreadPoolInterface* const pool = device.getPool();
  ::tfcarve::ShareWork(
      units, helpers,
      [pool](std::function<void()> task) { pool->Schedule(std::move(task)); },
      compute);
}

// Calls compute(begin, end) for parts of [0, size). An element takes about
// `cycles`.
template <typename Compute>
void Share(const Eigen::ThreadPoolDevice& device, int64_t size, double cycles,
           const Compute& compute) {
  // More parts than threads, because some threads may be slower or start later.
  constexpr int64_t kPartsPerThread = 4;
  const double max_parts = std::min<double>(
      kPartsPerThread * device.numThreads(), size * cycles / kMinCycles);
  const int64_t parts = std::min<int64_t>(size, std::max(1.0, max_parts));
  if (device.numThreads() == 1 || parts < 2) {
    if (size > 0) compute(0, size);
    return;
  }
  ShareUnits(device, parts, size / parts * cycles, [&](int64_t part) {
    compute(size * part / parts, size * (part + 1) / parts);
  });
}

}  // namespace overrides
}  // namespace tensorflow

#endif  // TENSORFLOW_CORE_KERNELS_OVERRIDE_SHARE_H_
