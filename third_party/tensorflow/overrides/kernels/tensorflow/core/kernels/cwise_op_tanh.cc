// Overrides TensorFlow's source of the same path: registers the same kernels
// and computes floats with tools/runtime/math.

#include "tensorflow/core/kernels/override_map.h"

namespace tensorflow {
namespace functor {

template <>
struct UnaryFunctor<Eigen::ThreadPoolDevice, tanh<float>>
    : FloatMap<tfcarve::math::kTanh> {};

}  // namespace functor
}  // namespace tensorflow

// TensorFlow's source, which registers the kernels.
#include_next <tensorflow/core/kernels/cwise_op_tanh.cc>
