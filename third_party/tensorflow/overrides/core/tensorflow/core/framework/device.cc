// Overrides TensorFlow's source of the same path: a carved library has no
// pluggable devices, so the source does not refer to the factories of devices,
// and with them to the options of sessions.

#include "tensorflow/core/framework/device.h"

#include "tools/runtime/shims/no_pluggable_devices.h"

#define DeviceFactory NoPluggableDevices

#include <tensorflow/core/framework/device.cc>
