// Overrides TensorFlow's source of the same path: the same kernel in C++.
// TensorFlow writes it with its C API, whose sources refer to graphs and
// functions, which plans do not need.

#include <algorithm>

#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/types.h"
#include "tensorflow/core/platform/errors.h"

namespace tensorflow {
namespace {

// Same as TensorFlow's kernel: the last dimension of the input or of the output
// is the quotient of the sizes of the types, unless the sizes are equal.
class BitcastOp : public OpKernel {
 public:
  explicit BitcastOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("T", &in_type_));
    OP_REQUIRES_OK(context, context->GetAttr("type", &out_type_));
    in_size_ = DataTypeSize(in_type_);
    out_size_ = DataTypeSize(out_type_);
    const int smaller = std::min(in_size_, out_size_);
    OP_REQUIRES(context,
                smaller > 0 && std::max(in_size_, out_size_) % smaller == 0,
                errors::InvalidArgument("cannot convert between datatype ",
                                        in_type_, " and ", out_type_));
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    TensorShape shape = input.shape();
    if (out_size_ < in_size_) {
      OP_REQUIRES_OK(context, shape.AddDimWithStatus(in_size_ / out_size_));
    } else if (out_size_ > in_size_) {
      const int last = shape.dims() - 1;
      OP_REQUIRES(context,
                  last >= 0 && shape.dim_size(last) == out_size_ / in_size_,
                  errors::InvalidArgument("Cannot bitcast from ", in_type_,
                                          " to ", out_type_));
      shape.RemoveDim(last);
    }
    Tensor output;
    OP_REQUIRES_OK(context, output.BitcastFrom(input, out_type_, shape));
    context->set_output(0, output);
  }

 private:
  DataType in_type_, out_type_;
  int in_size_, out_size_;
};

// The unit records the registration by this condition, as in TensorFlow's
// source.
const bool kIsRegistered = [] {
  if (SHOULD_REGISTER_OP_KERNEL("BitcastOp")) {
    kernel_factory::OpKernelRegistrar(
        register_kernel::Name("Bitcast").Device(DEVICE_CPU).Build(),
        "BitcastOp", [](OpKernelConstruction* context) -> OpKernel* {
          return new BitcastOp(context);
        });
  }
  return true;
}();

}  // namespace
}  // namespace tensorflow
