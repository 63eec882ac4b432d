// AppFolded, an op that only constant folding computes: it returns 2 there and
// an error everywhere else. A model with this op fails if folding fails, which
// TensorFlow itself ignores.

#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/log_memory.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"

namespace app {

REGISTER_OP("AppFolded")
    .Output("y: float")
    .SetShapeFn(tensorflow::shape_inference::ScalarShape);

class AppFoldedOp : public tensorflow::OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(tensorflow::OpKernelContext* context) override {
    OP_REQUIRES(
        context,
        context->step_id() == tensorflow::LogMemory::CONSTANT_FOLDING_STEP_ID,
        tensorflow::errors::FailedPrecondition(name(), " was not folded"));
    tensorflow::Tensor* y = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, {}, &y));
    y->scalar<float>()() = 2;
  }
};

REGISTER_KERNEL_BUILDER(Name("AppFolded").Device(tensorflow::DEVICE_CPU),
                        AppFoldedOp);

}  // namespace app
