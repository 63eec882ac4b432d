// Unary functions of float tensors with tools/runtime/math. Eigen's functions
// use only the vectors of the baseline CPU.

#ifndef TENSORFLOW_CORE_KERNELS_OVERRIDE_MAP_H_
#define TENSORFLOW_CORE_KERNELS_OVERRIDE_MAP_H_

#include "tensorflow/core/framework/tensor_types.h"
#include "tensorflow/core/kernels/cwise_ops_common.h"
#include "tensorflow/core/kernels/override_share.h"
#include "tools/runtime/math/kernels.h"

namespace tensorflow {
namespace functor {

template <const tfcarve::math::Map* kMaps>
struct FloatMap {
  void operator()(const Eigen::ThreadPoolDevice& device,
                  TTypes<float>::Flat out, TTypes<float>::ConstFlat in) const {
    const float* const from = in.data();
    float* const to = out.data();
    const auto map = kMaps[tfcarve::math::SelectedInstructionSet()];
    // Cycles per element.
    constexpr double kCompute = 4;
    overrides::Share(device, in.size(), kCompute,
                     [=](int64_t begin, int64_t end) {
                       map(end - begin, from + begin, to + begin);
                     });
  }
};

}  // namespace functor
}  // namespace tensorflow

#endif  // TENSORFLOW_CORE_KERNELS_OVERRIDE_MAP_H_
