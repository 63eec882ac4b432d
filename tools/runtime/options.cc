#include "tools/runtime/options.h"

#include <algorithm>
#include <cstring>

#include "tensorflow/core/platform/errors.h"

namespace tfcarve {

tensorflow::Status CopyOptions(const void* from, size_t size, void* to) {
  if (from == nullptr) return tensorflow::OkStatus();
  size_t given;
  std::memcpy(&given, from, sizeof(given));
  if (given < sizeof(given) || given > 4096) {
    return tensorflow::errors::InvalidArgument(
        "struct_size of the options is ", given,
        ": initialize the structure with its _INIT macro");
  }
  std::memcpy(to, from, std::min(given, size));
  return tensorflow::OkStatus();
}

}  // namespace tfcarve
