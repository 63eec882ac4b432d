// Overrides TensorFlow's source of the same path: registers the same kernels,
// computes convolutions with tools/runtime/math, and applies the fused
// functions to each block of the output while it is in a cache. TensorFlow
// instantiates tensor contractions and does not support grouped convolutions.

#include "tensorflow/core/kernels/conv_ops_fused_impl.h"
#include "tensorflow/core/kernels/override_convolution.h"
#include "tensorflow/core/kernels/override_fused.h"

namespace tensorflow {

template <>
struct LaunchFusedConv2DOp<CPUDevice, float> {
  void operator()(OpKernelContext* context, bool, bool, const Tensor& input,
                  const Tensor& filter, FusedComputationType type,
                  const FusedComputationArgs& arguments,
                  const Conv2DParameters& parameters,
                  const Conv2DDimensions& dimensions, Tensor* output) {
    // Everything else about groups has been checked.
    const int64_t groups = dimensions.in_depth / filter.dim_size(2);
    OP_REQUIRES(context, groups > 0 && filter.dim_size(3) % groups == 0,
                errors::InvalidArgument("the filter has ", filter.dim_size(3),
                                        " outputs in ", groups, " groups"));
    OP_REQUIRES(context, parameters.data_format == FORMAT_NHWC,
                errors::Unimplemented("fused convolutions require NHWC"));
    const overrides::Fusion fusion(context, type, arguments,
                                   filter.dim_size(3));
    if (!fusion.ok()) return;
    overrides::Convolve(context,
                        {dimensions.stride_rows, dimensions.stride_cols,
                         dimensions.dilation_rows, dimensions.dilation_cols,
                         parameters.padding, parameters.explicit_paddings},
                        input, filter, fusion.finish(), output);
    fusion.Activate(context, output);
  }
};

}  // namespace tensorflow

// TensorFlow's source, which registers the kernels.
#include_next <tensorflow/core/kernels/conv_ops_fused_float.cc>
