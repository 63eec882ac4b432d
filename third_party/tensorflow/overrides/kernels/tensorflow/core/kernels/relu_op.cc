// Overrides TensorFlow's source of the same path: registers the same kernels
// and limits floats with tools/runtime/math.

#ifndef EIGEN_USE_THREADS
#define EIGEN_USE_THREADS
#endif

#include <limits>

#include "tensorflow/core/framework/tensor_types.h"
#include "tensorflow/core/kernels/override_share.h"
#include "tools/runtime/math/kernels.h"
#include "unsupported/Eigen/CXX11/Tensor"

namespace tensorflow {
namespace functor {

template <typename Device, typename T>
struct Relu;
template <typename Device, typename T>
struct Relu6;

// Limits all elements to [lower, upper].
inline void Limit(const Eigen::ThreadPoolDevice& device,
                  TTypes<float>::ConstTensor input, float lower, float upper,
                  TTypes<float>::Tensor output) {
  const auto limit =
      tfcarve::math::kLimit[tfcarve::math::SelectedInstructionSet()];
  overrides::Share(device, input.size(), 0.5, [&](int64_t begin, int64_t end) {
    limit(end - begin, input.data() + begin, lower, upper,
          output.data() + begin);
  });
}

template <>
struct Relu<Eigen::ThreadPoolDevice, float> {
  void operator()(const Eigen::ThreadPoolDevice& device,
                  TTypes<float>::ConstTensor features,
                  TTypes<float>::Tensor activations) {
    Limit(device, features, 0, std::numeric_limits<float>::infinity(),
          activations);
  }
};

template <>
struct Relu6<Eigen::ThreadPoolDevice, float> {
  void operator()(const Eigen::ThreadPoolDevice& device,
                  TTypes<float>::ConstTensor features,
                  TTypes<float>::Tensor activations) {
    Limit(device, features, 0, 6, activations);
  }
};

}  // namespace functor
}  // namespace tensorflow

// TensorFlow's source, which registers the kernels.
#include_next <tensorflow/core/kernels/relu_op.cc>
