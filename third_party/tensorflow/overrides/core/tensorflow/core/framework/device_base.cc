// Overrides TensorFlow's source of the same path: uses the notifications of
// TensorFlow's platform, as TensorFlow's other sources do. Abseil's
// notifications refer to Abseil's mutexes, stack traces and time zones.

#define EIGEN_USE_THREADS

#include "tensorflow/core/framework/device_base.h"

#include "absl/synchronization/notification.h"
#include "tensorflow/core/platform/notification.h"
#include "tensorflow/core/util/work_sharder.h"
#include "unsupported/Eigen/CXX11/Tensor"

namespace absl {

using PlatformNotification = ::tensorflow::Notification;

}  // namespace absl

#define Notification PlatformNotification

#include <tensorflow/core/framework/device_base.cc>
