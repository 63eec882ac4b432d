// Overrides TensorFlow's source of the same path: registers the same kernels
// and shifts 32-bit integers with tools/runtime/math. The preset int8 shifts
// the sums of channels, the last dimension, and Eigen broadcasts their shifts
// one by one.

#include <algorithm>
#include <cstdint>

#include "tensorflow/core/kernels/override_binary.h"
#include "tools/runtime/math/byte_kernels.h"

namespace tensorflow {
namespace functor {

struct ShiftRight {
  using Element = int32;

  static constexpr auto Selected() { return &Row; }

 private:
  static void Row(int64_t size, const int32* a, int64_t a_step, const int32* b,
                  int64_t b_step, int32* out) {
    if (a_step == 1 && b_step == 1) {
      tfcarve::math::SelectedByteKernels().shift_right(size, a, b, out);
      return;
    }
    for (int64_t i = 0; i < size; ++i) {
      const int32 shift = std::min(31, std::max(0, b[i * b_step]));
      out[i] = a[i * a_step] >> shift;
    }
  }
};

TFCARVE_BINARY(right_shift<int32>, ShiftRight)

}  // namespace functor
}  // namespace tensorflow

// TensorFlow's source, which registers the kernels.
#include_next <tensorflow/core/kernels/cwise_op_right_shift.cc>
