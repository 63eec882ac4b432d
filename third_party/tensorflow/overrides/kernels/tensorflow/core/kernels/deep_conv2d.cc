// In place of TensorFlow's source of this name, the Winograd convolutions that
// the environment variable TF_USE_DEEP_CONV2D asks for: there are none,
// whatever it says. TensorFlow's own is 19 KB in each library with a
// convolution.

#include "tensorflow/core/kernels/deep_conv2d.h"

#include "tensorflow/core/framework/op_kernel.h"

namespace tensorflow {

bool CanUseDeepConv2D(int, int, int, int, int, int, int, int) { return false; }

namespace functor {

template <>
void DeepConv2D<Eigen::ThreadPoolDevice, float>::operator()(
    OpKernelContext* context, const Conv2DArgs&, const float*, const float*,
    float*) {
  context->CtxFailure(errors::Unimplemented("no deep convolution was built"));
}

}  // namespace functor
}  // namespace tensorflow
