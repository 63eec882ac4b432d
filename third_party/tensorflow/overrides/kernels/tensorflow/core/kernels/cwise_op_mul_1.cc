// Overrides TensorFlow's source of the same path: registers the same kernels
// and computes floats with tools/runtime/math.

#include "tensorflow/core/kernels/override_binary.h"

namespace tensorflow {
namespace functor {

TFCARVE_FLOAT_BINARY(mul<float>, kProduct)

}  // namespace functor
}  // namespace tensorflow

// TensorFlow's source, which registers the kernels.
#include_next <tensorflow/core/kernels/cwise_op_mul_1.cc>
