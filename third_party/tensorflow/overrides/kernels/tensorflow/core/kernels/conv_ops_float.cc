// In place of TensorFlow's source of this name: it registers the same, with
// convolutions by tools/runtime/math.

#include "tensorflow/core/kernels/conv_ops_impl.h"
#include "tensorflow/core/kernels/override_convolution.h"

namespace tensorflow {
namespace overrides {

// TensorFlow has two of these: for all channels at once, and in groups.
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

// TensorFlow's own, which registers the kernels.
#include_next <tensorflow/core/kernels/conv_ops_float.cc>
