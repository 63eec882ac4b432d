// In place of TensorFlow's source of this name: it registers the same, with
// floats by tools/runtime/math. TensorFlow's own instantiates broadcasts and
// reductions of tensors.

#ifndef EIGEN_USE_THREADS
#define EIGEN_USE_THREADS
#endif

#include <algorithm>
#include <cmath>

#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/kernels/override_share.h"
#include "tensorflow/core/kernels/softmax_op_functor.h"
#include "tools/runtime/math/kernels.h"

namespace tensorflow {
namespace functor {

template <>
struct SoftmaxFunctor<Eigen::ThreadPoolDevice, float> {
  // What TensorFlow's functor of the same signature does.
  void operator()(const Eigen::ThreadPoolDevice& device,
                  TTypes<float>::ConstMatrix logits,
                  TTypes<float>::Matrix softmax, const bool log) const {
    const Eigen::Index size = logits.dimension(1);
    const float* const in = logits.data();
    float* const out = softmax.data();
    const auto row =
        log ? Logarithms
            : tfcarve::math::kSoftmax[tfcarve::math::SelectedKernels().number];
    // Cycles of an element.
    constexpr double kCompute = 8;
    overrides::Share(device, logits.dimension(0), size * kCompute,
                [=](int64_t i, int64_t end) {
                  for (; i < end; ++i) {
                    row(size, in + i * size, out + i * size);
                  }
                });
  }

 private:
  static void Logarithms(tfcarve::math::Index size, const float* in,
                         float* out) {
    const float most = *std::max_element(in, in + size);
    float sum = 0;
    for (Eigen::Index i = 0; i < size; ++i) sum += std::exp(in[i] - most);
    const float shift = most + std::log(sum);
    for (Eigen::Index i = 0; i < size; ++i) out[i] = in[i] - shift;
  }
};

}  // namespace functor
}  // namespace tensorflow

// TensorFlow's own, which registers the kernels.
#include_next <tensorflow/core/kernels/softmax_op.cc>
