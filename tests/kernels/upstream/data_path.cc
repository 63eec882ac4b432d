// In place of tensorflow/tsl/platform/default/resource_loader.cc, which needs
// Bazel's library for runfiles.

#include <cstdlib>
#include <string>

#include "tensorflow/tsl/platform/path.h"
#include "tensorflow/tsl/platform/resource_loader.h"

namespace tsl {

std::string GetDataDependencyFilepath(const std::string& relative_path) {
  return io::JoinPath(std::getenv("TEST_SRCDIR"), relative_path);
}

}  // namespace tsl
