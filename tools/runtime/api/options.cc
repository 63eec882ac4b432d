#include "tools/runtime/api/options.h"

#include <algorithm>
#include <cstring>

#include "tensorflow/core/platform/errors.h"

namespace tfcarve {

tensorflow::Status CopyOptions(const void* from, size_t size, void* to) {
  if (from == nullptr) return tensorflow::OkStatus();
  size_t struct_size;
  std::memcpy(&struct_size, from, sizeof(struct_size));
  if (struct_size < sizeof(struct_size) || struct_size > 4096) {
    return tensorflow::errors::InvalidArgument(
        "struct_size of the options is ", struct_size,
        ": initialize the structure with its _INIT macro");
  }
  std::memcpy(to, from, std::min(struct_size, size));
  return tensorflow::OkStatus();
}

}  // namespace tfcarve
