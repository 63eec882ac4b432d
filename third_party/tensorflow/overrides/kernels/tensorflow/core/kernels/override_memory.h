// Memory that an op needs while it runs. std::vector would end the process if
// there is not enough, because TensorFlow is compiled without exceptions.

#ifndef TENSORFLOW_CORE_KERNELS_OVERRIDE_MEMORY_H_
#define TENSORFLOW_CORE_KERNELS_OVERRIDE_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>

#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/platform/errors.h"

namespace tensorflow {
namespace overrides {

// Returns memory for elements, which have no values yet; null if there is not
// enough.
template <typename T>
std::unique_ptr<T[]> Allocated(uint64_t elements) {
  if (elements > std::numeric_limits<size_t>::max() / sizeof(T)) return nullptr;
  return std::unique_ptr<T[]>(new (std::nothrow)
                                  T[static_cast<size_t>(elements)]);
}

// Gives the context an error if the op had not enough memory.
inline void RequireMemory(OpKernelContext* context, bool had_memory) {
  OP_REQUIRES(context, had_memory,
              errors::ResourceExhausted("out of memory for the op's buffers"));
}

}  // namespace overrides
}  // namespace tensorflow

#endif  // TENSORFLOW_CORE_KERNELS_OVERRIDE_MEMORY_H_
