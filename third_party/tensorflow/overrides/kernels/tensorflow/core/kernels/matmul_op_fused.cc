// Overrides TensorFlow's source of the same path: registers the same kernels,
// computes products with tools/runtime/math, and applies the fused functions to
// each block while it is in a cache. TensorFlow instantiates a tensor
// contraction.

#include "tensorflow/core/kernels/override_fused.h"
#include "tensorflow/core/kernels/override_matmul.h"

namespace tensorflow {

template <typename Device, typename T>
struct LaunchFusedMatMulOp;

template <>
struct LaunchFusedMatMulOp<CPUDevice, float> {
  void operator()(
      OpKernelContext* context, const Tensor& x, const Tensor& y,
      const Eigen::array<Eigen::IndexPair<Eigen::DenseIndex>, 1>& contracted,
      FusedComputationType type, const FusedComputationArgs& arguments,
      Tensor* output, bool) {
    const int64_t rows = output->dim_size(0);
    const int64_t columns = output->dim_size(1);
    const overrides::Fusion fusion(context, type, arguments, columns);
    if (!fusion.ok()) return;
    const int64_t depth = x.dim_size(contracted[0].first);
    overrides::MultiplyBatches(
        context, 1, rows, columns, depth,
        [&](int64_t) {
          return overrides::MatrixOf(x.flat<float>().data(), rows, depth,
                                     contracted[0].first == 0);
        },
        [&](int64_t) {
          return overrides::MatrixOf(y.flat<float>().data(), depth, columns,
                                     contracted[0].second == 1);
        },
        fusion.finish(), output->flat<float>().data());
    fusion.Activate(context, output);
  }
};

}  // namespace tensorflow

// TensorFlow's source, which registers the kernels.
#include_next <tensorflow/core/kernels/matmul_op_fused.cc>
