// The functions that TensorFlow's fused kernels apply to each element of a
// product, with tools/runtime/math, except activations other than limits.

#ifndef TENSORFLOW_CORE_KERNELS_OVERRIDE_FUSED_H_
#define TENSORFLOW_CORE_KERNELS_OVERRIDE_FUSED_H_

#include <cmath>
#include <limits>

#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/kernels/fused_eigen_output_kernels.h"
#include "tools/runtime/math/kernels.h"

namespace tensorflow {
namespace overrides {

namespace math = ::tfcarve::math;

class Fusion {
 public:
  // Reads the fused inputs, each with one element for each column of the
  // product. On failure sets an error in the context, and ok() is false.
  Fusion(OpKernelContext* context, FusedComputationType type,
         const FusedComputationArgs& arguments, int64_t columns)
      : type_(type), alpha_(arguments.leakyrelu_alpha) {
    Status status;
    if (BiasAddArgs<float>::IsSupported(type)) {
      BiasAddArgs<float> bias;
      status = InitBiasAddArgs(context, &bias);
      finish_.added = bias.bias_add_data;
    } else if (FusedBatchNormArgs<float>::IsSupported(type)) {
      status =
          InitFusedBatchNormArgs(context, arguments.epsilon, &normalization_);
      finish_.shift = normalization_.estimated_mean_data;
      finish_.factor = normalization_.scaling_factor.data();
      finish_.added = normalization_.offset_data;
    } else {
      status = errors::Internal("Fusion type is not supported");
    }
    for (int i = 2; status.ok() && i < context->num_inputs(); ++i) {
      if (context->input(i).NumElements() == columns) continue;
      status = errors::InvalidArgument(
          "input ", i, " has ", context->input(i).NumElements(),
          " elements, the product has ", columns, " columns");
    }
    is_ok_ = status.ok();
    context->SetStatus(status);
    finish_.lower = -std::numeric_limits<float>::infinity();
    finish_.upper = std::numeric_limits<float>::infinity();
    if (Is(FusedComputationType::kBiasAddWithRelu,
           FusedComputationType::kFusedBatchNormWithRelu)) {
      finish_.lower = 0;
    } else if (Is(FusedComputationType::kBiasAddWithRelu6,
                  FusedComputationType::kFusedBatchNormWithRelu6)) {
      finish_.lower = 0;
      finish_.upper = 6;
    }
  }

  bool ok() const { return is_ok_; }
  const math::Finish* finish() const { return &finish_; }

  // Applies the activation to the whole output, if `finish` does not include
  // it.
  void Activate(OpKernelContext* context, Tensor* output) const {
    const Eigen::ThreadPoolDevice& device = context->eigen_cpu_device();
    auto flat = output->flat<float>();
    if (Is(FusedComputationType::kBiasAddWithElu,
           FusedComputationType::kFusedBatchNormWithElu)) {
      flat.device(device) = Elu::apply(flat);
    } else if (Is(FusedComputationType::kBiasAddWithLeakyRelu,
                  FusedComputationType::kFusedBatchNormWithLeakyRelu)) {
      flat.device(device) = LeakyRelu::apply(flat, alpha_);
    }
  }

 private:
  bool Is(FusedComputationType with_bias,
          FusedComputationType normalized) const {
    return type_ == with_bias || type_ == normalized;
  }

  const FusedComputationType type_;
  const float alpha_;
  bool is_ok_ = false;
  FusedBatchNormArgs<float> normalization_;
  math::Finish finish_{};
};

}  // namespace overrides
}  // namespace tensorflow

#endif  // TENSORFLOW_CORE_KERNELS_OVERRIDE_FUSED_H_
