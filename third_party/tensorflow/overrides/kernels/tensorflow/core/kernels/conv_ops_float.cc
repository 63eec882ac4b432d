// Overrides TensorFlow's source of the same path: registers the same kernels
// and computes convolutions with tools/runtime/math.

#include "tensorflow/core/kernels/conv_ops_impl.h"
#include "tensorflow/core/kernels/override_convolution.h"

namespace tensorflow {
namespace overrides {

// Replaces TensorFlow's launchers for ordinary and for grouped convolutions.
struct LaunchConvolution {
  void operator()(OpKernelContext* context, const Tensor& input,
                  const Tensor& filter, int row_stride, int column_stride,
                  int row_dilation, int column_dilation, const Padding& padding,
                  const std::vector<int64_t>& explicit_paddings, Tensor* output,
                  TensorFormat) const {
    Convolve(context,
             {row_stride, column_stride, row_dilation, column_dilation, padding,
              explicit_paddings},
             input, filter, nullptr, output);
  }
};

}  // namespace overrides

template <>
struct LaunchGeneric<CPUDevice, float> : overrides::LaunchConvolution {};
template <>
struct LaunchGrouped<float> : overrides::LaunchConvolution {};

}  // namespace tensorflow

// TensorFlow's source, which registers the kernels.
#include_next <tensorflow/core/kernels/conv_ops_float.cc>
