// Overrides TensorFlow's source of the same path: registers the same kernels
// and averages floats with tools/runtime/math.

#include "tensorflow/core/kernels/override_pooling.h"

namespace tensorflow {

template <>
void SpatialAvgPool<Eigen::ThreadPoolDevice, float>(
    OpKernelContext* context, Tensor* output, const Tensor& input,
    const PoolParameters& parameters, const Padding&) {
  overrides::Pool(context, input, parameters,
                  tfcarve::math::kMean[tfcarve::math::SelectedInstructionSet()],
                  0, output);
}

}  // namespace tensorflow

// TensorFlow's source, which registers the kernels.
#include_next <tensorflow/core/kernels/avgpooling_op.cc>
