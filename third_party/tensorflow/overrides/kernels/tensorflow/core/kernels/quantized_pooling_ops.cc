// Overrides TensorFlow's source of the same path: registers the same kernels
// and pools bytes with tools/runtime/math. TensorFlow computes means from a
// copy of the image with 32-bit integers.

#ifndef EIGEN_USE_THREADS
#define EIGEN_USE_THREADS
#endif

#include <cstdint>
#include <vector>

#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/kernels/override_pooling.h"
#include "tensorflow/core/lib/core/errors.h"
#include "tensorflow/core/util/padding.h"
#include "tools/runtime/math/byte_loops.h"

namespace tensorflow {

template <>
void MaxPoolingOp<Eigen::ThreadPoolDevice, quint8>::SpatialMaxPool(
    OpKernelContext* context, Tensor* output, const Tensor& input,
    const PoolParameters& parameters, const Padding&) {
  if (output->NumElements() == 0) return;
  overrides::Pool<uint8_t, quint8>(context, input, parameters,
                                   tfcarve::math::LargestBytes, 0, output);
}

template <typename Device, typename T>
class QuantizedAvgPoolingOp;

template <>
class QuantizedAvgPoolingOp<Eigen::ThreadPoolDevice, quint8> : public OpKernel {
 public:
  explicit QuantizedAvgPoolingOp(OpKernelConstruction* context)
      : OpKernel(context) {
    for (const auto& [name, values] :
         {std::pair("ksize", &size_), std::pair("strides", &strides_)}) {
      OP_REQUIRES_OK(context, context->GetAttr(name, values));
      OP_REQUIRES(context, values->size() == 4,
                  errors::InvalidArgument("Sliding window ", name,
                                          " field must specify 4 dimensions"));
      OP_REQUIRES(context, (*values)[0] == 1,
                  errors::Unimplemented(
                      "Pooling is not yet supported on the batch dimension."));
    }
    OP_REQUIRES_OK(context, context->GetAttr("padding", &padding_));
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    PoolParameters parameters{context, size_,       strides_,     padding_,
                              {},      FORMAT_NHWC, input.shape()};
    if (!context->status().ok()) return;
    OP_REQUIRES(context, parameters.depth_window == 1,
                errors::Unimplemented("Non-spatial pooling is not supported."));
    OP_REQUIRES(context, input.dims() == 4,
                errors::InvalidArgument("tensor_in must be 4-dimensional"));
    for (int i = 1; i < 3; ++i) {
      OP_REQUIRES(
          context, TensorShapeUtils::IsScalar(context->input(i).shape()),
          errors::InvalidArgument(
              i == 1 ? "min_input" : "max_input",
              " shape must be rank 0 but is rank ", context->input(i).dims(),
              ", received shape: ", context->input(i).shape()));
    }
    TensorShape shape;
    OP_REQUIRES_OK(context, parameters.forward_output_shape(&shape));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &output));
    if (output->NumElements() > 0) {
      overrides::Pool<uint8_t, quint8>(context, input, parameters,
                                       tfcarve::math::MeanOfBytes, 0, output);
    }
    // The range of the output is that of the input.
    context->set_output(1, context->input(1));
    context->set_output(2, context->input(2));
  }

 private:
  std::vector<int32> size_;
  std::vector<int32> strides_;
  Padding padding_;
};

}  // namespace tensorflow

// TensorFlow's source, which registers the kernels.
#include_next <tensorflow/core/kernels/quantized_pooling_ops.cc>
