#include "tensorflow/core/framework/registration/registration.h"

namespace mini {
namespace functor {
template <typename T>
struct Relu {
  __attribute__((noinline)) static void Run(T* x, int n) {
    for (int i = 0; i < n; ++i) {
      T y = x[i] > T(0) ? x[i] : T(0);
      for (int k = 1; k < 9; ++k) y = y * T(k) + x[(i * k) % n] / T(k + 1);
      x[i] = y;
    }
  }
};
}  // namespace functor

template <typename Device, typename T>
class ReluOp : public Kernel {
 public:
  const char* Compute(void* data, int size) override {
    functor::Relu<T>::Run(static_cast<T*>(data), size);
    return "relu was computed by a kernel of this source";
  }
};

REGISTER_MINI_KERNEL("Relu", ReluOp<CPUDevice, float>);
REGISTER_MINI_KERNEL("Relu", ReluOp<CPUDevice, double>);
REGISTER_MINI_KERNEL("Relu", ReluOp<CPUDevice, long long>);
}  // namespace mini
