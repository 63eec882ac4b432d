// Convolutions of floats in NHWC with tools/runtime/math. TensorFlow
// instantiates tensor contractions of image patches, one for each kind of
// padding.

#ifndef TENSORFLOW_CORE_KERNELS_OVERRIDE_CONVOLUTION_H_
#define TENSORFLOW_CORE_KERNELS_OVERRIDE_CONVOLUTION_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/kernels/override_depthwise.h"
#include "tensorflow/core/kernels/override_parts.h"
#include "tensorflow/core/platform/errors.h"
#include "tensorflow/core/util/padding.h"
#include "tools/runtime/math/convolution.h"

namespace tensorflow {
namespace overrides {

// The arguments of TensorFlow's convolution launchers.
struct Filtering {
  int row_stride;
  int column_stride;
  int row_dilation;
  int column_dilation;
  Padding padding;
  const std::vector<int64_t>& explicit_paddings;
};

// Sets the padding before a dimension. Returns false if positions in the padded
// dimension are no indices, which have 32 bits on some CPUs.
inline bool SetPadding(const Filtering& filtering, int dimension,
                       math::Axis* axis) {
  // The sum of three is still an index.
  constexpr int64_t kMost = std::numeric_limits<math::Index>::max() / 4;
  const int64_t reach = int64_t{axis->filter - 1} * axis->dilation;
  const int64_t last = int64_t{axis->out - 1} * axis->stride;
  int64_t padding = 0;
  if (filtering.padding == EXPLICIT) {
    padding = filtering.explicit_paddings[2 * dimension];
  } else if (filtering.padding == SAME) {
    padding = std::max<int64_t>(0, last + reach + 1 - axis->in) / 2;
  }
  axis->padding = static_cast<math::Index>(padding);
  return reach <= kMost && last <= kMost && padding <= kMost;
}

// Returns false if the window is too large for this CPU.
inline bool FindWindow(const Filtering& filtering, const Tensor& input,
                       const Tensor& filter, const Tensor& output,
                       math::Window* window) {
  *window = {{input.dim_size(1), output.dim_size(1), filter.dim_size(0),
              filtering.row_stride, filtering.row_dilation, 0},
             {input.dim_size(2), output.dim_size(2), filter.dim_size(1),
              filtering.column_stride, filtering.column_dilation, 0},
             input.dim_size(3)};
  return SetPadding(filtering, 1, &window->rows) &&
         SetPadding(filtering, 2, &window->columns);
}

// output = finish(convolution of the input and the filter). The number of
// groups is the input's channels divided by the filter's.
inline void Convolve(OpKernelContext* context, const Filtering& filtering,
                     const Tensor& input, const Tensor& filter,
                     const math::Finish* finish, Tensor* output) {
  const math::Kernels& kernels = math::SelectedKernels();
  math::Window window;
  OP_REQUIRES(
      context, FindWindow(filtering, input, filter, *output, &window),
      errors::InvalidArgument(
          "the filter, its dilation or the padding is too large: positions in "
          "the padded image are no ",
          sizeof(math::Index), "-byte integers"));
  const math::Index group = filter.dim_size(2);
  const math::Index groups = window.channels / group;
  const math::Index columns = filter.dim_size(3);
  const math::Index of_group = columns / groups;
  const math::Index rows = input.dim_size(0) * window.pixels();
  const math::Index depth = window.taps() * group;
  const int64_t work = int64_t{rows} * of_group * depth;
  const math::Parts parts(kernels, rows, of_group,
                          ThreadsFor(context, work * groups));
  const float* const images = input.flat<float>().data();
  const float* const filters = filter.flat<float>().data();
  float* const to = output->flat<float>().data();
  if (group == 1 && groups > 1) {
    FilterChannels(context, window, input.dim_size(0), of_group, images,
                   filters, finish, to);
    return;
  }
  ForEachUnit(
      context, groups * parts.count(), work / parts.count(), [&](int64_t unit) {
        const math::Index g = unit / parts.count();
        const math::Index first = g * of_group;
        const math::Patches patches(window, images + g * group, group);
        math::Finish of_columns{};
        if (finish != nullptr) of_columns = finish->From(first);
        return math::Multiply(
            kernels, patches, {filters + first, columns, false},
            parts.At(unit % parts.count()),
            finish == nullptr ? nullptr : &of_columns, to + first, columns);
      });
}

}  // namespace overrides
}  // namespace tensorflow

#endif  // TENSORFLOW_CORE_KERNELS_OVERRIDE_CONVOLUTION_H_
