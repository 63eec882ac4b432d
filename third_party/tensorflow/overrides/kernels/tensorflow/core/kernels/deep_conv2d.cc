// Replaces TensorFlow's source of the same path, which implements the Winograd
// convolutions that the environment variable TF_USE_DEEP_CONV2D enables. The
// variable has no effect here. TensorFlow's source would be in each library
// with a convolution.

#include "tensorflow/core/kernels/deep_conv2d.h"

#include "tensorflow/core/framework/op_kernel.h"

namespace tensorflow {

bool CanUseDeepConv2D(int, int, int, int, int, int, int, int) { return false; }

namespace functor {

template <>
void DeepConv2D<Eigen::ThreadPoolDevice, float>::operator()(
    OpKernelContext* context, const Conv2DArgs&, const float*, const float*,
    float*) {
  context->CtxFailure(errors::Unimplemented(
      "this library was carved without deep convolutions"));
}

}  // namespace functor
}  // namespace tensorflow
