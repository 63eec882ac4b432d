// Overrides TensorFlow's source of the same path: registers the same kernel,
// without ICU.

#include "absl/strings/ascii.h"
#include "tensorflow/core/kernels/override_ascii.h"

namespace tensorflow {

class StringUpperOp : public AsciiCaseOp<absl::ascii_toupper> {
 public:
  using AsciiCaseOp::AsciiCaseOp;
};

REGISTER_KERNEL_BUILDER(Name("StringUpper").Device(DEVICE_CPU), StringUpperOp);

}  // namespace tensorflow
