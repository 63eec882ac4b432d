// Overrides TensorFlow's source of the same path: registers the same kernels
// with a loop for each type and kind of update, for all ranks. TensorFlow
// instantiates Eigen expressions for each, in a source for each rank.

#define EIGEN_USE_THREADS

#include "tensorflow/core/kernels/scatter_nd_op.h"

#include <algorithm>
#include <cstdint>

#include "tensorflow/core/framework/bounds_check.h"
#include "tensorflow/core/framework/tensor_types.h"
#include "tensorflow/core/kernels/override_copy.h"
#include "tensorflow/core/kernels/override_share.h"
#include "unsupported/Eigen/CXX11/Tensor"

namespace tensorflow {
namespace overrides {

using scatter_nd_op::UpdateOp;

template <typename T, UpdateOp op>
struct Combined;
template <typename T>
struct Combined<T, UpdateOp::ADD> : Eigen::internal::scalar_sum_op<T> {};
template <typename T>
struct Combined<T, UpdateOp::SUB> : Eigen::internal::scalar_difference_op<T> {};
template <typename T>
struct Combined<T, UpdateOp::MIN> : Eigen::internal::scalar_min_op<T> {};
template <typename T>
struct Combined<T, UpdateOp::MAX> : Eigen::internal::scalar_max_op<T> {};

// Updates the elements of a row of the output.
using UpdateRow = void (*)(const Eigen::ThreadPoolDevice& device, int64_t size,
                           const void* updates, void* out);

template <typename Element>
void AssignRow(const Eigen::ThreadPoolDevice& device, int64_t size,
               const void* updates, void* out) {
  Share(device, size, sizeof(Element) / 4.0, [&](int64_t begin, int64_t end) {
    std::copy(static_cast<const Element*>(updates) + begin,
              static_cast<const Element*>(updates) + end,
              static_cast<Element*>(out) + begin);
  });
}

template <typename T, UpdateOp op>
void CombineRow(const Eigen::ThreadPoolDevice& device, int64_t size,
                const void* updates, void* out) {
  const Combined<T, op> combined;
  Share(device, size, sizeof(T) / 2.0, [&](int64_t begin, int64_t end) {
    T* const to = static_cast<T*>(out);
    for (int64_t i = begin; i < end; ++i) {
      to[i] = combined(to[i], static_cast<const T*>(updates)[i]);
    }
  });
}

template <typename T, UpdateOp op>
constexpr UpdateRow UpdateOf() {
  if constexpr (op == UpdateOp::ASSIGN) {
    return AssignRow<Element<T>>;
  } else {
    return CombineRow<T, op>;
  }
}

// Updates the rows of `out` that `indices` select, one after the other, because
// they may select a row twice. `dims` are the leading dimensions of the output.
// Returns the number of the first row of indices that is out of range; -1 if
// there is none.
template <typename Index>
Index ScatterRows(const Eigen::ThreadPoolDevice& device, UpdateRow update,
                  int rank, const Eigen::DenseIndex* dims, const Index* indices,
                  int64_t rows, int64_t row_size, int64_t row_bytes,
                  const char* updates, char* out) {
  for (int64_t row = 0; row < rows; ++row) {
    int64_t place = 0;
    for (int d = 0; d < rank; ++d) {
      const Index index = internal::SubtleMustCopy(indices[row * rank + d]);
      if (!FastBoundsCheck(index, dims[d])) return row;
      place = place * dims[d] + index;
    }
    update(device, row_size, updates + row * row_bytes,
           out + place * row_bytes);
  }
  return -1;
}

}  // namespace overrides

namespace functor {

template <typename T, typename Index, scatter_nd_op::UpdateOp op, int IXDIM>
struct ScatterNdFunctor<Eigen::ThreadPoolDevice, T, Index, op, IXDIM> {
  // Same as TensorFlow's functor.
  Index operator()(const Eigen::ThreadPoolDevice& device, Index,
                   const Eigen::array<Eigen::DenseIndex, IXDIM> dims,
                   typename TTypes<T, 2>::Tensor,
                   typename TTypes<Index, 2>::ConstTensor indices,
                   typename TTypes<T, 2>::ConstTensor updates,
                   typename TTypes<T, 2>::Tensor out) {
    const int64_t row_size = updates.dimension(1);
    return overrides::ScatterRows(
        device, overrides::UpdateOf<T, op>(), IXDIM, &dims[0], indices.data(),
        indices.dimension(0), row_size, row_size * sizeof(T),
        reinterpret_cast<const char*>(updates.data()),
        reinterpret_cast<char*>(out.data()));
  }
};

}  // namespace functor
}  // namespace tensorflow

// TensorFlow's source, which registers the kernels.
#include_next <tensorflow/core/kernels/scatter_nd_op.cc>
