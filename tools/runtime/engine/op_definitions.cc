#include "tools/runtime/shims/op_definitions.h"

#include <cstddef>

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_def.pb.h"
#include "tensorflow/core/platform/errors.h"

namespace tfcarve {

OpDefinition::OpDefinition(const char* bytes, size_t size) {
  const auto define =
      [bytes,
       size](tensorflow::OpRegistrationData* data) -> tensorflow::Status {
    if (data->op_def.ParseFromArray(bytes, static_cast<int>(size))) {
      return tensorflow::OkStatus();
    }
    return tensorflow::errors::Internal("an op definition is damaged");
  };
  tensorflow::OpRegistry::Global()->Register(define);
}

}  // namespace tfcarve
