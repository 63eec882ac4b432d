// Pooling of images of floats or bytes in NHWC with tools/runtime/math, on all
// threads even for a single image.

#ifndef TENSORFLOW_CORE_KERNELS_OVERRIDE_POOLING_H_
#define TENSORFLOW_CORE_KERNELS_OVERRIDE_POOLING_H_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <type_traits>

#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/kernels/override_memory.h"
#include "tensorflow/core/kernels/override_share.h"
#include "tensorflow/core/kernels/pooling_ops_common.h"
#include "tools/runtime/math/convolution.h"

namespace tensorflow {
namespace overrides {

namespace math = ::tfcarve::math;

// Reduces the window of each output pixel by `reduce`, a function of the
// window's pixels: their number, their addresses, the channels, and the output.
// The result is `empty` for a window that is entirely outside of the image. The
// tensors have elements of `Stored`, which has the memory layout of T. The
// context gets an error if there is not enough memory.
template <typename T, typename Stored = T>
void Pool(OpKernelContext* context, const Tensor& input,
          const PoolParameters& parameters,
          void (*reduce)(math::Index, const T* const*, math::Index, T*),
          std::common_type_t<T> empty, Tensor* output) {
  const math::Window window{
      {parameters.tensor_in_rows,
       static_cast<math::Index>(parameters.out_height), parameters.window_rows,
       parameters.row_stride, 1, static_cast<math::Index>(parameters.pad_top)},
      {parameters.tensor_in_cols,
       static_cast<math::Index>(parameters.out_width), parameters.window_cols,
       parameters.col_stride, 1, static_cast<math::Index>(parameters.pad_left)},
      parameters.depth};
  const T* const images =
      reinterpret_cast<const T*>(input.flat<Stored>().data());
  T* const to = reinterpret_cast<T*>(output->flat<Stored>().data());
  const int64_t rows = int64_t{parameters.tensor_in_batch} * window.rows.out;
  const int64_t row_size = int64_t{window.columns.out} * window.channels;
  std::atomic<bool> had_memory{true};
  Share(
      context->eigen_cpu_device(), rows, row_size * window.most_inside() / 4.0,
      [&](int64_t begin, int64_t end) {
        const auto inside = Allocated<const T*>(window.most_inside());
        if (inside == nullptr) {
          had_memory = false;
          return;
        }
        for (int64_t i = begin; i < end; ++i) {
          const T* const image = images + i / window.rows.out * window.image();
          for (math::Index column = 0; column < window.columns.out; ++column) {
            T* const pixel = to + i * row_size + column * window.channels;
            const math::Index taps = math::FindInside(
                window, image, i % window.rows.out, column, inside.get());
            if (taps > 0) {
              reduce(taps, inside.get(), window.channels, pixel);
            } else {
              std::fill_n(pixel, window.channels, empty);
            }
          }
        }
      });
  RequireMemory(context, had_memory);
}

}  // namespace overrides
}  // namespace tensorflow

#endif  // TENSORFLOW_CORE_KERNELS_OVERRIDE_POOLING_H_
