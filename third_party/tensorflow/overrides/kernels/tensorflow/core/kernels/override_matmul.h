// Products of float matrices with tools/runtime/math, instead of TensorFlow's
// tensor contractions.

#ifndef TENSORFLOW_CORE_KERNELS_OVERRIDE_MATMUL_H_
#define TENSORFLOW_CORE_KERNELS_OVERRIDE_MATMUL_H_

#include <cstdint>

#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/kernels/matmul_op_impl.h"
#include "tensorflow/core/kernels/override_parts.h"

namespace tensorflow {
namespace overrides {

// Computes a batch of products; `x_of(i)` and `y_of(i)` are the operands of the
// i-th one.
template <typename XOf, typename YOf>
void MultiplyBatches(OpKernelContext* context, int64_t batches, int64_t rows,
                     int64_t columns, int64_t depth, const XOf& x_of,
                     const YOf& y_of, const math::Finish* finish, float* out) {
  const math::Kernels& kernels = math::SelectedKernels();
  const int64_t work = rows * columns * depth;
  const int threads = ThreadsFor(context, work * batches);
  const math::Parts parts(kernels, rows, columns,
                          batches >= threads ? 1 : threads);
  ForEachUnit(context, batches * parts.count(), work / parts.count(),
              [&](int64_t unit) {
                const int64_t batch = unit / parts.count();
                const math::MatrixRows left(kernels, x_of(batch), depth);
                return math::Multiply(kernels, left, y_of(batch),
                                      parts.At(unit % parts.count()), finish,
                                      out + batch * rows * columns, columns);
              });
}

// Returns the matrix of `rows` x `columns` at `data`, which is stored
// transposed if `is_transposed`.
inline math::Matrix MatrixOf(const float* data, int64_t rows, int64_t columns,
                             bool is_transposed) {
  return {data, static_cast<math::Index>(is_transposed ? rows : columns),
          is_transposed};
}

// TensorFlow's launcher of products of real numbers, for which the adjoint is
// the transposed matrix. `Product` has a function Multiply.
template <typename Product>
struct RealBatchMatMul {
  static void Launch(OpKernelContext* context, const Tensor& x, const Tensor& y,
                     bool adj_x, bool adj_y, bool trans_x, bool trans_y,
                     const MatMulBCast& broadcast, Tensor* out) {
    Product::Multiply(context, x, y, adj_x || trans_x, adj_y || trans_y,
                      broadcast, out);
  }

  // From TensorFlow 2.16 on. Only GPUs' products differ for gradients.
  static void Launch(OpKernelContext* context, const Tensor& x, const Tensor& y,
                     bool adj_x, bool adj_y, bool trans_x, bool trans_y,
                     bool /*grad_x*/, bool /*grad_y*/,
                     const MatMulBCast& broadcast, Tensor* out) {
    Launch(context, x, y, adj_x, adj_y, trans_x, trans_y, broadcast, out);
  }
};

struct FloatBatchProduct {
  // Tensors are [batch, row, column].
  static void Multiply(OpKernelContext* context, const Tensor& x,
                       const Tensor& y, bool transposes_x, bool transposes_y,
                       const MatMulBCast& broadcast, Tensor* out) {
    const int64_t rows = out->dim_size(1);
    const int64_t columns = out->dim_size(2);
    const int64_t depth = x.dim_size(transposes_x ? 1 : 2);
    const bool broadcasts = broadcast.IsBroadcastingRequired();
    const float* const x_data = x.flat<float>().data();
    const float* const y_data = y.flat<float>().data();
    MultiplyBatches(
        context, broadcast.output_batch_size(), rows, columns, depth,
        [&](int64_t batch) {
          if (broadcasts) batch = broadcast.x_batch_indices()[batch];
          return MatrixOf(x_data + batch * rows * depth, rows, depth,
                          transposes_x);
        },
        [&](int64_t batch) {
          if (broadcasts) batch = broadcast.y_batch_indices()[batch];
          return MatrixOf(y_data + batch * depth * columns, depth, columns,
                          transposes_y);
        },
        nullptr, out->flat<float>().data());
  }
};

}  // namespace overrides

template <>
struct LaunchBatchMatMul<CPUDevice, float>
    : overrides::RealBatchMatMul<overrides::FloatBatchProduct> {};

}  // namespace tensorflow

#endif  // TENSORFLOW_CORE_KERNELS_OVERRIDE_MATMUL_H_
