// A kernel that TensorFlow has only in oneDNN: depthwise convolutions of bytes.
// For inputs whose range starts at 0, the results are equal to the results of
// MklQuantizedConvOp in tensorflow/core/kernels/mkl/mkl_conv_ops.cc. For other
// ranges, MklQuantizedConvOp does not subtract the quantized value of 0; this
// kernel does.

#ifndef EIGEN_USE_THREADS
#define EIGEN_USE_THREADS
#endif

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <vector>

#include "tensorflow/core/framework/kernel_shape_util.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/kernels/override_bytes.h"
#include "tensorflow/core/kernels/override_memory.h"
#include "tensorflow/core/kernels/override_repeat.h"
#include "tensorflow/core/kernels/quantization_utils.h"
#include "tensorflow/core/platform/errors.h"
#include "tensorflow/core/util/padding.h"
#include "tools/runtime/math/byte_loops.h"
#include "tools/runtime/math/byte_product.h"

namespace tensorflow {
namespace overrides {
namespace {

void FilterChannels(OpKernelContext* context, const math::Window& window,
                    int64_t batch, const uint8_t* images, uint8_t zero,
                    const int8_t* filters, int32_t* out) {
  const math::Index channels = window.channels;
  const auto outside = Allocated<uint8_t>(channels);
  const auto packed = Allocated<int16_t>((window.taps() + 1) * channels);
  const auto initial = Allocated<int32_t>(channels);
  std::atomic<bool> had_memory{outside && packed && initial};
  RequireMemory(context, had_memory);
  if (!had_memory) return;
  std::fill_n(outside.get(), channels, zero);
  math::PackFilters(window.taps(), filters, channels, packed.get());
  // (image - zero) * filter = image * filter - zero * filter. Sums wrap.
  std::fill_n(initial.get(), channels, 0);
  for (math::Index i = 0; i < window.taps() * channels; ++i) {
    int32_t& sum = initial[i % channels];
    sum = static_cast<uint32_t>(sum) - zero * filters[i];
  }
  const int64_t rows = window.rows.out;
  const int64_t row_size = window.columns.out * window.channels;
  // Multiply-adds of a core in a cycle.
  constexpr double kPerCycle = 5;
  Share(context->eigen_cpu_device(), batch * rows,
        row_size * window.taps() / kPerCycle, [&](int64_t begin, int64_t end) {
          const auto scratch = Allocated<const uint8_t*>(window.taps());
          if (scratch == nullptr) {
            had_memory = false;
            return;
          }
          for (int64_t i = begin; i < end; ++i) {
            math::DepthwiseRow(window, images + i / rows * window.image(),
                               packed.get(), initial.get(), i % rows,
                               outside.get(), scratch.get(),
                               out + i * row_size);
          }
        });
  RequireMemory(context, had_memory);
}

}  // namespace
}  // namespace overrides

class QuantizedDepthwiseConvOp : public OpKernel {
 public:
  explicit QuantizedDepthwiseConvOp(OpKernelConstruction* context)
      : OpKernel(context) {
    std::vector<int32> dilations;
    OP_REQUIRES_OK(context, context->GetAttr("strides", &strides_));
    OP_REQUIRES_OK(context, context->GetAttr("dilations", &dilations));
    OP_REQUIRES_OK(context, context->GetAttr("padding", &padding_));
    OP_REQUIRES(
        context,
        strides_.size() == 4 && strides_[0] == 1 && strides_[3] == 1 &&
            strides_[1] > 0 && strides_[2] > 0,
        errors::InvalidArgument("strides must be 1, two positive numbers, 1"));
    OP_REQUIRES(context, dilations == std::vector<int32>({1, 1, 1, 1}),
                errors::Unimplemented("dilations other than 1"));
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    const Tensor& filter = context->input(1);
    OP_REQUIRES(context, input.dims() == 4 && filter.dims() == 4,
                errors::InvalidArgument(
                    "input and filter must have 4 dimensions, but have ",
                    input.dims(), " and ", filter.dims()));
    OP_REQUIRES(context, input.dim_size(3) == filter.dim_size(2),
                errors::InvalidArgument(
                    "input and filter must have the same depth, but have ",
                    input.dim_size(3), " and ", filter.dim_size(2)));
    OP_REQUIRES(context, filter.NumElements() > 0,
                errors::InvalidArgument("the filter is empty"));
    for (int i = 2; i < 6; ++i) {
      OP_REQUIRES(context, context->input(i).NumElements() == 1,
                  errors::InvalidArgument("input ", i, " must be a scalar"));
    }
    const float low = context->input(2).flat<float>()(0);
    const float high = context->input(3).flat<float>()(0);
    const int32_t zero = FloatToQuantizedUnclamped<quint8>(0.0f, low, high);
    OP_REQUIRES(context, zero >= 0 && zero <= 255,
                errors::InvalidArgument("the range of the input, ", low, " to ",
                                        high, ", does not contain 0"));
    int64_t rows, columns, padding_rows, padding_columns;
    OP_REQUIRES_OK(context, GetWindowedOutputSize(
                                input.dim_size(1), filter.dim_size(0), 1,
                                strides_[1], padding_, &rows, &padding_rows));
    OP_REQUIRES_OK(
        context, GetWindowedOutputSize(input.dim_size(2), filter.dim_size(1), 1,
                                       strides_[2], padding_, &columns,
                                       &padding_columns));
    const int64_t batch = input.dim_size(0);
    const int64_t times = filter.dim_size(3);
    const int64_t channels = input.dim_size(3) * times;
    TensorShape shape;
    OP_REQUIRES_OK(context, TensorShape::BuildTensorShape(
                                {batch, rows, columns, channels}, &shape));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &output));
    SetRange(context, low, high);
    if (!context->status().ok() || output->NumElements() == 0) return;
    Tensor images = input;
    if (times > 1) {
      OP_REQUIRES_OK(context,
                     overrides::Repeat(context, input.flat<quint8>().data(),
                                       input.NumElements(), times, &images));
    }
    const tfcarve::math::Window window{
        {input.dim_size(1), rows, filter.dim_size(0), strides_[1], 1,
         padding_rows},
        {input.dim_size(2), columns, filter.dim_size(1), strides_[2], 1,
         padding_columns},
        channels};
    overrides::FilterChannels(
        context, window, batch,
        overrides::BytesOf(images.flat<quint8>().data()),
        static_cast<uint8_t>(zero),
        reinterpret_cast<const int8_t*>(filter.flat<qint8>().data()),
        reinterpret_cast<int32_t*>(output->flat<qint32>().data()));
  }

 private:
  // The range of 32-bit integers, as MklQuantizationRangeForMultiplication in
  // tensorflow/core/kernels/mkl/mkl_quantized_conv_ops.h computes it.
  void SetRange(OpKernelContext* context, float low, float high) {
    const float filter_low = context->input(4).flat<float>()(0);
    const float filter_high = context->input(5).flat<float>()(0);
    const float step = (high - low) / 255 * ((filter_high - filter_low) / 254);
    using Limits = std::numeric_limits<int32_t>;
    int index = 1;
    for (const int64_t end : {int64_t{Limits::min()}, int64_t{Limits::max()}}) {
      Tensor* output = nullptr;
      OP_REQUIRES_OK(context, context->allocate_output(index++, {}, &output));
      output->flat<float>()(0) = step * end;
    }
  }

  std::vector<int32> strides_;
  Padding padding_;
};

// Builds with oneDNN have its kernel.
#ifndef INTEL_MKL
REGISTER_KERNEL_BUILDER(Name("QuantizedDepthwiseConv2D")
                            .Device(DEVICE_CPU)
                            .TypeConstraint<quint8>("Tinput")
                            .TypeConstraint<qint8>("Tfilter")
                            .TypeConstraint<qint32>("out_type"),
                        QuantizedDepthwiseConvOp);
#endif

}  // namespace tensorflow
