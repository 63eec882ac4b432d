// The inputs and outputs of a graph, with their types and shapes.

#ifndef TFCARVE_TOOLS_RUNTIME_MODELS_GRAPH_TENSORS_H_
#define TFCARVE_TOOLS_RUNTIME_MODELS_GRAPH_TENSORS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tools/runtime/models/graph_model.h"

namespace tfcarve {

struct GraphTensor {
  std::string name;
  int32_t dtype = 0;          // 0: unknown
  bool has_rank = false;      // otherwise any shape
  std::vector<int64_t> dims;  // -1: any size
};

struct GraphTensors {
  std::vector<GraphTensor> inputs;   // placeholders
  std::vector<GraphTensor> outputs;  // of nodes that no other node uses
};

// Lists the inputs and outputs of a graph, in the order of its nodes.
GraphTensors TensorsOf(const GraphModel& model);

// Returns whether a run may keep a tensor for later runs, or write into its
// inputs: whether the graph or one of its functions has such an op.
bool KeepsOrChangesInputs(const GraphModel& model);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_MODELS_GRAPH_TENSORS_H_
