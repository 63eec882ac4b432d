// Replaces TensorFlow's source of the same path, which compiles Eigen's shuffle
// for seven ranks and eight element types. Here one loop serves all ranks.
//
// The output is split into tiles of kTile × kTile elements along two
// dimensions: its last one, and the one along which the input is contiguous.
// Both are therefore accessed in whole cache lines for all permutations.

#define EIGEN_USE_THREADS

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include "tensorflow/core/kernels/override_share.h"
#include "tensorflow/core/kernels/transpose_functor.h"
#include "unsupported/Eigen/CXX11/Tensor"

namespace tensorflow {

typedef Eigen::ThreadPoolDevice CPUDevice;

namespace {

constexpr int64_t kTile = 16;

// A dimension of the output; strides count elements.
struct Dimension {
  int64_t size;
  int64_t in_stride;
  int64_t out_stride;
};

// The loops: for each index of `outer` a plane of rows × columns, processed in
// strips of rows.
struct Plan {
  std::vector<Dimension> outer;
  Dimension row;     // the input is contiguous along it, or it has one element
  Dimension column;  // the output's last

  int64_t rows() const { return row.size == 1 ? 1 : kTile; }
  int64_t strips() const { return (row.size + rows() - 1) / rows(); }
};

// Drops dimensions of size 1, and merges dimensions that stay adjacent.
std::vector<Dimension> Simplified(const Tensor& in,
                                  gtl::ArraySlice<int32> perm) {
  const int rank = in.dims();
  std::vector<int64_t> in_strides(rank, 1);
  for (int i = rank - 2; i >= 0; --i) {
    in_strides[i] = in_strides[i + 1] * in.dim_size(i + 1);
  }
  std::vector<Dimension> dimensions;
  for (int i = 0; i < rank; ++i) {
    const int64_t size = in.dim_size(perm[i]);
    const int64_t stride = in_strides[perm[i]];
    if (size == 1) continue;
    if (!dimensions.empty() && dimensions.back().in_stride == size * stride) {
      dimensions.back().size *= size;
      dimensions.back().in_stride = stride;
    } else {
      dimensions.push_back({size, stride, 0});
    }
  }
  int64_t out_stride = 1;
  for (auto d = dimensions.rbegin(); d != dimensions.rend(); ++d) {
    d->out_stride = out_stride;
    out_stride *= d->size;
  }
  return dimensions;
}

Plan MakePlan(const Tensor& in, gtl::ArraySlice<int32> perm) {
  Plan plan{Simplified(in, perm), {1, 0, 0}, {1, 0, 0}};
  if (!plan.outer.empty()) {
    plan.column = plan.outer.back();
    plan.outer.pop_back();
  }
  const auto row =
      std::find_if(plan.outer.begin(), plan.outer.end(),
                   [](const Dimension& d) { return d.in_stride == 1; });
  if (row != plan.outer.end()) {
    plan.row = *row;
    plan.outer.erase(row);
  }
  return plan;
}

template <bool kConjugate, typename T>
T Element(const T& from) {
  if constexpr (kConjugate) {
    return Eigen::numext::conj(from);
  } else {
    return from;
  }
}

template <bool kConjugate, typename T>
void CopyTile(const T* in, T* out, const Dimension& row,
              const Dimension& column, int64_t rows, int64_t columns) {
  for (int64_t r = 0; r < rows; ++r) {
    const T* from = in + r * row.in_stride;
    T* to = out + r * row.out_stride;
    if constexpr (!kConjugate && std::is_trivially_copyable<T>::value) {
      if (column.in_stride == 1) {
        std::memcpy(to, from, columns * sizeof(T));
        continue;
      }
    }
    for (int64_t c = 0; c < columns; ++c) {
      to[c] = Element<kConjugate>(from[c * column.in_stride]);
    }
  }
}

template <typename T, bool kConjugate>
void Copy(const Plan& plan, const T* in, T* out, int64_t begin, int64_t end) {
  // If the columns are contiguous in the input too, a row is one copy.
  const bool whole = plan.column.in_stride <= 1;
  const int64_t columns = whole ? plan.column.size : kTile;
  const int64_t rows = plan.rows();
  const int64_t strips = plan.strips();
  for (int64_t unit = begin; unit < end; ++unit) {
    const int64_t first_row = unit % strips * rows;
    const T* from = in + first_row * plan.row.in_stride;
    T* to = out + first_row * plan.row.out_stride;
    int64_t rest = unit / strips;
    for (auto d = plan.outer.rbegin(); d != plan.outer.rend(); ++d) {
      from += rest % d->size * d->in_stride;
      to += rest % d->size * d->out_stride;
      rest /= d->size;
    }
    for (int64_t c = 0; c < plan.column.size; c += columns) {
      CopyTile<kConjugate>(from + c * plan.column.in_stride, to + c, plan.row,
                           plan.column,
                           std::min(rows, plan.row.size - first_row),
                           std::min(columns, plan.column.size - c));
    }
  }
}

}  // namespace

template <typename T, bool conjugate>
struct Transpose<CPUDevice, T, conjugate> {
  static void run(const CPUDevice& device, const Tensor& in,
                  gtl::ArraySlice<int32> perm, Tensor* out) {
    if (in.NumElements() == 0) return;
    const Plan plan = MakePlan(in, perm);
    const T* from = reinterpret_cast<const T*>(in.tensor_data().data());
    T* to = reinterpret_cast<T*>(const_cast<char*>(out->tensor_data().data()));
    int64_t units = plan.strips();
    for (const Dimension& d : plan.outer) units *= d.size;
    const double bytes = sizeof(T) * plan.rows() * plan.column.size;
    overrides::Share(device, units, bytes / 4, [&](int64_t begin, int64_t end) {
      Copy<T, conjugate>(plan, from, to, begin, end);
    });
  }
};

template <>
Status DoTranspose(const CPUDevice& device, const Tensor& in,
                   gtl::ArraySlice<int32> perm, Tensor* out) {
  return internal::DoTransposeImpl(device, in, perm, false, out);
}

template <>
Status DoConjugateTranspose(const CPUDevice& device, const Tensor& in,
                            gtl::ArraySlice<int32> perm, Tensor* out) {
  return internal::DoTransposeImpl(device, in, perm, true, out);
}

template <>
Status DoMatrixTranspose(const CPUDevice& device, const Tensor& in,
                         Tensor* out) {
  return internal::DoMatrixTransposeImpl(device, in, false, out);
}

template <>
Status DoConjugateMatrixTranspose(const CPUDevice& device, const Tensor& in,
                                  Tensor* out) {
  return internal::DoMatrixTransposeImpl(device, in, true, out);
}

}  // namespace tensorflow
