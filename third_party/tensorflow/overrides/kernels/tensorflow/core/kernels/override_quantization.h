// What floats and quantized numbers stand for, computed for single numbers as
// TensorFlow's quantized kernels compute it for tensors
// (tensorflow/core/kernels/quantization_utils.h).

#ifndef TENSORFLOW_CORE_KERNELS_OVERRIDE_QUANTIZATION_H_
#define TENSORFLOW_CORE_KERNELS_OVERRIDE_QUANTIZATION_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "tensorflow/core/framework/numeric_types.h"
#include "tensorflow/core/kernels/quantization_utils.h"

namespace tensorflow {
namespace overrides {

// Returns the float that a byte stands for.
inline float FloatOf(const QuantizedToFloatStruct<quint8>& range, int byte) {
  return range.range_min_rounded + byte * range.range_scale;
}

// Returns the number that stands for a float; the lowest one for NaN.
template <typename T>
int32_t Quantized(const FloatToQuantizedStruct<T>& range, float value) {
  const float steps = std::round(value * range.range_scale) -
                      (range.range_min_scaled - range.lowest_quantized());
  return static_cast<int32_t>(std::min(
      std::max(range.lower_bound_float(), steps), range.upper_bound_float()));
}

}  // namespace overrides
}  // namespace tensorflow

#endif  // TENSORFLOW_CORE_KERNELS_OVERRIDE_QUANTIZATION_H_
