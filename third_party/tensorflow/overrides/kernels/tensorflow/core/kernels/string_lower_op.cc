// Overrides TensorFlow's source of the same path: registers the same kernel,
// without ICU.

#include "absl/strings/ascii.h"
#include "tensorflow/core/kernels/override_ascii.h"

namespace tensorflow {

class StringLowerOp : public AsciiCaseOp<absl::ascii_tolower> {
 public:
  using AsciiCaseOp::AsciiCaseOp;
};

REGISTER_KERNEL_BUILDER(Name("StringLower").Device(DEVICE_CPU), StringLowerOp);

}  // namespace tensorflow
