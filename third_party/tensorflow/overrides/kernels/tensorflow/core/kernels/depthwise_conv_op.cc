// Overrides TensorFlow's source of the same path: registers the same kernels
// and computes floats with tools/runtime/math. TensorFlow copies the input
// window of each output pixel, and uses only the vectors of the baseline CPU.

#include "tensorflow/core/kernels/depthwise_conv_op.h"

#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/types.h"
#include "tensorflow/core/kernels/override_depthwise.h"
#include "tensorflow/core/util/tensor_format.h"

namespace tensorflow {

template <>
struct LaunchDepthwiseConvOp<Eigen::ThreadPoolDevice, float> {
  void operator()(OpKernelContext* context, const DepthwiseArgs& args,
                  const float* input, const float* filter, float* output,
                  TensorFormat format) {
    OP_REQUIRES(context, format == FORMAT_NHWC,
                errors::Unimplemented("depthwise convolutions on a CPU "
                                      "require NHWC"));
    const overrides::math::Window window{
        {args.in_rows, args.out_rows, args.filter_rows, args.stride, 1,
         args.pad_rows},
        {args.in_cols, args.out_cols, args.filter_cols, args.stride, 1,
         args.pad_cols},
        args.in_depth};
    overrides::FilterChannels(context, window, args.batch,
                              args.depth_multiplier, input, filter, nullptr,
                              output);
  }
};

}  // namespace tensorflow

// TensorFlow's source, which registers the kernels.
#include_next <tensorflow/core/kernels/depthwise_conv_op.cc>
