// In place of TensorFlow's source of this name: it registers the same, with
// floats filtered by tools/runtime/math. TensorFlow's own copies the input
// below each pixel of the output, and uses the vectors of the oldest CPU alone.

#include "tensorflow/core/kernels/depthwise_conv_op.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/types.h"
#include "tensorflow/core/util/tensor_format.h"
#include "tensorflow/core/util/work_sharder.h"
#include "tools/runtime/math/convolution.h"

namespace tensorflow {
namespace lean {

namespace math = ::tfcarve::math;

// An image with each of its channels `times` times: a channel for each filter.
std::vector<float> Repeated(const float* image, int64_t pixels,
                            int64_t channels, int64_t times) {
  std::vector<float> repeated(pixels * channels * times);
  for (int64_t i = 0; i < pixels * channels; ++i) {
    std::fill_n(repeated.begin() + i * times, times, image[i]);
  }
  return repeated;
}

}  // namespace lean

template <>
struct LaunchDepthwiseConvOp<Eigen::ThreadPoolDevice, float> {
  void operator()(OpKernelContext* context, const DepthwiseArgs& args,
                  const float* input, const float* filter, float* output,
                  TensorFormat format) {
    namespace math = lean::math;
    OP_REQUIRES(context, format == FORMAT_NHWC,
                errors::Unimplemented("a depthwise convolution on a CPU is in "
                                      "NHWC only"));
    const math::Kernels& kernels = math::SelectedKernels();
    const math::Window window{{args.in_rows, args.out_rows, args.filter_rows,
                               args.stride, 1, args.pad_rows},
                              {args.in_cols, args.out_cols, args.filter_cols,
                               args.stride, 1, args.pad_cols},
                              args.out_depth};
    const int64_t pixels = int64_t{args.batch} * args.in_rows * args.in_cols;
    std::vector<float> repeated;
    if (args.depth_multiplier > 1) {
      repeated =
          lean::Repeated(input, pixels, args.in_depth, args.depth_multiplier);
      input = repeated.data();
    }
    const std::vector<float> zeros(window.channels);
    const auto& workers = *context->device()->tensorflow_cpu_worker_threads();
    const int64_t row_size = window.columns.out * window.channels;
    Shard(workers.num_threads, workers.workers,
          int64_t{args.batch} * args.out_rows, row_size * window.taps() / 4,
          [&](int64_t begin, int64_t end) {
            std::vector<const float*> below(window.taps());
            for (int64_t i = begin; i < end; ++i) {
              math::DepthwiseRow(kernels, window,
                                 input + i / args.out_rows * window.image(),
                                 filter, i % args.out_rows, zeros.data(),
                                 below.data(), output + i * row_size);
            }
          });
  }
};

}  // namespace tensorflow

// TensorFlow's own, which registers the kernels.
#include_next <tensorflow/core/kernels/depthwise_conv_op.cc>
