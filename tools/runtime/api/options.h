// Reads the options of the C interface.

#ifndef TFCARVE_TOOLS_RUNTIME_API_OPTIONS_H_
#define TFCARVE_TOOLS_RUNTIME_API_OPTIONS_H_

#include <cstddef>

#include "tensorflow/core/platform/status.h"

namespace tfcarve {

// Copies a structure that begins with its size over the `size` bytes of `to`.
tensorflow::Status CopyOptions(const void* from, size_t size, void* to);

// Copies options, which may be null, over the defaults in `to`. A caller with
// another version of the interface may have a shorter structure or a longer
// one: members that only one side has are ignored. Fails if the size is not
// set.
template <typename Options>
tensorflow::Status ReadOptions(const Options* from, Options* to) {
  static_assert(offsetof(Options, struct_size) == 0, "the size comes first");
  return CopyOptions(from, sizeof(Options), to);
}

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_API_OPTIONS_H_
