// Overrides TensorFlow's source of the same path: registers the same kernels
// and adds in two loops, floats with tools/runtime/math. TensorFlow
// instantiates broadcasts of tensors with 32-bit and with 64-bit indices.

// Skips TensorFlow's header: this source defines its contents.
#define TENSORFLOW_CORE_KERNELS_BIAS_OP_H_

#include <limits>
#include <type_traits>

#include "tensorflow/core/framework/tensor_types.h"
#include "tensorflow/core/kernels/override_share.h"
#include "tools/runtime/math/kernels.h"
#include "unsupported/Eigen/CXX11/Tensor"

namespace tensorflow {
namespace functor {

template <typename Device, typename T>
struct Bias {
  // One bias for each element of a row: channels are the last dimension.
  void operator()(const Device& device, typename TTypes<T>::ConstFlat input,
                  typename TTypes<T>::ConstVec bias,
                  typename TTypes<T>::Flat output) const {
    const T *in = input.data(), *added = bias.data();
    T* out = output.data();
    const Eigen::Index channels = bias.size();
    ForEachRow(device, input.size() / channels, channels,
               [=](Eigen::Index row) {
                 const Eigen::Index start = row * channels;
                 AddRow(channels, in + start, added, out + start);
               });
  }

  // One bias for each row: row i has the channel i % channels.
  void operator()(const Device& device, typename TTypes<T>::ConstMatrix input,
                  typename TTypes<T>::ConstMatrix bias,
                  typename TTypes<T>::Matrix output) const {
    const T *in = input.data(), *added = bias.data();
    T* out = output.data();
    const Eigen::Index channels = bias.size(), size = input.dimension(1);
    ForEachRow(device, input.dimension(0), size, [=](Eigen::Index row) {
      const T value = added[row % channels];
      for (Eigen::Index i = row * size; i < (row + 1) * size; ++i) {
        out[i] = static_cast<T>(in[i] + value);
      }
    });
  }

 private:
  static void AddRow(Eigen::Index size, const T* in, const T* added, T* out) {
    if constexpr (std::is_same_v<T, float>) {
      constexpr float kInfinity = std::numeric_limits<float>::infinity();
      tfcarve::math::kFinishRow[tfcarve::math::SelectedInstructionSet()](
          {nullptr, nullptr, added, -kInfinity, kInfinity}, 0, size, in, out);
    } else {
      for (Eigen::Index i = 0; i < size; ++i) {
        out[i] = static_cast<T>(in[i] + added[i]);
      }
    }
  }

  template <typename Row>
  static void ForEachRow(const Device& device, Eigen::Index rows,
                         Eigen::Index size, const Row& row) {
    overrides::Share(device, rows, size / 2.0, [&row](int64_t i, int64_t end) {
      for (; i < end; ++i) row(i);
    });
  }
};

}  // namespace functor
}  // namespace tensorflow

// TensorFlow's source, which registers the kernels.
#include_next <tensorflow/core/kernels/bias_op.cc>
