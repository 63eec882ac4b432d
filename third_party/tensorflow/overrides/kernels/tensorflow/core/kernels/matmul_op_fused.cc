// In place of TensorFlow's source of this name: it registers the same, with
// products by tools/runtime/math, each block of which is finished while it is
// in a cache. TensorFlow's own instantiates a tensor contraction.

#include "tensorflow/core/kernels/override_fused.h"
#include "tensorflow/core/kernels/override_matmul.h"

namespace tensorflow {

template <typename Device, typename T>
struct LaunchFusedMatMulOp;

template <>
struct LaunchFusedMatMulOp<CPUDevice, float> {
  void operator()(
      OpKernelContext* context, const Tensor& x, const Tensor& y,
      const Eigen::array<Eigen::IndexPair<Eigen::DenseIndex>, 1>& summed,
      FusedComputationType type, const FusedComputationArgs& arguments,
      Tensor* output, bool) {
    const int64_t rows = output->dim_size(0);
    const int64_t columns = output->dim_size(1);
    const overrides::Fusion fusion(context, type, arguments, columns);
    if (!fusion.ok()) return;
    const int64_t depth = x.dim_size(summed[0].first);
    overrides::MultiplyBatches(
        context, 1, rows, columns, depth,
        [&](int64_t) {
          return overrides::MatrixOf(x.flat<float>().data(), rows, depth,
                                summed[0].first == 0);
        },
        [&](int64_t) {
          return overrides::MatrixOf(y.flat<float>().data(), depth, columns,
                                summed[0].second == 1);
        },
        fusion.finish(), output->flat<float>().data());
    fusion.Activate(context, output);
  }
};

}  // namespace tensorflow

// TensorFlow's own, which registers the kernels.
#include_next <tensorflow/core/kernels/matmul_op_fused.cc>
