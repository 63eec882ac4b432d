// AppScale, a custom op: y = factor * x.

#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"

namespace app {

REGISTER_OP("AppScale")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {float, double} = DT_FLOAT")
    .Attr("factor: float")
    .SetShapeFn(tensorflow::shape_inference::UnchangedShape);

template <typename T>
class AppScaleOp : public tensorflow::OpKernel {
 public:
  explicit AppScaleOp(tensorflow::OpKernelConstruction* construction)
      : OpKernel(construction) {
    OP_REQUIRES_OK(construction, construction->GetAttr("factor", &factor_));
  }

  void Compute(tensorflow::OpKernelContext* context) override {
    const tensorflow::Tensor& x = context->input(0);
    tensorflow::Tensor* y = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, x.shape(), &y));
    y->flat<T>() = x.flat<T>() * static_cast<T>(factor_);
  }

 private:
  float factor_;
};

// The model uses float, so the library contains the first kernel only.
REGISTER_KERNEL_BUILDER(
    Name("AppScale").Device(tensorflow::DEVICE_CPU).TypeConstraint<float>("T"),
    AppScaleOp<float>);
REGISTER_KERNEL_BUILDER(
    Name("AppScale").Device(tensorflow::DEVICE_CPU).TypeConstraint<double>("T"),
    AppScaleOp<double>);

}  // namespace app
