// The nodes of a traced run, in the form of the C interface.

#ifndef TFCARVE_TOOLS_RUNTIME_ENGINE_TRACE_H_
#define TFCARVE_TOOLS_RUNTIME_ENGINE_TRACE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tools/runtime/include/tfcarve_c_api.h"

namespace tfcarve {

// An execution of a node. Movable but not copyable: `outputs` points into
// `dims`.
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

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_ENGINE_TRACE_H_
