// The op AppSwish, x * sigmoid(x), and its gradient: ops that TensorFlow does
// not have, for the library of the app and for full TensorFlow.

#include <cmath>

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace {

using tensorflow::OpKernel;
using tensorflow::OpKernelConstruction;
using tensorflow::OpKernelContext;
using tensorflow::Tensor;

REGISTER_OP("AppSwish")
    .Input("x: float")
    .Output("y: float")
    .SetShapeFn([](tensorflow::shape_inference::InferenceContext* c) {
      c->set_output(0, c->input(0));
      return tensorflow::OkStatus();
    });

REGISTER_OP("AppSwishGrad")
    .Input("x: float")
    .Input("gradient: float")
    .Output("y: float")
    .SetShapeFn([](tensorflow::shape_inference::InferenceContext* c) {
      c->set_output(0, c->input(0));
      return tensorflow::OkStatus();
    });

float Sigmoid(float x) { return 1.f / (1.f + std::exp(-x)); }

class AppSwishOp : public OpKernel {
 public:
  explicit AppSwishOp(OpKernelConstruction* context) : OpKernel(context) {}

  void Compute(OpKernelContext* context) override {
    const Tensor& x = context->input(0);
    Tensor* y = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, x.shape(), &y));
    const auto in = x.flat<float>();
    auto out = y->flat<float>();
    for (int64_t i = 0; i < in.size(); ++i) out(i) = in(i) * Sigmoid(in(i));
  }
};

class AppSwishGradOp : public OpKernel {
 public:
  explicit AppSwishGradOp(OpKernelConstruction* context) : OpKernel(context) {}

  void Compute(OpKernelContext* context) override {
    const Tensor& x = context->input(0);
    const Tensor& gradient = context->input(1);
    OP_REQUIRES(context, x.shape() == gradient.shape(),
                tensorflow::errors::InvalidArgument(
                    "x and gradient have different shapes"));
    Tensor* y = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, x.shape(), &y));
    const auto in = x.flat<float>();
    const auto scale = gradient.flat<float>();
    auto out = y->flat<float>();
    for (int64_t i = 0; i < in.size(); ++i) {
      const float s = Sigmoid(in(i));
      out(i) = scale(i) * (s + in(i) * s * (1.f - s));
    }
  }
};

REGISTER_KERNEL_BUILDER(Name("AppSwish").Device(tensorflow::DEVICE_CPU),
                        AppSwishOp);
REGISTER_KERNEL_BUILDER(Name("AppSwishGrad").Device(tensorflow::DEVICE_CPU),
                        AppSwishGradOp);

}  // namespace
