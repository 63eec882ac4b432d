// Converts the inputs of the C interface to tensors.

#ifndef TFCARVE_TOOLS_RUNTIME_API_INPUTS_H_
#define TFCARVE_TOOLS_RUNTIME_API_INPUTS_H_

#include <cstddef>

#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/platform/status.h"
#include "tools/runtime/engine/engine.h"
#include "tools/runtime/include/tfcarve_c_api.h"

namespace tfcarve {

// Copies inputs into `feeds`. With `borrow`, tensors refer to elements that are
// aligned for TensorFlow: the feeds must then not outlive the elements.
tensorflow::Status ReadInputs(const tfcarve_tensor* inputs, size_t count,
                              bool borrow, Feeds* feeds);

// Returns whether a tensor has elements that belong to the app.
bool IsBorrowed(const tensorflow::Tensor& tensor, const tfcarve_tensor* inputs,
                size_t count);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_API_INPUTS_H_
