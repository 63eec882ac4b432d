// Overrides TensorFlow's source of the same path: a carved library has no
// pluggable devices, so the source does not refer to the factories of devices,
// and with them to the options of sessions.

#include "tensorflow/core/framework/device.h"

#include <string>

#include "tensorflow/core/framework/device_factory.h"

namespace tensorflow {
namespace {

struct NoPluggableDevices {
  static bool IsPluggableDevice(const std::string&) { return false; }
};

}  // namespace
}  // namespace tensorflow

#define DeviceFactory NoPluggableDevices

#include <tensorflow/core/framework/device.cc>
