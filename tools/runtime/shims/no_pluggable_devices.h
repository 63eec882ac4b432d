// For sources that ask the factories of devices whether a device is a plug-in:
// a carved library has no pluggable devices, so the sources need not refer to
// the factories, and with them to the options of sessions. A source includes
// all headers that declare the factories, then defines the macro DeviceFactory
// as NoPluggableDevices.

#ifndef TFCARVE_TOOLS_RUNTIME_SHIMS_NO_PLUGGABLE_DEVICES_H_
#define TFCARVE_TOOLS_RUNTIME_SHIMS_NO_PLUGGABLE_DEVICES_H_

#include <string>

#include "tensorflow/core/framework/device_factory.h"

namespace tensorflow {
namespace {

struct NoPluggableDevices {
  static bool IsPluggableDevice(const std::string&) { return false; }
};

}  // namespace
}  // namespace tensorflow

#endif  // TFCARVE_TOOLS_RUNTIME_SHIMS_NO_PLUGGABLE_DEVICES_H_
