// Overrides TensorFlow's source of the same path: registers the same kernels,
// computes products of floats with tools/runtime/math, and products of other
// real types with Eigen's blocked kernel alone. TensorFlow instantiates a
// tensor contraction and twice the product of each pair of layouts, which takes
// two minutes to compile.
//
// Eigen's kernel writes column-major matrices, so the row-major output is
// treated as the column-major transposed matrix.

#include <algorithm>
#include <cstdint>

#include "tensorflow/core/kernels/override_matmul.h"
#include "tensorflow/core/kernels/override_product.h"

namespace tensorflow {
namespace overrides {

// The minimum work for another thread; TensorFlow's source has this value, too.
constexpr int64_t kMinWork = 128 * 128;
// Pieces are whole blocks of Eigen's kernel.
constexpr Index kBlock = 32;

template <typename T>
struct BatchProduct {
  // Tensors are [batch, row, column].
  static void Multiply(OpKernelContext* context, const Tensor& x,
                       const Tensor& y, bool x_is_transposed,
                       bool y_is_transposed, const MatMulBCast& bcast,
                       Tensor* out) {
    const Index rows = out->dim_size(2);
    const Index columns = out->dim_size(1);
    const Index depth = x.dim_size(x_is_transposed ? 1 : 2);
    const int64_t batches = bcast.output_batch_size();
    const bool broadcasts = bcast.IsBroadcastingRequired();
    const T* const x_data = x.flat<T>().data();
    const T* const y_data = y.flat<T>().data();
    T* const out_data = out->flat<T>().data();

    // Each product is split along its longer side if threads would be idle.
    const auto& workers = *context->device()->tensorflow_cpu_worker_threads();
    // An Index has 32 bits on some CPUs.
    const int64_t work = int64_t{rows} * columns * depth;
    const Index length = std::max(rows, columns);
    const int64_t max_pieces =
        batches >= workers.num_threads
            ? 1
            : std::min<int64_t>(workers.num_threads, work / kMinWork + 1);
    const Index piece = static_cast<Index>((length + max_pieces * kBlock - 1) /
                                           (max_pieces * kBlock) * kBlock);
    const int64_t pieces = (length + piece - 1) / piece;

    Shard(workers.num_threads, workers.workers, batches * pieces, work / pieces,
          [&](int64_t begin, int64_t end) {
            for (int64_t unit = begin; unit < end; ++unit) {
              const int64_t batch = unit / pieces;
              const Index first = unit % pieces * piece;
              const Index size = std::min(piece, length - first);
              const int64_t of_x =
                  broadcasts ? bcast.x_batch_indices()[batch] : batch;
              const int64_t of_y =
                  broadcasts ? bcast.y_batch_indices()[batch] : batch;
              const Matrix<T> lhs{y_data + of_y * depth * rows,
                                  y_is_transposed ? depth : rows,
                                  !y_is_transposed};
              const Matrix<T> rhs{x_data + of_x * columns * depth,
                                  x_is_transposed ? columns : depth,
                                  !x_is_transposed};
              T* const to = out_data + batch * columns * rows;
              if (rows >= columns) {
                Product(size, columns, depth, lhs.FromRow(first), rhs,
                        to + first, rows);
              } else {
                Product(rows, size, depth, lhs, rhs.FromColumn(first),
                        to + first * rows, rows);
              }
            }
          });
  }
};

}  // namespace overrides

#define TFCARVE_BATCH_MATMUL(T)          \
  template <>                            \
  struct LaunchBatchMatMul<CPUDevice, T> \
      : overrides::RealBatchMatMul<overrides::BatchProduct<T>> {}

TFCARVE_BATCH_MATMUL(Eigen::bfloat16);
TFCARVE_BATCH_MATMUL(Eigen::half);
TFCARVE_BATCH_MATMUL(double);
TFCARVE_BATCH_MATMUL(int16);
TFCARVE_BATCH_MATMUL(int32);
TFCARVE_BATCH_MATMUL(int64_t);

#undef TFCARVE_BATCH_MATMUL

}  // namespace tensorflow

// TensorFlow's source, which registers the kernels.
#include_next <tensorflow/core/kernels/matmul_op_real.cc>
