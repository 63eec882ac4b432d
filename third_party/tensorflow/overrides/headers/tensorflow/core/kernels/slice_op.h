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
namespace overrides {

// Copies a slice of `sizes` that starts at `indices`, from a tensor of
// `in_sizes`.
template <typename Element>
void CopySlice(const Eigen::ThreadPoolDevice& device, int rank,
               const Eigen::DenseIndex* in_sizes,
               const Eigen::DenseIndex* indices, const Eigen::DenseIndex* sizes,
               const void* in, void* out) {
  CopiedDims dims;
  int64_t first = 0, in_stride = 1, out_stride = 1;
  for (int d = 0; d < rank; ++d) {
    if (sizes[d] == 0) return;
    in_stride *= in_sizes[d];
    out_stride *= sizes[d];
  }
  for (int d = 0; d < rank; ++d) {
    in_stride /= in_sizes[d];
    out_stride /= sizes[d];
    first += indices[d] * in_stride;
    AddDim({sizes[d], in_stride, out_stride}, &dims);
  }
  Copy(device, dims, static_cast<const Element*>(in) + first,
       static_cast<Element*>(out));
}

}  // namespace overrides

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
    overrides::CopySlice<overrides::Element<T>>(
        device, NDIMS, &input.dimensions()[0], &slice_indices[0],
        &slice_sizes[0], input.data(), output.data());
  }
};

}  // namespace functor
}  // namespace tensorflow

#else
// A source of TensorFlow includes its header, and the compiler found this one.
#include_next <tensorflow/core/kernels/slice_op.h>
#endif  // TFCARVE_OVERRIDES_SLICE_OP_H_
