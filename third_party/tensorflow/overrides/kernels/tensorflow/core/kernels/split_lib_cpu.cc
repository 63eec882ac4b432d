// Overrides TensorFlow's source of the same path: one loop copies the parts of
// tensors of all types of a size. TensorFlow instantiates Eigen's slices for
// each type and rank.

#define EIGEN_USE_THREADS

#include <cstdint>

#include "tensorflow/core/framework/numeric_types.h"
#include "tensorflow/core/framework/register_types.h"
#include "tensorflow/core/framework/tensor_types.h"
#include "tensorflow/core/kernels/slice_op.h"
#include "tensorflow/core/kernels/split_lib.h"

namespace tensorflow {
namespace functor {

// Same as TensorFlow's functor.
template <typename T, int NDims>
void Split<Eigen::ThreadPoolDevice, T, NDims>::operator()(
    const Eigen::ThreadPoolDevice& device,
    typename TTypes<T, NDims>::Tensor output,
    typename TTypes<T, NDims>::ConstTensor input,
    const Eigen::DSizes<Eigen::DenseIndex, NDims>& slice_indices,
    const Eigen::DSizes<Eigen::DenseIndex, NDims>& slice_sizes) {
  Slice<Eigen::ThreadPoolDevice, T, NDims>()(device, output, input,
                                             slice_indices, slice_sizes);
}

#define TFCARVE_DEFINE_SPLITS(T)                        \
  template struct Split<Eigen::ThreadPoolDevice, T, 2>; \
  template struct Split<Eigen::ThreadPoolDevice, T, 3>;

TF_CALL_ALL_TYPES(TFCARVE_DEFINE_SPLITS)
TFCARVE_DEFINE_SPLITS(quint8)
// TensorFlow 2.16 has kernels for them.
#ifdef TF_CALL_int4
TF_CALL_float8_e5m2(TFCARVE_DEFINE_SPLITS)
    TF_CALL_float8_e4m3fn(TFCARVE_DEFINE_SPLITS)
        TF_CALL_int4(TFCARVE_DEFINE_SPLITS) TF_CALL_uint4(TFCARVE_DEFINE_SPLITS)
#endif

}  // namespace functor
}  // namespace tensorflow
