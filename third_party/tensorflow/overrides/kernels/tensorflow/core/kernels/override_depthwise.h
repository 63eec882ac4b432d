// Depthwise convolutions of floats in NHWC with tools/runtime/math.

#ifndef TENSORFLOW_CORE_KERNELS_OVERRIDE_DEPTHWISE_H_
#define TENSORFLOW_CORE_KERNELS_OVERRIDE_DEPTHWISE_H_

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/kernels/override_memory.h"
#include "tensorflow/core/kernels/override_repeat.h"
#include "tensorflow/core/kernels/override_share.h"
#include "tools/runtime/math/convolution.h"

namespace tensorflow {
namespace overrides {

namespace math = ::tfcarve::math;

// output = finish(convolution of each of the window.channels input channels
// with its own `times` filters). `finish` may be null. The context gets an
// error if there is not enough memory.
inline void FilterChannels(OpKernelContext* context, math::Window window,
                           int64_t batch, int64_t times, const float* input,
                           const float* filter, const math::Finish* finish,
                           float* output) {
  const int instruction_set = math::SelectedInstructionSet();
  Tensor repeated;
  if (times > 1) {
    OP_REQUIRES_OK(context, Repeat(context, input, batch * window.image(),
                                   times, &repeated));
    input = repeated.flat<float>().data();
    window.channels *= times;
  }
  const auto zeros = Allocated<float>(window.channels);
  RequireMemory(context, zeros != nullptr);
  if (zeros == nullptr) return;
  std::fill_n(zeros.get(), window.channels, 0.0f);
  const int64_t rows = window.rows.out;
  const int64_t row_size = window.columns.out * window.channels;
  std::atomic<bool> had_memory{true};
  Share(context->eigen_cpu_device(), batch * rows,
        row_size * window.taps() / 8.0, [&](int64_t begin, int64_t end) {
          const auto below = Allocated<const float*>(window.taps());
          if (below == nullptr) {
            had_memory = false;
            return;
          }
          for (int64_t i = begin; i < end; ++i) {
            math::DepthwiseRow(instruction_set, window,
                               input + i / rows * window.image(), filter,
                               i % rows, zeros.get(), finish, below.get(),
                               output + i * row_size);
          }
        });
  RequireMemory(context, had_memory);
}

}  // namespace overrides
}  // namespace tensorflow

#endif  // TENSORFLOW_CORE_KERNELS_OVERRIDE_DEPTHWISE_H_
