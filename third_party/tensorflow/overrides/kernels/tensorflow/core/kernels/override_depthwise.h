// Depthwise convolutions of floats in NHWC with tools/runtime/math.

#ifndef TENSORFLOW_CORE_KERNELS_OVERRIDE_DEPTHWISE_H_
#define TENSORFLOW_CORE_KERNELS_OVERRIDE_DEPTHWISE_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/kernels/override_share.h"
#include "tools/runtime/math/convolution.h"

namespace tensorflow {
namespace overrides {

namespace math = ::tfcarve::math;

// Returns images with each channel repeated `times` times, once for each
// filter.
inline std::vector<float> Repeated(const float* images, int64_t elements,
                                   int64_t times) {
  std::vector<float> repeated(elements * times);
  for (int64_t i = 0; i < elements; ++i) {
    std::fill_n(repeated.begin() + i * times, times, images[i]);
  }
  return repeated;
}

// output = finish(convolution of each of the window.channels input channels
// with its own `times` filters). `finish` may be null.
inline void FilterChannels(OpKernelContext* context, math::Window window,
                           int64_t batch, int64_t times, const float* input,
                           const float* filter, const math::Finish* finish,
                           float* output) {
  const math::Kernels& kernels = math::SelectedKernels();
  std::vector<float> repeated;
  if (times > 1) {
    repeated = Repeated(input, batch * window.image(), times);
    input = repeated.data();
    window.channels *= times;
  }
  const std::vector<float> zeros(window.channels);
  const int64_t rows = window.rows.out;
  const int64_t row_size = window.columns.out * window.channels;
  Share(context->eigen_cpu_device(), batch * rows,
        row_size * window.taps() / 8.0, [&](int64_t begin, int64_t end) {
          std::vector<const float*> below(window.taps());
          for (int64_t i = begin; i < end; ++i) {
            math::DepthwiseRow(kernels, window,
                               input + i / rows * window.image(), filter,
                               i % rows, zeros.data(), finish, below.data(),
                               output + i * row_size);
          }
        });
}

}  // namespace overrides
}  // namespace tensorflow

#endif  // TENSORFLOW_CORE_KERNELS_OVERRIDE_DEPTHWISE_H_
