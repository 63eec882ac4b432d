// Precedes TensorFlow's header of the same path: one loop reads and writes
// slices with steps, for all ranks and all types of a size. TensorFlow
// instantiates Eigen's expressions for each type and rank, with two types of
// indices.

#ifndef TFCARVE_OVERRIDES_STRIDED_SLICE_OP_H_
#define TFCARVE_OVERRIDES_STRIDED_SLICE_OP_H_

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "absl/container/inlined_vector.h"
#include "tensorflow/core/framework/tensor_types.h"
#include "tensorflow/core/framework/variant.h"
#include "tensorflow/core/kernels/override_copy.h"
#include "tensorflow/core/util/strided_slice_op.h"
#include "unsupported/Eigen/CXX11/Tensor"

namespace tensorflow {
namespace overrides {

// Where a slice is in a tensor.
struct SlicePlace {
  int64_t first = 0;
  absl::InlinedVector<int64_t, 8> strides;
};

template <typename Sizes>
SlicePlace PlaceOf(const Sizes& sizes, const Sizes& begin, const Sizes& steps) {
  SlicePlace place;
  place.strides.resize(sizes.size());
  int64_t stride = 1;
  for (int d = static_cast<int>(sizes.size()) - 1; d >= 0; --d) {
    place.strides[d] = steps[d] * stride;
    place.first += begin[d] * stride;
    stride *= sizes[d];
  }
  return place;
}

// Copies `part`, of these sizes, to a place of `whole`, and repeats it.
template <typename Element, typename Sizes, typename Repeats>
void WriteSlice(const Eigen::ThreadPoolDevice& device, const Element* part,
                const Sizes& sizes, const Repeats& repeats,
                const SlicePlace& place, Element* whole) {
  CopiedDims dims;
  int64_t elements = 1;
  int64_t in_stride = sizes.TotalSize();
  for (int d = 0; d < static_cast<int>(sizes.size()); ++d) {
    elements *= sizes[d] * repeats[d];
    if (elements == 0) return;
    in_stride /= sizes[d];
    const int64_t stride = place.strides[d];
    AddDim({repeats[d], 0, sizes[d] * stride}, &dims);
    AddDim({sizes[d], in_stride, stride}, &dims);
  }
  Copy(device, dims, part, whole + place.first);
}

// The value of a gradient outside of the slice; variants have the number 0.
template <typename T>
Element<T> Zero() {
  if constexpr (std::is_same<T, Variant>::value) {
    return Variant(0);
  } else {
    return Element<T>();
  }
}

}  // namespace overrides

namespace functor {

// TensorFlow's header, which is included later, defines them for other devices.
template <typename Device, typename T, int NDIMS>
struct StridedSlice;
template <typename Device, typename T, int NDIMS>
struct StridedSliceGrad;
template <typename Device, typename T, int NDIMS>
struct StridedSliceAssign;

template <typename T, int NDIMS>
struct StridedSlice<Eigen::ThreadPoolDevice, T, NDIMS> {
  using Sizes = Eigen::DSizes<Eigen::DenseIndex, NDIMS>;

  // Same as TensorFlow's functor.
  void operator()(const Eigen::ThreadPoolDevice& device,
                  typename TTypes<T, NDIMS>::Tensor output,
                  typename TTypes<T, NDIMS>::ConstTensor input,
                  const Sizes& start_indices, const Sizes& stop_indices,
                  const Sizes& strides) {
    using Element = overrides::Element<T>;
    if (output.size() == 0) return;
    const auto place =
        overrides::PlaceOf<Sizes>(input.dimensions(), start_indices, strides);
    overrides::CopiedDims dims;
    int64_t out_stride = output.size();
    for (int d = 0; d < NDIMS; ++d) {
      const int64_t size = output.dimension(d);
      out_stride /= size;
      overrides::AddDim({size, place.strides[d], out_stride}, &dims);
    }
    overrides::Copy(
        device, dims,
        reinterpret_cast<const Element*>(input.data()) + place.first,
        reinterpret_cast<Element*>(output.data()));
  }
};

template <typename T, int NDIMS>
struct StridedSliceGrad<Eigen::ThreadPoolDevice, T, NDIMS> {
  using Sizes = Eigen::DSizes<Eigen::DenseIndex, NDIMS>;

  // Same as TensorFlow's functor.
  void operator()(const Eigen::ThreadPoolDevice& device,
                  typename TTypes<T, NDIMS>::Tensor output,
                  typename TTypes<T, NDIMS>::ConstTensor input,
                  const Sizes& start_indices, const Sizes& stop_indices,
                  const Sizes& strides) {
    using Element = overrides::Element<T>;
    Element* const whole = reinterpret_cast<Element*>(output.data());
    std::fill_n(whole, output.size(), overrides::Zero<T>());
    const absl::InlinedVector<int64_t, 8> once(NDIMS, 1);
    overrides::WriteSlice<Element, Sizes>(
        device, reinterpret_cast<const Element*>(input.data()),
        input.dimensions(), once,
        overrides::PlaceOf<Sizes>(output.dimensions(), start_indices, strides),
        whole);
  }
};

template <typename T, int NDIMS>
struct StridedSliceAssign<Eigen::ThreadPoolDevice, T, NDIMS> {
  using Sizes = Eigen::DSizes<Eigen::DenseIndex, NDIMS>;

  // Same as TensorFlow's functor.
  void operator()(const Eigen::ThreadPoolDevice& device,
                  typename TTypes<T, NDIMS>::Tensor output,
                  typename TTypes<T, NDIMS>::ConstTensor input,
                  const Sizes& start_indices, const Sizes& stop_indices,
                  const Sizes& strides, const StridedSliceAssignBCast& bcast) {
    using Element = overrides::Element<T>;
    overrides::WriteSlice<Element, Sizes>(
        device, reinterpret_cast<const Element*>(input.data()),
        input.dimensions(), bcast.bcast(),
        overrides::PlaceOf<Sizes>(output.dimensions(), start_indices, strides),
        reinterpret_cast<Element*>(output.data()));
  }
};

}  // namespace functor
}  // namespace tensorflow

#else
// A source of TensorFlow includes its header, and the compiler found this one.
#include_next <tensorflow/core/kernels/strided_slice_op.h>
#endif  // TFCARVE_OVERRIDES_STRIDED_SLICE_OP_H_
