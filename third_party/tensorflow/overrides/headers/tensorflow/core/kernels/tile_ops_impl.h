// Precedes TensorFlow's header of the same path: loops for tensors of all ranks
// sum the tiles of a gradient. TensorFlow instantiates Eigen expressions for
// each type and rank, also in libraries that only tile.

#ifndef TFCARVE_OVERRIDES_TILE_OPS_IMPL_H_
#define TFCARVE_OVERRIDES_TILE_OPS_IMPL_H_

#include <complex>
#include <cstdint>

#include "tensorflow/core/framework/tensor_types.h"
#include "tensorflow/core/kernels/override_share.h"
#include "tensorflow/core/platform/bfloat16.h"
#include "unsupported/Eigen/CXX11/Tensor"

namespace tensorflow {
namespace overrides {

// A tile of a larger tensor. The last dimension is contiguous.
struct Tile {
  int rank;
  const int64_t* sizes;
  const int64_t* strides;  // of the larger tensor
};

// Adds the elements of a tile to `out`, or copies them if it is the first tile.
template <typename T>
void AddTile(const Eigen::ThreadPoolDevice& device, const Tile& tile,
             bool is_first, const T* in, T* out) {
  const int last = tile.rank - 1;
  const int64_t row_size = tile.sizes[last];
  int64_t rows = 1;
  for (int d = 0; d < last; ++d) rows *= tile.sizes[d];
  Share(device, rows, row_size + 4.0 * tile.rank,
        [&](int64_t begin, int64_t end) {
          for (int64_t row = begin; row < end; ++row) {
            const T* from = in;
            int64_t rest = row;
            for (int d = last - 1; d >= 0; --d) {
              from += rest % tile.sizes[d] * tile.strides[d];
              rest /= tile.sizes[d];
            }
            T* const to = out + row * row_size;
            for (int64_t i = 0; i < row_size; ++i) {
              to[i] = is_first ? from[i] : static_cast<T>(to[i] + from[i]);
            }
          }
        });
}

// The type in which many elements are summed.
template <typename T>
struct SumOf {
  using Type = T;
};
template <>
struct SumOf<Eigen::half> {
  using Type = float;
};
template <>
struct SumOf<bfloat16> {
  using Type = float;
};
template <>
struct SumOf<float> {
  using Type = double;
};
template <>
struct SumOf<std::complex<float>> {
  using Type = std::complex<double>;
};

// Sums the middle one of three dimensions.
template <typename T>
void SumMiddle(const Eigen::ThreadPoolDevice& device, int64_t outer,
               int64_t size, int64_t inner, const T* in, T* out) {
  using Sum = typename SumOf<T>::Type;
  Share(device, outer * inner, 2.0 * size, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const T* const from = in + i / inner * size * inner + i % inner;
      Sum sum = Sum();
      for (int64_t k = 0; k < size; ++k) {
        sum += static_cast<Sum>(from[k * inner]);
      }
      out[i] = static_cast<T>(sum);
    }
  });
}

}  // namespace overrides

namespace functor {

// Both the header and the source of the kernels define them.
template <typename Device, typename T, int NDIM>
struct TileGrad;
template <typename Device, typename T, int NDIM, int REDUCEDNDIM>
struct ReduceAndReshape;

// Same as TensorFlow's functors.
template <typename T, int NDIM>
struct TileGrad<Eigen::ThreadPoolDevice, T, NDIM> {
  void operator()(const Eigen::ThreadPoolDevice& device,
                  typename TTypes<T, NDIM>::Tensor out,
                  typename TTypes<T, NDIM>::ConstTensor in,
                  const Eigen::DSizes<Eigen::DenseIndex, NDIM>& indices,
                  const Eigen::DSizes<Eigen::DenseIndex, NDIM>& sizes,
                  bool first) const {
    int64_t tile_sizes[NDIM], strides[NDIM];
    int64_t stride = 1, offset = 0;
    for (int d = NDIM - 1; d >= 0; --d) {
      tile_sizes[d] = sizes[d];
      strides[d] = stride;
      offset += indices[d] * stride;
      stride *= in.dimension(d);
    }
    overrides::AddTile(device, {NDIM, tile_sizes, strides}, first,
                       in.data() + offset, out.data());
  }
};

// Kernels reduce one dimension only.
template <typename T, int NDIM>
struct ReduceAndReshape<Eigen::ThreadPoolDevice, T, NDIM, 1> {
  void operator()(
      const Eigen::ThreadPoolDevice& device,
      typename TTypes<T, NDIM>::Tensor out,
      typename TTypes<T, NDIM>::ConstTensor in,
      const Eigen::DSizes<Eigen::DenseIndex, 1>& reduce_dim,
      const Eigen::DSizes<Eigen::DenseIndex, NDIM>& reshape_dim) const {
    int64_t outer = 1, inner = 1;
    for (int d = 0; d < NDIM; ++d) {
      (d < reduce_dim[0] ? outer : inner) *= in.dimension(d);
    }
    const int64_t size = in.dimension(reduce_dim[0]);
    overrides::SumMiddle(device, outer, size, inner / size, in.data(),
                         out.data());
  }
};

}  // namespace functor
}  // namespace tensorflow

#else
// A source of TensorFlow includes its header, and the compiler found this one.
#include_next <tensorflow/core/kernels/tile_ops_impl.h>
#endif  // TFCARVE_OVERRIDES_TILE_OPS_IMPL_H_
