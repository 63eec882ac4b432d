// In place of TensorFlow's source of this name: it registers the same, with
// floats by tools/runtime/math.

#include "tensorflow/core/kernels/override_binary.h"

namespace tensorflow {
namespace functor {

TFCARVE_LEAN_BINARY(sub<float>, kDifference)

}  // namespace functor
}  // namespace tensorflow

// TensorFlow's own, which registers the kernels.
#include_next <tensorflow/core/kernels/cwise_op_sub.cc>
