// Overrides TensorFlow's source of the same path: registers the same kernels
// and computes them on all threads, with a range for each channel row by row.
// TensorFlow's goes through the whole tensor once for each channel, on one
// thread.

#ifndef EIGEN_USE_THREADS
#define EIGEN_USE_THREADS
#endif

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>

#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/types.h"
#include "tensorflow/core/kernels/meta_support.h"
#include "tensorflow/core/kernels/override_memory.h"
#include "tensorflow/core/kernels/override_share.h"
#include "tensorflow/core/kernels/quantization_utils.h"
#include "tensorflow/core/lib/core/errors.h"

namespace tensorflow {
namespace {

// Cycles per element.
constexpr double kCycles = 2;

// What quantized numbers stand for: (number + added) * scale + low.
struct Line {
  float added;
  float scale;
  float low;

  template <typename T>
  float At(T number) const {
    return (static_cast<float>(number.value) + added) * scale + low;
  }
};

// The integers of a quantized type.
template <typename T>
constexpr float Lowest() {
  return std::numeric_limits<decltype(T::value)>::min();
}
template <typename T>
constexpr float Highest() {
  return std::numeric_limits<decltype(T::value)>::max();
}

// The line of the mode MIN_COMBINED.
template <typename T>
Line Combined(float low, float high) {
  constexpr float kSteps = Highest<T>() - Lowest<T>();
  constexpr float kAdded = Lowest<T>() == 0 ? 0.0f : (kSteps + 1) / 2;
  return {kAdded, (high - low) / kSteps, low};
}

// The line of the mode SCALED: 0 is 0.
template <typename T>
Line Scaled(float low, float high, bool narrow_range) {
  const float upper = high / Highest<T>();
  if (Lowest<T>() == 0) return {0, upper, 0};
  const float lowest = Lowest<T>() + (narrow_range ? 1 : 0);
  return {0, std::max(low / lowest, upper), 0};
}

}  // namespace

typedef Eigen::ThreadPoolDevice CPUDevice;

// `Device` is part of the name with which the kernel is selected.
template <typename Device, typename T, typename S>
class DequantizeOp : public OpKernel {
 public:
  explicit DequantizeOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("mode", &mode_));
    OP_REQUIRES_OK(context, context->GetAttr("narrow_range", &narrow_range_));
    OP_REQUIRES_OK(context, context->GetAttr("axis", &axis_));
    const bool is_float = std::is_same<S, float>();
    OP_REQUIRES(context,
                mode_ == "MIN_COMBINED" ||
                    (is_float && (mode_ == "MIN_FIRST" || mode_ == "SCALED")),
                errors::InvalidArgument(
                    "The mode is '", mode_, "': it must be 'MIN_COMBINED'",
                    is_float ? ", 'MIN_FIRST' or 'SCALED'" : " for bfloat16"));
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    OP_REQUIRES(
        context, axis_ < input.dims(),
        errors::InvalidArgument("The axis is ", axis_, ": the input has ",
                                input.dims(), " dimensions"));
    const int64_t channels = axis_ < 0 ? 1 : input.dim_size(axis_);
    for (int index : {1, 2}) {
      const int64_t given = context->input(index).NumElements();
      OP_REQUIRES(context, given == channels,
                  errors::InvalidArgument(
                      "Input ", index, " has ", given,
                      " elements: it must have one for each of the ", channels,
                      " channels"));
    }
    OP_REQUIRES(context, channels == 1 || mode_ != "MIN_FIRST",
                errors::Unimplemented(
                    "The mode MIN_FIRST has no range for each channel"));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context,
                   context->allocate_output(0, input.shape(), &output));
    if (input.NumElements() == 0) return;
    if (mode_ == "MIN_FIRST") {
      MinFirst(context, input, output);
    } else {
      Channels(context, input, channels, output);
    }
  }

 private:
  // Returns the line of each channel; null if there is not enough memory.
  std::unique_ptr<Line[]> Lines(OpKernelContext* context,
                                int64_t channels) const {
    const auto lows = context->input(1).flat<float>();
    const auto highs = context->input(2).flat<float>();
    auto lines = overrides::Allocated<Line>(channels);
    if (lines == nullptr) return lines;
    for (int64_t i = 0; i < channels; ++i) {
      lines[i] = mode_ == "SCALED" ? Scaled<T>(lows(i), highs(i), narrow_range_)
                                   : Combined<T>(lows(i), highs(i));
    }
    return lines;
  }

  void Channels(OpKernelContext* context, const Tensor& input, int64_t channels,
                Tensor* output) const {
    const auto lines = Lines(context, channels);
    overrides::RequireMemory(context, lines != nullptr);
    if (lines == nullptr) return;
    // The number of elements between two elements of one channel with the same
    // place in the channel.
    int64_t inner = 1;
    for (int i = axis_ + 1; axis_ >= 0 && i < input.dims(); ++i) {
      inner *= input.dim_size(i);
    }
    const T* const in = input.flat<T>().data();
    S* const out = output->flat<S>().data();
    const Eigen::ThreadPoolDevice& device = context->eigen_cpu_device();
    if (channels == 1) {
      const Line line = lines[0];
      overrides::Share(device, input.NumElements(), kCycles,
                       [=](int64_t begin, int64_t end) {
                         Row(end - begin, in + begin, line, out + begin);
                       });
    } else if (inner == 1) {
      overrides::Share(device, input.NumElements() / channels,
                       kCycles * channels, [&](int64_t begin, int64_t end) {
                         for (int64_t row = begin; row < end; ++row) {
                           const int64_t start = row * channels;
                           for (int64_t i = 0; i < channels; ++i) {
                             out[start + i] =
                                 static_cast<S>(lines[i].At(in[start + i]));
                           }
                         }
                       });
    } else {
      overrides::Share(device, input.NumElements() / inner, kCycles * inner,
                       [&](int64_t begin, int64_t end) {
                         for (int64_t row = begin; row < end; ++row) {
                           Row(inner, in + row * inner, lines[row % channels],
                               out + row * inner);
                         }
                       });
    }
  }

  static void Row(int64_t size, const T* in, Line line, S* out) {
    for (int64_t i = 0; i < size; ++i) out[i] = static_cast<S>(line.At(in[i]));
  }

  static void MinFirst(OpKernelContext* context, const Tensor& input,
                       Tensor* output) {
    const float low = context->input(1).flat<float>()(0);
    const float high = context->input(2).flat<float>()(0);
    if constexpr (std::is_same<T, quint8>() && std::is_same<S, float>()) {
      meta::Dequantize(context, input.flat<quint8>().data(),
                       input.NumElements(), low, high,
                       output->flat<float>().data());
    } else {
      QuantizedTensorToFloatInPlaceUsingEigen<T>(context->eigen_cpu_device(),
                                                 input, low, high, output);
    }
  }

  std::string mode_;
  bool narrow_range_;
  int axis_;
};

#define REGISTER(T, S)                                     \
  REGISTER_KERNEL_BUILDER(Name("Dequantize")               \
                              .Device(DEVICE_CPU)          \
                              .TypeConstraint<T>("T")      \
                              .TypeConstraint<S>("dtype"), \
                          DequantizeOp<CPUDevice, T, S>)
#define REGISTER_TYPE(T) \
  REGISTER(T, float);    \
  REGISTER(T, bfloat16)

REGISTER_TYPE(quint8);
REGISTER_TYPE(qint8);
REGISTER_TYPE(quint16);
REGISTER_TYPE(qint16);
REGISTER_TYPE(qint32);

}  // namespace tensorflow
