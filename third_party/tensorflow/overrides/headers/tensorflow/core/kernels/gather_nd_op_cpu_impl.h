// Precedes TensorFlow's header of the same path: one loop gathers slices of all
// ranks, and of all types of a size. TensorFlow instantiates a generator for
// each type, with eight ranks and three types of indices.

#ifndef TFCARVE_OVERRIDES_GATHER_ND_OP_CPU_IMPL_H_
#define TFCARVE_OVERRIDES_GATHER_ND_OP_CPU_IMPL_H_

// The sources that instantiate TensorFlow's functor skip its header.
#define TENSORFLOW_CORE_KERNELS_GATHER_ND_OP_CPU_IMPL_H_

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "tensorflow/core/framework/bounds_check.h"
#include "tensorflow/core/framework/tensor_types.h"
#include "tensorflow/core/kernels/override_copy.h"
#include "tensorflow/core/kernels/override_share.h"

namespace tensorflow {
namespace overrides {

// Copies the slice that each row of `indices` selects from `params`, whose
// leading dimensions are `dims`. Fills a slice with zeros if a row is out of
// range, and returns the number of such a row; -1 if there is none.
template <typename T, typename Index>
Index GatherSlices(const Eigen::ThreadPoolDevice& device, int64_t slice_size,
                   int rank, const int64_t* dims, const T* params,
                   const Index* indices, int64_t rows, T* out) {
  std::atomic<Index> invalid_row(-1);
  const double cycles = 4 + 2 * rank + sizeof(T) / 4.0 * slice_size;
  Share(device, rows, cycles, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      bool is_valid = true;
      int64_t slice = 0;
      for (int d = 0; d < rank && is_valid; ++d) {
        const Index index = internal::SubtleMustCopy(indices[row * rank + d]);
        is_valid = FastBoundsCheck(index, dims[d]);
        if (is_valid) slice = slice * dims[d] + index;
      }
      T* const to = out + row * slice_size;
      if (is_valid) {
        std::copy_n(params + slice * slice_size, slice_size, to);
      } else {
        invalid_row.store(row);
        std::fill_n(to, slice_size, T());
      }
    }
  });
  return invalid_row.load();
}

}  // namespace overrides

namespace functor {

template <typename Device, typename T, typename Index, int IXDIM>
struct GatherNdSlice;

template <typename T, typename Index, int IXDIM>
struct GatherNdSlice<Eigen::ThreadPoolDevice, T, Index, IXDIM> {
  // Same as TensorFlow's functor.
  Index operator()(const Eigen::ThreadPoolDevice& device, Index slice_size,
                   typename TTypes<int32_t>::Scalar,
                   typename TTypes<T, IXDIM + 1>::ConstTensor params,
                   typename TTypes<Index>::ConstMatrix indices,
                   typename TTypes<T>::Matrix out) const {
    using Element = overrides::Element<T>;
    int64_t dims[IXDIM + 1];
    for (int d = 0; d <= IXDIM; ++d) dims[d] = params.dimension(d);
    return overrides::GatherSlices(
        device, slice_size, IXDIM, dims,
        reinterpret_cast<const Element*>(params.data()), indices.data(),
        indices.dimension(0), reinterpret_cast<Element*>(out.data()));
  }
};

}  // namespace functor
}  // namespace tensorflow

#endif  // TFCARVE_OVERRIDES_GATHER_ND_OP_CPU_IMPL_H_
