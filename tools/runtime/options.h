// Reads the options of the C interface.

#ifndef TFCARVE_TOOLS_RUNTIME_OPTIONS_H_
#define TFCARVE_TOOLS_RUNTIME_OPTIONS_H_

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "tensorflow/core/platform/errors.h"
#include "tensorflow/core/platform/status.h"

namespace tfcarve {

// Copies options, which may be null, over the defaults in `to`. A caller with
// another version of the interface may have a shorter structure or a longer
// one: members that only one side has are ignored. Fails if the size is not
// set.
template <typename Options>
tensorflow::Status ReadOptions(const Options* from, Options* to) {
  if (from == nullptr) return tensorflow::OkStatus();
  if (from->struct_size < offsetof(Options, struct_size) + sizeof(size_t) ||
      from->struct_size > 4096) {
    return tensorflow::errors::InvalidArgument(
        "struct_size of the options is ", from->struct_size,
        ": initialize the structure with its _INIT macro");
  }
  std::memcpy(to, from, std::min(from->struct_size, sizeof(Options)));
  return tensorflow::OkStatus();
}

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_OPTIONS_H_
