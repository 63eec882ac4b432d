// In place of TensorFlow's source of this name: it registers the same, with
// floats filtered by tools/runtime/math. TensorFlow's own copies the input
// below each pixel of the output, and uses the vectors of the oldest CPU alone.

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
                errors::Unimplemented("a depthwise convolution on a CPU is in "
                                      "NHWC only"));
    const overrides::math::Window window{
        {args.in_rows, args.out_rows, args.filter_rows, args.stride, 1,
         args.pad_rows},
        {args.in_cols, args.out_cols, args.filter_cols, args.stride, 1,
         args.pad_cols},
        args.in_depth};
    overrides::FilterChannels(context, window, args.batch, args.depth_multiplier,
                         input, filter, nullptr, output);
  }
};

}  // namespace tensorflow

// TensorFlow's own, which registers the kernels.
#include_next <tensorflow/core/kernels/depthwise_conv_op.cc>
