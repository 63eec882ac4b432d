// Depthwise convolutions with several filters for each channel.

#ifndef TENSORFLOW_CORE_KERNELS_OVERRIDE_REPEAT_H_
#define TENSORFLOW_CORE_KERNELS_OVERRIDE_REPEAT_H_

#include <algorithm>
#include <cstdint>

#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/framework/types.h"

namespace tensorflow {
namespace overrides {

// Stores each of `size` elements `times` times, once for each filter. Returns
// an error if there is not enough memory.
template <typename T>
Status Repeat(OpKernelContext* context, const T* elements, int64_t size,
              int64_t times, Tensor* repeated) {
  TensorShape shape;
  TF_RETURN_IF_ERROR(TensorShape::BuildTensorShape({size, times}, &shape));
  TF_RETURN_IF_ERROR(
      context->allocate_temp(DataTypeToEnum<T>::value, shape, repeated));
  T* const to = repeated->flat<T>().data();
  for (int64_t i = 0; i < size; ++i) {
    std::fill_n(to + i * times, times, elements[i]);
  }
  return OkStatus();
}

}  // namespace overrides
}  // namespace tensorflow

#endif  // TENSORFLOW_CORE_KERNELS_OVERRIDE_REPEAT_H_
