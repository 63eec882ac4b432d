// Overrides TensorFlow's source of the same path: registers the same kernel and
// finds the range with vectors and on all threads. Eigen has no vectors of
// TensorFlow's quantized types.

#ifndef EIGEN_USE_THREADS
#define EIGEN_USE_THREADS
#endif

#include <algorithm>
#include <cstdint>
#include <limits>

#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/kernels/override_share.h"
#include "tensorflow/core/kernels/quantization_utils.h"
#include "tensorflow/core/lib/core/errors.h"
#include "tensorflow/core/platform/mutex.h"
#include "tools/runtime/math/byte_loops.h"

namespace tensorflow {

class RequantizationRangeOp : public OpKernel {
 public:
  explicit RequantizationRangeOp(OpKernelConstruction* context)
      : OpKernel(context) {}

  void Compute(OpKernelContext* context) override {
    for (const auto& [index, name] :
         {std::pair(1, "min"), std::pair(2, "max")}) {
      OP_REQUIRES(
          context, context->input(index).NumElements() > 0,
          errors::InvalidArgument("Input ", name, " must not be empty."));
    }
    Tensor *output_min = nullptr, *output_max = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, {}, &output_min));
    OP_REQUIRES_OK(context, context->allocate_output(1, {}, &output_max));
    const float input_min = context->input(1).flat<float>()(0);
    const float input_max = context->input(2).flat<float>()(0);
    qint32 least, most;
    FindRange(context, context->input(0), &least.value, &most.value);
    // A range includes 0, which surrounds the images of convolutions.
    output_min->scalar<float>()() =
        std::min(0.0f, QuantizedToFloat(least, input_min, input_max));
    output_max->scalar<float>()() =
        QuantizedToFloat(most, input_min, input_max);
  }

 private:
  static void FindRange(OpKernelContext* context, const Tensor& input,
                        int32_t* least, int32_t* most) {
    *least = std::numeric_limits<int32_t>::max();
    *most = std::numeric_limits<int32_t>::min();
    const int32_t* const data =
        reinterpret_cast<const int32_t*>(input.flat<qint32>().data());
    mutex lock;
    overrides::Share(context->eigen_cpu_device(), input.NumElements(), 0.5,
                     [&](int64_t begin, int64_t end) {
                       int32_t lower, upper;
                       tfcarve::math::FindRange(end - begin, data + begin,
                                                &lower, &upper);
                       mutex_lock held(lock);
                       *least = std::min(*least, lower);
                       *most = std::max(*most, upper);
                     });
  }
};

REGISTER_KERNEL_BUILDER(Name("RequantizationRange")
                            .Device(DEVICE_CPU)
                            .TypeConstraint<qint32>("Tinput"),
                        RequantizationRangeOp);

}  // namespace tensorflow
