// Overrides TensorFlow's source of the same path: a carved library has no
// pluggable devices and loads no kernels from files of a folder. So the source
// does not refer to the factories of devices, and with them to the options of
// sessions.

#include "tensorflow/core/framework/op_kernel.h"

#include <string>
#include <vector>

#include "tensorflow/core/framework/kernel_def_util.h"
#include "tensorflow/core/framework/log_memory.h"
#include "tensorflow/core/framework/memory_types.h"
#include "tensorflow/core/framework/node_def_util.h"
#include "tensorflow/core/framework/tensor_reference.h"
#include "tensorflow/core/lib/io/path.h"
#include "tensorflow/core/platform/env.h"
#include "tensorflow/core/platform/errors.h"
#include "tensorflow/core/platform/platform_strings.h"
#include "tensorflow/core/profiler/lib/scoped_memory_debug_annotation.h"
#include "tensorflow/core/profiler/lib/traceme.h"
#include "tools/runtime/shims/no_pluggable_devices.h"

namespace tensorflow {
namespace {

// Stands where TensorFlow's source searches a folder for libraries of kernels.
struct NoFolder {
  static NoFolder* Default() { return nullptr; }
  static std::string GetRunfilesDir() { return ""; }
  static Status GetChildren(const std::string&, std::vector<std::string>*) {
    return errors::NotFound("there is no folder with kernels");
  }
  static bool MatchPath(const std::string&, const std::string&) {
    return false;
  }
  static Status LoadDynamicLibrary(const char*, void**) { return OkStatus(); }
};

}  // namespace
}  // namespace tensorflow

#define DeviceFactory NoPluggableDevices
#define Env NoFolder

#include <tensorflow/core/framework/op_kernel.cc>
