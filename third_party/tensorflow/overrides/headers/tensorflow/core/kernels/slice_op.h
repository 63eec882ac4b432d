// Precedes TensorFlow's header of the same path: one loop copies slices of all
// types of a size, for all ranks. TensorFlow instantiates Eigen's slices for
// each type and rank, with two types of indices.

#ifndef TFCARVE_OVERRIDES_SLICE_OP_H_
#define TFCARVE_OVERRIDES_SLICE_OP_H_

#include <cstdint>

#include "tensorflow/core/framework/tensor_types.h"
#include "tensorflow/core/kernels/override_copy.h"
#include "unsupported/Eigen/CXX11/Tensor"

namespace tensorflow {
namespace functor {

// TensorFlow's header, which is included later, defines it for other devices.
template <typename Device, typename T, int NDIMS>
struct Slice;

template <typename T, int NDIMS>
struct Slice<Eigen::ThreadPoolDevice, T, NDIMS> {
  using Sizes = Eigen::DSizes<Eigen::DenseIndex, NDIMS>;

  // Same as TensorFlow's functor.
  void operator()(const Eigen::ThreadPoolDevice& device,
                  typename TTypes<T, NDIMS>::Tensor output,
                  typename TTypes<T, NDIMS>::ConstTensor input,
                  const Sizes& slice_indices, const Sizes& slice_sizes) {
    using Element = overrides::Element<T>;
    if (output.size() == 0) return;
    overrides::CopiedDims dims;
    int64_t first = 0;
    int64_t in_stride = input.size();
    int64_t out_stride = output.size();
    for (int d = 0; d < NDIMS; ++d) {
      in_stride /= input.dimension(d);
      out_stride /= slice_sizes[d];
      first += slice_indices[d] * in_stride;
      overrides::AddDim({slice_sizes[d], in_stride, out_stride}, &dims);
    }
    overrides::Copy(device, dims,
                    reinterpret_cast<const Element*>(input.data()) + first,
                    reinterpret_cast<Element*>(output.data()));
  }
};

}  // namespace functor
}  // namespace tensorflow

#else
// A source of TensorFlow includes its header, and the compiler found this one.
#include_next <tensorflow/core/kernels/slice_op.h>
#endif  // TFCARVE_OVERRIDES_SLICE_OP_H_
