// Runs a session's graph.

#ifndef TFCARVE_TOOLS_RUNTIME_API_RUN_H_
#define TFCARVE_TOOLS_RUNTIME_API_RUN_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/platform/status.h"
#include "tools/runtime/api/outcome.h"
#include "tools/runtime/api/session.h"
#include "tools/runtime/engine/trace.h"
#include "tools/runtime/include/tfcarve_c_api.h"

namespace tfcarve {

// An output, in the form of the C interface.
struct Output {
  std::string name;
  tensorflow::Tensor tensor;  // without elements if `data` is the app's buffer
  std::vector<int64_t> dims;
  std::vector<tfcarve_string> strings;
  const void* data = nullptr;
  size_t size = 0;  // of `data`, in bytes
};

// The arguments of tfcarve_session_run.
struct RunArguments {
  const tfcarve_tensor* inputs;
  size_t input_count;
  const char* const* output_names;
  size_t output_count;
  const tfcarve_run_options* options;
};

}  // namespace tfcarve

struct tfcarve_result {
  tfcarve::Outcome outcome;
  std::vector<tfcarve::Output> outputs;
  std::vector<tfcarve::NodeTrace> trace;
};

namespace tfcarve {

// Runs the graph of a session without error; sets the outputs and the trace of
// `result`.
tensorflow::Status Run(const tfcarve_session& session,
                       const RunArguments& arguments, tfcarve_result* result);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_API_RUN_H_
