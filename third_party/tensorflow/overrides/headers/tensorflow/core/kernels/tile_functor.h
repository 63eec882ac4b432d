// Precedes TensorFlow's header of the same path: one loop tiles tensors of all
// ranks, and of all types of a size. TensorFlow instantiates Eigen's broadcast
// for each type, with seven ranks, two types of multiples and two of indices.

#ifndef TFCARVE_OVERRIDES_TILE_FUNCTOR_H_
#define TFCARVE_OVERRIDES_TILE_FUNCTOR_H_

#include <cstdint>

#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/kernels/override_copy.h"
#include "tensorflow/core/lib/gtl/array_slice.h"
#include "unsupported/Eigen/CXX11/Tensor"

namespace tensorflow {
namespace overrides {

// Each dimension of the output is two: the repetitions, which read the same
// elements, and the elements. The tensors are not empty.
inline CopiedDims TiledDims(const Tensor& in, const Tensor& out) {
  CopiedDims dims;
  int64_t in_stride = in.NumElements();
  int64_t out_stride = out.NumElements();
  for (int d = 0; d < in.dims(); ++d) {
    const int64_t size = in.dim_size(d);
    in_stride /= size;
    out_stride /= out.dim_size(d);
    AddDim({out.dim_size(d) / size, 0, size * out_stride}, &dims);
    AddDim({size, in_stride, out_stride}, &dims);
  }
  return dims;
}

}  // namespace overrides

namespace functor {

// Both the header and the source of the kernels define it.
template <typename Device, typename T, typename Tmultiples>
struct Tile;

template <typename T, typename Tmultiples>
struct Tile<Eigen::ThreadPoolDevice, T, Tmultiples> {
  // Same as TensorFlow's functor. The shape of `out` contains the multiples.
  void operator()(const Eigen::ThreadPoolDevice& device, Tensor* out,
                  const Tensor& in,
                  const gtl::ArraySlice<Tmultiples> multiples) const {
    using Element = overrides::Element<T>;
    if (out->NumElements() == 0) return;
    overrides::Copy(device, overrides::TiledDims(in, *out),
                    static_cast<const Element*>(in.data()),
                    static_cast<Element*>(out->data()));
  }
};

}  // namespace functor
}  // namespace tensorflow

#else
// A source of TensorFlow includes its header, and the compiler found this one.
#include_next <tensorflow/core/kernels/tile_functor.h>
#endif  // TFCARVE_OVERRIDES_TILE_FUNCTOR_H_
