// In place of TensorFlow's source of this name: it registers the same, with
// floats averaged by tools/runtime/math.

#include "tensorflow/core/kernels/override_pooling.h"

namespace tensorflow {

template <>
void SpatialAvgPool<Eigen::ThreadPoolDevice, float>(
    OpKernelContext* context, Tensor* output, const Tensor& input,
    const PoolParameters& parameters, const Padding&) {
  overrides::Pool(context, input, parameters, tfcarve::math::SelectedKernels().mean,
             0, output);
}

}  // namespace tensorflow

// TensorFlow's own, which registers the kernels.
#include_next <tensorflow/core/kernels/avgpooling_op.cc>
