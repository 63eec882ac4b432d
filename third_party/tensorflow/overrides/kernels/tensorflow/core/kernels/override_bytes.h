// Products of bytes with tools/runtime/math, split into parts for a device's
// threads.

#ifndef TENSORFLOW_CORE_KERNELS_OVERRIDE_BYTES_H_
#define TENSORFLOW_CORE_KERNELS_OVERRIDE_BYTES_H_

#include <cstdint>

#include "tensorflow/core/framework/numeric_types.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/kernels/override_parts.h"
#include "tools/runtime/math/byte_product.h"

namespace tensorflow {
namespace overrides {

inline const uint8_t* BytesOf(const quint8* data) {
  return reinterpret_cast<const uint8_t*>(data);
}

// out = (left - left_zero) * (right - right_zero), with contiguous rows of
// `columns` integers.
inline void MultiplyBytes(OpKernelContext* context,
                          const math::ByteKernels& kernels, math::Index rows,
                          math::Index columns, const math::ByteRows& left,
                          int32_t left_zero, const math::ByteMatrix& right,
                          int32_t right_zero, qint32* out) {
  const int64_t work = int64_t{rows} * columns * left.depth();
  // Multiply-adds of bytes take about a quarter of the time of floats.
  const int64_t floats = work / 4;
  const math::Parts parts(kernels, rows, columns, ThreadsFor(context, floats));
  ForEachUnit(
      context, parts.count(), floats / parts.count(), [&](int64_t unit) {
        return math::MultiplyBytes(kernels, left, left_zero, right, right_zero,
                                   parts.At(unit),
                                   reinterpret_cast<int32_t*>(out), columns);
      });
}

// out = (a - a_zero) * (b - b_zero) for matrices with contiguous rows.
inline void MultiplyMatrices(OpKernelContext* context, bool transpose_a,
                             bool transpose_b, const quint8* a, const quint8* b,
                             qint32* out, math::Index rows, math::Index columns,
                             math::Index depth, int32_t a_zero, int32_t b_zero,
                             math::Index a_stride, math::Index b_stride) {
  const math::ByteMatrixRows left({BytesOf(a), a_stride, transpose_a}, depth);
  MultiplyBytes(context, math::SelectedByteKernels(), rows, columns, left,
                a_zero, {BytesOf(b), b_stride, transpose_b}, b_zero, out);
}

}  // namespace overrides
}  // namespace tensorflow

#endif  // TENSORFLOW_CORE_KERNELS_OVERRIDE_BYTES_H_
