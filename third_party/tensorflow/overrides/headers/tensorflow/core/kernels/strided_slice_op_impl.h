// Replaces TensorFlow's header of the same path: one loop reads and writes
// slices with steps, for all ranks and all types of a size. TensorFlow
// instantiates Eigen's expressions for each type and rank, in one source for
// each rank.

#ifndef TFCARVE_OVERRIDES_STRIDED_SLICE_OP_IMPL_H_
#define TFCARVE_OVERRIDES_STRIDED_SLICE_OP_IMPL_H_

// The sources that instantiate TensorFlow's functions skip its header.
#define TENSORFLOW_CORE_KERNELS_STRIDED_SLICE_OP_IMPL_H_

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "absl/container/inlined_vector.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/framework/variant.h"
#include "tensorflow/core/kernels/override_copy.h"
#include "tensorflow/core/lib/gtl/array_slice.h"
#include "tensorflow/core/util/strided_slice_op.h"
#include "unsupported/Eigen/CXX11/Tensor"

namespace tensorflow {
namespace overrides {

// Where a slice is in a tensor.
struct SlicePlace {
  int64_t first = 0;
  absl::InlinedVector<int64_t, 8> strides;
};

inline SlicePlace PlaceOf(const TensorShape& shape,
                          const gtl::ArraySlice<int64_t>& begin,
                          const gtl::ArraySlice<int64_t>& steps) {
  SlicePlace place;
  place.strides.resize(shape.dims());
  int64_t stride = 1;
  for (int d = shape.dims() - 1; d >= 0; --d) {
    place.strides[d] = steps[d] * stride;
    place.first += begin[d] * stride;
    stride *= shape.dim_size(d);
  }
  return place;
}

// Copies a slice of `sizes`, which is not empty, from a place of `whole`.
template <typename Element>
void ReadSlice(const Eigen::ThreadPoolDevice& device, const SlicePlace& place,
               const gtl::ArraySlice<int64_t>& sizes, const void* whole,
               void* part) {
  CopiedDims dims;
  int64_t out_stride = 1;
  for (const int64_t size : sizes) out_stride *= size;
  for (size_t d = 0; d < sizes.size(); ++d) {
    out_stride /= sizes[d];
    AddDim({sizes[d], place.strides[d], out_stride}, &dims);
  }
  Copy(device, dims, static_cast<const Element*>(whole) + place.first,
       static_cast<Element*>(part));
}

// Copies `part`, of these sizes, to a place of `whole`, and repeats it.
template <typename Element>
void WriteSlice(const Eigen::ThreadPoolDevice& device, const void* part,
                const gtl::ArraySlice<int64_t>& sizes,
                const gtl::ArraySlice<int64_t>& repeats,
                const SlicePlace& place, void* whole) {
  CopiedDims dims;
  int64_t in_stride = 1;
  for (const int64_t size : sizes) in_stride *= size;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] * repeats[d] == 0) return;
    in_stride /= sizes[d];
    const int64_t stride = place.strides[d];
    AddDim({repeats[d], 0, sizes[d] * stride}, &dims);
    AddDim({sizes[d], in_stride, stride}, &dims);
  }
  Copy(device, dims, static_cast<const Element*>(part),
       static_cast<Element*>(whole) + place.first);
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

// The declarations are TensorFlow's. The number of dimensions is that of the
// shapes.

template <typename Device, typename T, int NDIM>
void HandleStridedSliceCase(OpKernelContext* context,
                            const gtl::ArraySlice<int64_t>& begin,
                            const gtl::ArraySlice<int64_t>& end,
                            const gtl::ArraySlice<int64_t>& strides,
                            const TensorShape& processing_shape,
                            bool is_simple_slice, Tensor* result) {
  const Tensor& input = context->input(0);
  overrides::ReadSlice<overrides::Element<T>>(
      context->eigen_device<Device>(),
      overrides::PlaceOf(input.shape(), begin, strides),
      processing_shape.dim_sizes(), input.data(), result->data());
}

template <typename Device, typename T, int NDIM>
void HandleStridedSliceGradCase(OpKernelContext* context,
                                const gtl::ArraySlice<int64_t>& begin,
                                const gtl::ArraySlice<int64_t>& end,
                                const gtl::ArraySlice<int64_t>& strides,
                                const TensorShape& processing_shape,
                                bool is_simple_slice, Tensor* result) {
  using Element = overrides::Element<T>;
  std::fill_n(static_cast<Element*>(result->data()), result->NumElements(),
              overrides::Zero<T>());
  const absl::InlinedVector<int64_t, 8> once(processing_shape.dims(), 1);
  overrides::WriteSlice<Element>(
      context->eigen_device<Device>(), context->input(4).data(),
      processing_shape.dim_sizes(), once,
      overrides::PlaceOf(result->shape(), begin, strides), result->data());
}

template <typename Device, typename T, int NDIM>
class HandleStridedSliceAssignCase {
 public:
  void operator()(OpKernelContext* context,
                  const gtl::ArraySlice<int64_t>& begin,
                  const gtl::ArraySlice<int64_t>& end,
                  const gtl::ArraySlice<int64_t>& strides,
                  const StridedSliceAssignBCast& bcast, Tensor* result) {
    overrides::WriteSlice<overrides::Element<T>>(
        context->eigen_device<Device>(), context->input(4).data(),
        bcast.reshape(), bcast.bcast(),
        overrides::PlaceOf(result->shape(), begin, strides), result->data());
  }
};

}  // namespace tensorflow

#endif  // TFCARVE_OVERRIDES_STRIDED_SLICE_OP_IMPL_H_
