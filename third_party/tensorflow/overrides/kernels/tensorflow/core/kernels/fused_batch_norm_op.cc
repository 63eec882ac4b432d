// Overrides TensorFlow's source of the same path: registers the same kernels
// and normalizes floats in loops. TensorFlow instantiates broadcasts and
// reductions of tensors with 32-bit and with 64-bit indices.

#ifndef EIGEN_USE_THREADS
#define EIGEN_USE_THREADS
#endif

#include "tensorflow/core/kernels/fused_batch_norm_op.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/kernels/fill_functor.h"
#include "tensorflow/core/kernels/override_share.h"
#include "tensorflow/core/platform/errors.h"
#include "tensorflow/core/util/tensor_format.h"
#include "tools/runtime/math/kernels.h"
#include "unsupported/Eigen/CXX11/Tensor"

namespace tensorflow {
namespace functor {

template <typename Device, typename T, typename U, bool is_training>
struct FusedBatchNorm;

class FloatBatchNorm {
 public:
  using Values = Eigen::Map<const Eigen::ArrayXf>;
  using Result = Eigen::Map<Eigen::ArrayXf>;

  // Images consist of rows: all channels of a place or, for NCHW, all places of
  // a channel; then row i has the channel i % channels.
  FloatBatchNorm(const Tensor& x, TensorFormat format)
      : x_(x.flat<float>().data()),
        channels_(GetTensorDim(x, format, 'C')),
        places_(x.NumElements() / channels_),
        by_place_(format != FORMAT_NCHW),
        size_(by_place_ ? channels_ : x.dim_size(2) * x.dim_size(3)),
        rows_(x.NumElements() / size_) {}

  Eigen::Index places() const { return places_; }

  // y = (x - mean) / sqrt(variance + epsilon) * scale + offset; y may be x.
  void Normalize(const Eigen::ThreadPoolDevice& device, const Tensor& scale,
                 const Tensor& offset, const float* mean, const float* variance,
                 float epsilon, Tensor* y) const {
    const Eigen::ArrayXf factors =
        (Values(variance, channels_) + epsilon).rsqrt() * ValuesOf(scale);
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const tfcarve::math::Finish finish{
        mean, factors.data(), ValuesOf(offset).data(), -kInfinity, kInfinity};
    const auto finish_row =
        tfcarve::math::kFinishRow[tfcarve::math::SelectedInstructionSet()];
    float* out = y->flat<float>().data();
    overrides::Share(device, rows_, size_ / 2.0, [&](int64_t i, int64_t end) {
      for (; i < end; ++i) {
        if (by_place_) {
          finish_row(finish, 0, size_, x_ + i * size_, out + i * size_);
        } else {
          const Eigen::Index c = i % channels_;
          Result(out + i * size_, size_) =
              (Values(x_ + i * size_, size_) - mean[c]) * finish.factor[c] +
              finish.added[c];
        }
      }
    });
  }

  // Computes the moments of each channel. Sums are doubles, because there may
  // be millions of places.
  void Moments(const Eigen::ThreadPoolDevice& device, Eigen::ArrayXf* mean,
               Eigen::ArrayXf* variance) const {
    const Eigen::ArrayXd center = Average(device, nullptr);
    *mean = center.cast<float>();
    *variance = Average(device, center.data()).cast<float>();
  }

 private:
  static Values ValuesOf(const Tensor& tensor) {
    return Values(tensor.flat<float>().data(), tensor.NumElements());
  }

  // Returns for each channel the average of x or, if there is a center, of the
  // square of x - center.
  Eigen::ArrayXd Average(const Eigen::ThreadPoolDevice& device,
                         const double* center) const {
    // Not the number of threads: sums do not depend on it.
    constexpr Eigen::Index kMaxParts = 16;
    const Eigen::Index parts = std::min(rows_, kMaxParts);
    Eigen::ArrayXXd sums = Eigen::ArrayXXd::Zero(channels_, parts);
    overrides::ShareUnits(
        device, parts, 2.0 * rows_ / parts * size_, [&](int64_t part) {
          double* const sum = sums.data() + part * channels_;
          const Eigen::Index end = rows_ * (part + 1) / parts;
          for (Eigen::Index i = rows_ * part / parts; i < end; ++i) {
            AddRow(i, center, sum);
          }
        });
    return sums.rowwise().sum() / places_;
  }

  void AddRow(Eigen::Index row, const double* center, double* sum) const {
    const float* const x = x_ + row * size_;
    Eigen::Index c = by_place_ ? 0 : row % channels_;
    for (Eigen::Index i = 0; i < size_; ++i, c += by_place_) {
      const double rest = x[i] - (center == nullptr ? 0 : center[c]);
      sum[c] += center == nullptr ? rest : rest * rest;
    }
  }

  const float* const x_;
  const Eigen::Index channels_;
  const Eigen::Index places_;
  const bool by_place_;
  const Eigen::Index size_;
  const Eigen::Index rows_;
};

// Has the inputs and outputs that TensorFlow's kernel passes.
template <bool is_training>
struct FloatFusedBatchNorm {
  void operator()(OpKernelContext* context, const Tensor& x,
                  const Tensor& scale, const Tensor& offset,
                  const Tensor& old_mean, const Tensor& old_variance,
                  const Tensor* side_input, float epsilon, float new_part,
                  FusedBatchNormActivationMode activation, Tensor* y,
                  Tensor* new_mean, Tensor* new_variance, Tensor* saved_mean,
                  Tensor* saved_variance, TensorFormat format,
                  bool use_reserved_space) {
    OP_REQUIRES(
        context,
        side_input == nullptr &&
            activation == FusedBatchNormActivationMode::kIdentity,
        errors::Internal("FusedBatchNorm on a CPU supports neither a side "
                         "input nor an activation"));
    if (use_reserved_space) {
      Tensor* reserved = nullptr;
      OP_REQUIRES_OK(context, context->allocate_output(5, {}, &reserved));
      reserved->flat<float>()(0) = 0;
    }
    const Eigen::ThreadPoolDevice& device = context->eigen_cpu_device();
    auto next_mean = new_mean->flat<float>();
    auto next_variance = new_variance->flat<float>();
    if (x.NumElements() == 0) {
      SetNanFunctor<Eigen::ThreadPoolDevice, float> set_nan;
      set_nan(device, next_mean);
      set_nan(device, next_variance);
      return;
    }
    const FloatBatchNorm norm(x, format);
    const auto before = old_mean.flat<float>();
    const auto variance_before = old_variance.flat<float>();
    if (!is_training) {
      norm.Normalize(device, scale, offset, before.data(),
                     variance_before.data(), epsilon, y);
      next_mean = before;
      next_variance = variance_before;
      return;
    }
    Eigen::ArrayXf mean, variance;
    norm.Moments(device, &mean, &variance);
    norm.Normalize(device, scale, offset, mean.data(), variance.data(), epsilon,
                   y);
    // Bessel's correction, for the variance of the population.
    const float places = norm.places();
    const float adjust = places / (places > 1 ? places - 1 : 1);
    auto batch_mean = saved_mean->flat<float>();
    auto batch_variance = saved_variance->flat<float>();
    const float old_part = 1 - new_part;
    for (Eigen::Index c = 0; c < mean.size(); ++c) {
      batch_mean(c) = mean[c];
      batch_variance(c) = variance[c];
      // If the old values have no weight, their tensors may be empty.
      const bool ignores_old = old_part == 0;
      next_mean(c) =
          new_part * mean[c] + (ignores_old ? 0 : old_part * before(c));
      next_variance(c) = new_part * adjust * variance[c] +
                         (ignores_old ? 0 : old_part * variance_before(c));
    }
  }
};

template <>
struct FusedBatchNorm<Eigen::ThreadPoolDevice, float, float, false>
    : FloatFusedBatchNorm<false> {};

template <>
struct FusedBatchNorm<Eigen::ThreadPoolDevice, float, float, true>
    : FloatFusedBatchNorm<true> {};

}  // namespace functor
}  // namespace tensorflow

// TensorFlow's source, which registers the kernels.
#include_next <tensorflow/core/kernels/fused_batch_norm_op.cc>
