// Work of an op that a device's threads share.

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

// Work that takes less is sooner done than handed to another thread.
constexpr double kLeastCycles = 15000;

// Calls compute(unit) once for each of [0, units), each of which takes about
// `cycles`, in the caller's thread and in the device's.
template <typename Compute>
void ShareUnits(const Eigen::ThreadPoolDevice& device, int64_t units,
                double cycles, const Compute& compute) {
  const double worth =
      std::min<double>(device.numThreads(), units * cycles / kLeastCycles);
  const int64_t helpers = static_cast<int64_t>(worth) - 1;
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

// Calls compute(begin, end) for parts of [0, size), an element of which takes
// about `cycles`.
template <typename Compute>
void Share(const Eigen::ThreadPoolDevice& device, int64_t size, double cycles,
           const Compute& compute) {
  // More parts than threads: some may be slower, or begin later.
  constexpr int64_t kPartsOfThread = 4;
  const double worth = std::min<double>(kPartsOfThread * device.numThreads(),
                                        size * cycles / kLeastCycles);
  const int64_t parts = std::min<int64_t>(size, std::max(1.0, worth));
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
