// Overrides TensorFlow's source of the same path: registers the same kernels
// and computes floats with tools/runtime/math. TensorFlow instantiates
// broadcasts and reductions of tensors.

#ifndef EIGEN_USE_THREADS
#define EIGEN_USE_THREADS
#endif

#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/kernels/override_share.h"
#include "tensorflow/core/kernels/softmax_op_functor.h"
#include "tools/runtime/math/kernels.h"

namespace tensorflow {
namespace functor {

template <>
struct SoftmaxFunctor<Eigen::ThreadPoolDevice, float> {
  // Same as TensorFlow's functor.
  void operator()(const Eigen::ThreadPoolDevice& device,
                  TTypes<float>::ConstMatrix logits,
                  TTypes<float>::Matrix softmax, const bool log) const {
    const Eigen::Index size = logits.dimension(1);
    const float* const in = logits.data();
    float* const out = softmax.data();
    const int set = tfcarve::math::SelectedInstructionSet();
    const auto row =
        (log ? tfcarve::math::kLogSoftmax : tfcarve::math::kSoftmax)[set];
    // Cycles per element.
    constexpr double kCompute = 8;
    overrides::Share(device, logits.dimension(0), size * kCompute,
                     [=](int64_t i, int64_t end) {
                       for (; i < end; ++i) {
                         row(size, in + i * size, out + i * size);
                       }
                     });
  }
};

}  // namespace functor
}  // namespace tensorflow

// TensorFlow's source, which registers the kernels.
#include_next <tensorflow/core/kernels/softmax_op.cc>
