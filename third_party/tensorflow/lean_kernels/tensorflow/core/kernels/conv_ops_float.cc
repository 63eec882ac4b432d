// In place of TensorFlow's source of this name: it registers the same, with
// convolutions as products of filters and patches of the image, which are
// gathered a block at a time. TensorFlow's own instantiates tensor contractions
// of image patches, one for each way to pad: minutes of compiling, and 160 KB.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tensorflow/core/kernels/conv_ops_impl.h"
#include "tensorflow/core/kernels/lean_product.h"
#include "tensorflow/core/util/work_sharder.h"

namespace tensorflow {
namespace lean {

// One of the two dimensions of an image along which a filter moves.
struct Axis {
  Index in;
  Index out;
  Index filter;
  Index stride;
  Index dilation;
  Index padding;  // before the first element

  // The element of the input below the filter's element.
  Index At(Index output, Index tap) const {
    return output * stride - padding + tap * dilation;
  }
};

// Images are [row, column, channel], filters [row, column, channel, output],
// where a filter has the channels of one group.
struct Convolution {
  Axis rows;
  Axis columns;
  Index channels;
  Index outputs;
  Index groups;

  Index group_channels() const { return channels / groups; }
  Index pixels() const { return rows.out * columns.out; }
  Index patch() const {
    return rows.filter * columns.filter * group_channels();
  }
  // Whether the patches of an image are the image as it lies there.
  bool is_product() const {
    return rows.filter == 1 && columns.filter == 1 && rows.stride == 1 &&
           columns.stride == 1 && rows.out == rows.in &&
           columns.out == columns.in && rows.padding == 0 &&
           columns.padding == 0;
  }
};

// Copies the patch of an image that one pixel of the output is made of.
template <typename T>
void CopyPatch(const Convolution& c, const T* image, Index pixel, T* patch) {
  const Index row = pixel / c.columns.out;
  const Index column = pixel % c.columns.out;
  const Index size = c.group_channels();
  for (Index y = 0; y < c.rows.filter; ++y) {
    const Index from_row = c.rows.At(row, y);
    const bool is_inside = from_row >= 0 && from_row < c.rows.in;
    for (Index x = 0; x < c.columns.filter; ++x, patch += size) {
      const Index from = c.columns.At(column, x);
      if (is_inside && from >= 0 && from < c.columns.in) {
        std::memcpy(patch,
                    image + (from_row * c.columns.in + from) * c.channels,
                    size * sizeof(T));
      } else {
        std::memset(patch, 0, size * sizeof(T));
      }
    }
  }
}

// Computes pixels of one image and one group; `image`, `filter` and `output`
// begin at the group's first channel and output.
template <typename T>
void ConvolveGroup(const Convolution& c, const T* image, const T* filter,
                   Index first, Index count, T* output,
                   std::vector<T>* patches) {
  const Index depth = c.patch();
  const Index outputs = c.outputs / c.groups;
  Matrix<T> columns{image + first * c.channels, c.channels, true};
  if (!c.is_product()) {
    patches->resize(count * depth);
    for (Index i = 0; i < count; ++i) {
      CopyPatch(c, image, first + i, patches->data() + i * depth);
    }
    columns = {patches->data(), depth, true};
  }
  Product(outputs, count, depth, Matrix<T>{filter, c.outputs, true}, columns,
          output + first * c.outputs, c.outputs);
}

// Patches that are gathered at a time: numbers that fit a cache, of pixels
// enough to make up for what reading the filter once more takes.
constexpr Index kGathered = 128 * 1024;
constexpr Index kFewestPixels = 32;

template <typename T>
void Convolve(OpKernelContext* context, const Convolution& c, const T* input,
              const T* filter, int64_t batches, T* output) {
  const auto& workers = *context->device()->tensorflow_cpu_worker_threads();
  const Index pixels = c.pixels();
  const Index shared = (pixels + workers.num_threads - 1) / workers.num_threads;
  const Index most = c.is_product() ? shared : kGathered / c.patch();
  const Index block = std::max(kFewestPixels, std::min(most, shared));
  const int64_t blocks = (pixels + block - 1) / block;
  const int64_t cost = block * c.patch() * c.outputs;
  Shard(workers.num_threads, workers.workers, batches * blocks, cost,
        [&](int64_t begin, int64_t end) {
          std::vector<T> patches;
          for (int64_t unit = begin; unit < end; ++unit) {
            const int64_t batch = unit / blocks;
            const Index first = unit % blocks * block;
            const Index count = std::min(block, pixels - first);
            const T* image =
                input + batch * c.rows.in * c.columns.in * c.channels;
            T* to = output + batch * pixels * c.outputs;
            for (Index g = 0; g < c.groups; ++g) {
              const Index out = g * (c.outputs / c.groups);
              ConvolveGroup(c, image + g * c.group_channels(), filter + out,
                            first, count, to + out, &patches);
            }
          }
        });
}

Index PaddingBefore(const Padding& padding, int64_t explicit_padding,
                    const Axis& axis) {
  if (padding == EXPLICIT) return explicit_padding;
  if (padding == VALID) return 0;
  const Index reach = (axis.filter - 1) * axis.dilation + 1;
  const Index all = (axis.out - 1) * axis.stride + reach - axis.in;
  return std::max<Index>(0, all) / 2;
}

// TensorFlow has two of these: for all channels at once, and in groups.
struct LaunchConvolution {
  void operator()(OpKernelContext* context, const Tensor& input,
                  const Tensor& filter, int row_stride, int column_stride,
                  int row_dilation, int column_dilation, const Padding& padding,
                  const std::vector<int64_t>& explicit_paddings, Tensor* output,
                  TensorFormat) const {
    Convolution c{{input.dim_size(1), output->dim_size(1), filter.dim_size(0),
                   row_stride, row_dilation, 0},
                  {input.dim_size(2), output->dim_size(2), filter.dim_size(1),
                   column_stride, column_dilation, 0},
                  input.dim_size(3),
                  output->dim_size(3),
                  input.dim_size(3) / filter.dim_size(2)};
    const bool is_explicit = padding == EXPLICIT;
    c.rows.padding =
        PaddingBefore(padding, is_explicit ? explicit_paddings[2] : 0, c.rows);
    c.columns.padding = PaddingBefore(
        padding, is_explicit ? explicit_paddings[4] : 0, c.columns);
    Convolve(context, c, input.flat<float>().data(),
             filter.flat<float>().data(), input.dim_size(0),
             output->flat<float>().data());
  }
};

}  // namespace lean

template <>
struct LaunchGeneric<CPUDevice, float> : lean::LaunchConvolution {};
template <>
struct LaunchGrouped<float> : lean::LaunchConvolution {};

}  // namespace tensorflow

// TensorFlow's own, which registers the kernels.
#include_next <tensorflow/core/kernels/conv_ops_float.cc>
