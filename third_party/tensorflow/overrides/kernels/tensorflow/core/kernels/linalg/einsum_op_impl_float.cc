// Overrides TensorFlow's source of the same path: registers the same kernels
// and computes products with tools/runtime/math.

#include "tensorflow/core/kernels/override_matmul.h"

// TensorFlow's source, which registers the kernels.
#include_next <tensorflow/core/kernels/linalg/einsum_op_impl_float.cc>
