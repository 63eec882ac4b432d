// Binary functions of tensors with tools/runtime/math. Eigen's functions use
// only the vectors of the baseline CPU and have separate code for each number
// of dimensions.

#ifndef TENSORFLOW_CORE_KERNELS_OVERRIDE_BINARY_H_
#define TENSORFLOW_CORE_KERNELS_OVERRIDE_BINARY_H_

#include <algorithm>
#include <array>
#include <cstdint>

#include "tensorflow/core/framework/tensor_types.h"
#include "tensorflow/core/kernels/cwise_ops_common.h"
#include "tensorflow/core/kernels/override_share.h"
#include "tools/runtime/math/kernels.h"

namespace tensorflow {
namespace functor {

// An operand that is broadcast along the dimensions in which it has size 1.
// `step` is its stride in the last dimension; `strides` are its strides in the
// other dimensions.
template <typename T, int kDimensions>
struct BroadcastOperand {
  const T* data;
  int64_t step;
  std::array<int64_t, kDimensions - 1> strides;

  explicit BroadcastOperand(typename TTypes<T, kDimensions>::ConstTensor tensor)
      : data(tensor.data()) {
    constexpr int kLast = kDimensions - 1;
    step = tensor.dimension(kLast) == 1 ? 0 : 1;
    int64_t below = tensor.dimension(kLast);
    for (int i = kLast - 1; i >= 0; --i) {
      strides[i] = tensor.dimension(i) == 1 ? 0 : below;
      below *= tensor.dimension(i);
    }
  }
};

// A function of two rows of floats: out[i] = f(a[i * a_step], b[i * b_step]).
template <const tfcarve::math::Combine* kFunctions>
struct FloatCombine {
  using Element = float;
  static tfcarve::math::Combine Selected() {
    return kFunctions[tfcarve::math::SelectedInstructionSet()];
  }
};

// The functions of BinaryFunctor that BinaryOp calls, for any number of
// dimensions. `Combine` is FloatCombine or a struct like it.
template <typename Combine, int kDimensions>
struct RowBinary {
  using T = typename Combine::Element;
  using Device = Eigen::ThreadPoolDevice;
  using Flat = typename TTypes<T>::ConstFlat;
  using Scalar = typename TTypes<T>::ConstScalar;
  using Tensor = typename TTypes<T, kDimensions>::ConstTensor;
  using Times = Eigen::array<Eigen::DenseIndex, kDimensions>;

  // Cycles per element: data comes from beyond the first-level cache.
  static constexpr double kCycles = 1;

  void operator()(const Device& device, typename TTypes<T>::Flat out, Flat in0,
                  Flat in1, bool*) const {
    Compute(device, out, in0.data(), 1, in1.data(), 1);
  }

  void Left(const Device& device, typename TTypes<T>::Flat out, Scalar scalar,
            Flat in, bool*) const {
    Compute(device, out, scalar.data(), 0, in.data(), 1);
  }

  void Right(const Device& device, typename TTypes<T>::Flat out, Flat in,
             Scalar scalar, bool*) const {
    Compute(device, out, in.data(), 1, scalar.data(), 0);
  }

  void BCast(const Device& device, typename TTypes<T, kDimensions>::Tensor out,
             Tensor in0, Times, Tensor in1, Times, bool*) const {
    constexpr int kLast = kDimensions - 1;
    const int64_t size = out.dimension(kLast);
    if (out.size() == 0) return;
    const BroadcastOperand<T, kDimensions> a(in0), b(in1);
    T* const to = out.data();
    std::array<int64_t, kDimensions> dimensions;
    for (int i = 0; i < kDimensions; ++i) dimensions[i] = out.dimension(i);
    const auto combine = Combine::Selected();
    overrides::Share(device, out.size() / size, size * kCycles,
                     [=](int64_t begin, int64_t end) {
                       for (int64_t row = begin; row < end; ++row) {
                         int64_t of_a = 0, of_b = 0, left = row;
                         for (int i = kLast - 1; i >= 0; --i) {
                           const int64_t at = left % dimensions[i];
                           left /= dimensions[i];
                           of_a += at * a.strides[i];
                           of_b += at * b.strides[i];
                         }
                         combine(size, a.data + of_a, a.step, b.data + of_b,
                                 b.step, to + row * size);
                       }
                     });
  }

 private:
  static void Compute(const Device& device, typename TTypes<T>::Flat out,
                      const T* a, int64_t a_step, const T* b, int64_t b_step) {
    T* const to = out.data();
    const auto combine = Combine::Selected();
    overrides::Share(device, out.size(), kCycles,
                     [=](int64_t begin, int64_t end) {
                       combine(end - begin, a + begin * a_step, a_step,
                               b + begin * b_step, b_step, to + begin);
                     });
  }
};

// Specializes BinaryFunctor for a functor of TensorFlow. Each number of
// dimensions is listed, because TensorFlow has a partial specialization for
// two.
#define TFCARVE_BINARY_OF(dimensions, functor, combine)                     \
  template <>                                                               \
  struct BinaryFunctor<Eigen::ThreadPoolDevice, functor, dimensions, false> \
      : RowBinary<combine, dimensions> {};
#define TFCARVE_BINARY(functor, combine) \
  TFCARVE_BINARY_OF(1, functor, combine) \
  TFCARVE_BINARY_OF(2, functor, combine) \
  TFCARVE_BINARY_OF(3, functor, combine) \
  TFCARVE_BINARY_OF(4, functor, combine) \
  TFCARVE_BINARY_OF(5, functor, combine)
#define TFCARVE_FLOAT_BINARY(functor, function) \
  TFCARVE_BINARY(functor, FloatCombine<tfcarve::math::function>)

}  // namespace functor
}  // namespace tensorflow

#endif  // TENSORFLOW_CORE_KERNELS_OVERRIDE_BINARY_H_
