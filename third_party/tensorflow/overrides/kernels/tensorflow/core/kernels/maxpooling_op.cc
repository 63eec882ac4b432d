// Overrides TensorFlow's source of the same path: registers the same kernels
// and computes the maximum of floats with tools/runtime/math.

#include <limits>

#include "tensorflow/core/kernels/override_pooling.h"

namespace tensorflow {
namespace overrides {

inline void MaxPool(OpKernelContext* context, const Tensor& input,
                    const PoolParameters& parameters, Tensor* output) {
  if (output->NumElements() == 0) return;
  Pool(context, input, parameters,
       math::kLargest[math::SelectedInstructionSet()],
       std::numeric_limits<float>::lowest(), output);
}

}  // namespace overrides

template <>
void MaxPoolingOp<Eigen::ThreadPoolDevice, float>::SpatialMaxPool(
    OpKernelContext* context, Tensor* output, const Tensor& input,
    const PoolParameters& parameters, const Padding&) {
  overrides::MaxPool(context, input, parameters, output);
}

template <>
void MaxPoolingV2Op<Eigen::ThreadPoolDevice, float>::SpatialMaxPool(
    OpKernelContext* context, Tensor* output, const Tensor& input,
    const PoolParameters& parameters, const Padding&) {
  overrides::MaxPool(context, input, parameters, output);
}

}  // namespace tensorflow

// TensorFlow's source, which registers the kernels.
#include_next <tensorflow/core/kernels/maxpooling_op.cc>
