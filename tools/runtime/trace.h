// What TensorFlow records of each node in a traced run, in the form in which it
// is shown to a C program.

#ifndef TFCARVE_TOOLS_RUNTIME_TRACE_H_
#define TFCARVE_TOOLS_RUNTIME_TRACE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tensorflow/core/framework/step_stats.pb.h"
#include "tools/runtime/tfcarve_c_api.h"

namespace tfcarve {

// One execution of one node. It is moved and never copied: its outputs point
// into it.
struct NodeTrace {
  NodeTrace() = default;
  NodeTrace(NodeTrace&&) = default;
  NodeTrace& operator=(NodeTrace&&) = default;

  std::string node;
  std::string op;
  std::string inputs;
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
  int64_t allocated_bytes = 0;
  std::vector<std::vector<int64_t>> dims;  // of each output
  std::vector<tfcarve_tensor> outputs;     // without names and elements
};

// The executions of a run as they ended. The one that began first starts at 0.
std::vector<NodeTrace> TraceOf(const tensorflow::StepStats& stats);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_TRACE_H_
