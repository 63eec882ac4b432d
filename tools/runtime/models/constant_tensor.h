// The tensors of large constants.

#ifndef TFCARVE_TOOLS_RUNTIME_MODELS_CONSTANT_TENSOR_H_
#define TFCARVE_TOOLS_RUNTIME_MODELS_CONSTANT_TENSOR_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/tensor.pb.h"
#include "tensorflow/core/platform/status.h"
#include "tools/runtime/models/mapped_file.h"

namespace tfcarve {

// The alignment of constants in memory: sufficient for Eigen's vectors, and the
// alignment of TensorFlow's allocator.
inline constexpr uintptr_t kConstantAlignment = 64;

// Creates the tensor with the type and shape of `head` and the content `bytes`,
// which must match them. It refers to `file`, which contains the bytes and
// which it keeps mapped, or is a copy if `file` is null or the bytes are not
// aligned. Adds the bytes that it uses in the file to `mapped_bytes`.
tensorflow::Status ConstantTensor(const tensorflow::TensorProto& head,
                                  std::string_view bytes,
                                  const MappedFile* file,
                                  tensorflow::Tensor* tensor,
                                  size_t* mapped_bytes);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_MODELS_CONSTANT_TENSOR_H_
