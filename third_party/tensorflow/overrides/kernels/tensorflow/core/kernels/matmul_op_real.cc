// In place of TensorFlow's source of this name: it registers the same, with
// products of floats by tools/runtime/math, and of other real numbers by
// Eigen's blocked kernel alone. TensorFlow's own instantiates a tensor
// contraction and, twice, each product of two layouts: minutes of compiling,
// and 112 KB for floats.
//
// The output, row-major, is seen as the transposed matrix, column-major: that
// is how Eigen's kernel writes.

#include <algorithm>
#include <cstdint>

#include "tensorflow/core/kernels/override_matmul.h"
#include "tensorflow/core/kernels/override_product.h"

namespace tensorflow {
namespace overrides {

// Less work than this is not worth another thread, as TensorFlow's own has it.
constexpr int64_t kLeastWork = 128 * 128;
// Pieces are whole blocks of Eigen's kernel.
constexpr Index kBlock = 32;

template <typename T>
struct BatchMatMul {
  // What TensorFlow's LaunchBatchMatMul of the same signature does: tensors are
  // [batch, row, column]. Of real numbers the adjoint is the transposed matrix.
  static void Launch(OpKernelContext* context, const Tensor& x, const Tensor& y,
                     bool adj_x, bool adj_y, bool trans_x, bool trans_y,
                     const MatMulBCast& bcast, Tensor* out) {
    const bool x_is_turned = adj_x || trans_x;
    const bool y_is_turned = adj_y || trans_y;
    const Index rows = out->dim_size(2);
    const Index columns = out->dim_size(1);
    const Index depth = x.dim_size(x_is_turned ? 1 : 2);
    const int64_t batches = bcast.output_batch_size();
    const bool broadcasts = bcast.IsBroadcastingRequired();
    const T* const x_data = x.flat<T>().data();
    const T* const y_data = y.flat<T>().data();
    T* const out_data = out->flat<T>().data();

    // Each product is cut along its longer side where threads would be idle.
    const auto& workers = *context->device()->tensorflow_cpu_worker_threads();
    // An Index has 32 bits on some CPUs.
    const int64_t work = int64_t{rows} * columns * depth;
    const Index length = std::max(rows, columns);
    const int64_t wanted =
        batches >= workers.num_threads
            ? 1
            : std::min<int64_t>(workers.num_threads, work / kLeastWork + 1);
    const Index piece = static_cast<Index>((length + wanted * kBlock - 1) /
                                           (wanted * kBlock) * kBlock);
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
                                  y_is_turned ? depth : rows, !y_is_turned};
              const Matrix<T> rhs{x_data + of_x * columns * depth,
                                  x_is_turned ? columns : depth, !x_is_turned};
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

#define TFCARVE_BATCH_MATMUL(T) \
  template <>                   \
  struct LaunchBatchMatMul<CPUDevice, T> : overrides::BatchMatMul<T> {}

TFCARVE_BATCH_MATMUL(Eigen::bfloat16);
TFCARVE_BATCH_MATMUL(Eigen::half);
TFCARVE_BATCH_MATMUL(double);
TFCARVE_BATCH_MATMUL(int16);
TFCARVE_BATCH_MATMUL(int32);
TFCARVE_BATCH_MATMUL(int64_t);

#undef TFCARVE_BATCH_MATMUL

}  // namespace tensorflow

// TensorFlow's own, which registers the kernels.
#include_next <tensorflow/core/kernels/matmul_op_real.cc>
