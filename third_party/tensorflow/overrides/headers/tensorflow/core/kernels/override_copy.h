// Copies elements between tensors with different strides. One loop serves all
// numbers of dimensions, and all types of a size whose bytes may be copied.

#ifndef TENSORFLOW_CORE_KERNELS_OVERRIDE_COPY_H_
#define TENSORFLOW_CORE_KERNELS_OVERRIDE_COPY_H_

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "absl/container/inlined_vector.h"
#include "tensorflow/core/kernels/override_share.h"

namespace tensorflow {
namespace overrides {

template <int kSize>
struct BytesOfSize;
template <>
struct BytesOfSize<1> {
  using Type = uint8_t;
};
template <>
struct BytesOfSize<2> {
  using Type = uint16_t;
};
template <>
struct BytesOfSize<4> {
  using Type = uint32_t;
};
template <>
struct BytesOfSize<8> {
  using Type = uint64_t;
};
template <>
struct BytesOfSize<16> {
  struct Type {
    uint64_t words[2];
  };
};

template <typename T, bool kIsBytes = std::is_trivially_copyable<T>::value>
struct ElementOf {
  using Type = T;
};
template <typename T>
struct ElementOf<T, true> {
  using Type = typename BytesOfSize<sizeof(T)>::Type;
};

// The type by which elements of type T are copied.
template <typename T>
using Element = typename ElementOf<T>::Type;

// A dimension of the elements that are copied; strides count elements.
struct CopiedDim {
  int64_t size;
  int64_t in_stride;
  int64_t out_stride;
};

using CopiedDims = absl::InlinedVector<CopiedDim, 8>;

// Adds an inner dimension. Merges it with the previous one if one pair of
// strides leads through both.
inline void AddDim(const CopiedDim& dim, CopiedDims* dims) {
  if (dim.size == 1) return;
  if (!dims->empty()) {
    CopiedDim& outer = dims->back();
    if (outer.in_stride == dim.size * dim.in_stride &&
        outer.out_stride == dim.size * dim.out_stride) {
      outer = {outer.size * dim.size, dim.in_stride, dim.out_stride};
      return;
    }
  }
  dims->push_back(dim);
}

template <typename T>
void CopyRow(const T* in, T* out, const CopiedDim& row) {
  if (row.in_stride == 1 && row.out_stride == 1) {
    std::copy_n(in, row.size, out);
  } else if (row.in_stride == 0 && row.out_stride == 1) {
    std::fill_n(out, row.size, *in);
  } else {
    for (int64_t i = 0; i < row.size; ++i) {
      out[i * row.out_stride] = in[i * row.in_stride];
    }
  }
}

// Copies the elements [begin, end) in the order of the dimensions `outer` and
// `row`.
template <typename T>
void CopyRows(const CopiedDims& outer, const CopiedDim& row, const T* in,
              T* out, int64_t begin, int64_t end) {
  absl::InlinedVector<int64_t, 8> position(outer.size());
  int64_t index = begin / row.size;
  for (int d = outer.size() - 1; d >= 0; --d) {
    position[d] = index % outer[d].size;
    index /= outer[d].size;
    in += position[d] * outer[d].in_stride;
    out += position[d] * outer[d].out_stride;
  }
  int64_t column = begin % row.size;
  while (begin < end) {
    const int64_t size = std::min(row.size - column, end - begin);
    CopyRow(in + column * row.in_stride, out + column * row.out_stride,
            {size, row.in_stride, row.out_stride});
    begin += size;
    column = 0;
    for (int d = outer.size() - 1; d >= 0; --d) {
      in += outer[d].in_stride;
      out += outer[d].out_stride;
      if (++position[d] < outer[d].size) break;
      position[d] = 0;
      in -= outer[d].size * outer[d].in_stride;
      out -= outer[d].size * outer[d].out_stride;
    }
  }
}

// Copies all elements of the dimensions, which are not empty.
template <typename T>
void Copy(const Eigen::ThreadPoolDevice& device, CopiedDims dims, const T* in,
          T* out) {
  CopiedDim row = {1, 1, 1};
  if (!dims.empty()) {
    row = dims.back();
    dims.pop_back();
  }
  int64_t elements = row.size;
  for (const CopiedDim& dim : dims) elements *= dim.size;
  const double cycles = sizeof(T) / 4.0 + 8.0 / row.size;
  Share(device, elements, cycles, [&](int64_t begin, int64_t end) {
    CopyRows(dims, row, in, out, begin, end);
  });
}

}  // namespace overrides
}  // namespace tensorflow

#endif  // TENSORFLOW_CORE_KERNELS_OVERRIDE_COPY_H_
