// In place of TensorFlow's source of this name: it registers the same, with
// products by tools/runtime/math.

#include "tensorflow/core/kernels/override_matmul.h"

// TensorFlow's own, which registers the kernels.
#include_next <tensorflow/core/kernels/linalg/einsum_op_impl_float.cc>
