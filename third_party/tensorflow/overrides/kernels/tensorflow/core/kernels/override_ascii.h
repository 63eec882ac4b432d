// StringLower and StringUpper of strings of bytes. TensorFlow's kernels need
// ICU for the encoding "utf-8", so these refuse it.

#ifndef TENSORFLOW_CORE_KERNELS_OVERRIDE_ASCII_H_
#define TENSORFLOW_CORE_KERNELS_OVERRIDE_ASCII_H_

#include <algorithm>
#include <string>

#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/platform/errors.h"
#include "tensorflow/core/platform/tstring.h"

namespace tensorflow {

template <char (*kConverted)(unsigned char)>
class AsciiCaseOp : public OpKernel {
 public:
  explicit AsciiCaseOp(OpKernelConstruction* context) : OpKernel(context) {
    std::string encoding;
    OP_REQUIRES_OK(context, context->GetAttr("encoding", &encoding));
    OP_REQUIRES(context, encoding.empty(),
                errors::Unimplemented("the encoding '", encoding,
                                      "' requires ICU, which this library does "
                                      "not contain"));
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context,
                   context->allocate_output(0, input.shape(), &output));
    const auto from = input.flat<tstring>();
    auto to = output->flat<tstring>();
    for (int64_t i = 0; i < from.size(); ++i) {
      to(i).resize_uninitialized(from(i).size());
      std::transform(from(i).begin(), from(i).end(), to(i).mdata(),
                     [](char each) {
                       return kConverted(static_cast<unsigned char>(each));
                     });
    }
  }
};

}  // namespace tensorflow

#endif  // TENSORFLOW_CORE_KERNELS_OVERRIDE_ASCII_H_
