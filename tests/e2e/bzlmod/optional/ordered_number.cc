// OrderedNumber, a custom op: bytes that compare like the numbers.

#include <string>

#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/lib/strings/ordered_code.h"

namespace app {

REGISTER_OP("OrderedNumber")
    .Input("x: int64")
    .Output("y: string")
    .SetShapeFn(tensorflow::shape_inference::UnchangedShape);

class OrderedNumberOp : public tensorflow::OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(tensorflow::OpKernelContext* context) override {
    const tensorflow::Tensor& x = context->input(0);
    tensorflow::Tensor* y = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, x.shape(), &y));
    for (int i = 0; i < x.NumElements(); ++i) {
      std::string bytes;
      tensorflow::strings::OrderedCode::WriteSignedNumIncreasing(
          &bytes, x.flat<int64_t>()(i));
      y->flat<tensorflow::tstring>()(i) = bytes;
    }
  }
};

REGISTER_KERNEL_BUILDER(Name("OrderedNumber").Device(tensorflow::DEVICE_CPU),
                        OrderedNumberOp);

}  // namespace app
