// In place of TensorFlow's source of this name: it registers the same, with
// floats by tools/runtime/math.

#include "tensorflow/core/kernels/override_map.h"

namespace tensorflow {
namespace functor {

template <>
struct UnaryFunctor<Eigen::ThreadPoolDevice, sigmoid<float>>
    : LeanMap<tfcarve::math::kSigmoid> {};

}  // namespace functor
}  // namespace tensorflow

// TensorFlow's own, which registers the kernels.
#include_next <tensorflow/core/kernels/cwise_op_sigmoid.cc>
