// Overrides TensorFlow's source of the same path: registers the same kernels
// and computes floats with tools/runtime/math.

#include "tensorflow/core/kernels/override_map.h"

namespace tensorflow {
namespace functor {

template <>
struct UnaryFunctor<Eigen::ThreadPoolDevice, erf<float>>
    : FloatMap<tfcarve::math::kErf> {};

}  // namespace functor
}  // namespace tensorflow

// TensorFlow's source, which registers the kernels.
#include_next <tensorflow/core/kernels/cwise_op_erf.cc>
