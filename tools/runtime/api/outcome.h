// The outcome of creating or running a session, in the form of the C interface.

#ifndef TFCARVE_TOOLS_RUNTIME_API_OUTCOME_H_
#define TFCARVE_TOOLS_RUNTIME_API_OUTCOME_H_

#include <cstdint>
#include <string>

#include "tensorflow/core/platform/status.h"
#include "tools/runtime/include/tfcarve_c_api.h"

namespace tfcarve {

struct Outcome {
  int32_t status = TFCARVE_OK;
  std::string error;  // empty if the status is OK
  std::string node;   // that the error is about; empty if it is not one node

  bool ok() const { return status == TFCARVE_OK; }
};

// Converts TensorFlow's status.
Outcome OutcomeOf(const tensorflow::Status& status);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_API_OUTCOME_H_
