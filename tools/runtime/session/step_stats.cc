#include "tools/runtime/session/step_stats.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "tensorflow/core/framework/tensor_description.pb.h"
#include "tensorflow/core/framework/tensor_shape.pb.h"

namespace tfcarve {
namespace {

using ::tensorflow::NodeExecStats;
using ::tensorflow::NodeOutput;

// Parses the op and the inputs from a label like "[cpu 1.5MB] conv = Conv2D(x,
// filter)". Names of nodes and ops do not contain spaces.
void ReadLabel(const NodeExecStats& stats, NodeTrace* trace) {
  const std::string& label = stats.timeline_label();
  const std::string before = stats.node_name() + " = ";
  const size_t found = label.find(before);
  const size_t open = label.find('(', found);
  if (found == std::string::npos || open == std::string::npos) return;
  const size_t start = found + before.size();
  trace->op = label.substr(start, open - start);
  trace->inputs = label.substr(open + 1, label.size() - open - 2);
}

void SetOutputs(const NodeExecStats& stats, NodeTrace* trace) {
  size_t count = 0;
  for (const NodeOutput& output : stats.output()) {
    count = std::max(count, static_cast<size_t>(output.slot()) + 1);
  }
  trace->dims.resize(count);
  trace->outputs.resize(count, tfcarve_tensor{});
  for (const NodeOutput& output : stats.output()) {
    const auto& description = output.tensor_description();
    std::vector<int64_t>& dims = trace->dims[output.slot()];
    for (const auto& dim : description.shape().dim()) {
      dims.push_back(dim.size());
    }
    tfcarve_tensor& view = trace->outputs[output.slot()];
    view.dtype = description.dtype();
    view.rank = static_cast<int32_t>(dims.size());
    view.dims = dims.data();
  }
}

NodeTrace TraceOf(const NodeExecStats& stats) {
  NodeTrace trace;
  trace.node = stats.node_name();
  ReadLabel(stats, &trace);
  trace.start_ns = stats.all_start_nanos() + stats.op_start_rel_nanos();
  trace.duration_ns = stats.op_end_rel_nanos() - stats.op_start_rel_nanos();
  for (const auto& memory : stats.memory()) {
    trace.allocated_bytes += memory.total_bytes();
  }
  SetOutputs(stats, &trace);
  return trace;
}

}  // namespace

std::vector<NodeTrace> TraceOf(const tensorflow::StepStats& stats) {
  std::vector<NodeTrace> traces;
  for (const auto& device : stats.dev_stats()) {
    for (const NodeExecStats& node : device.node_stats()) {
      traces.push_back(TraceOf(node));
    }
  }
  int64_t begin = std::numeric_limits<int64_t>::max();
  for (const NodeTrace& trace : traces) {
    begin = std::min(begin, trace.start_ns);
  }
  for (NodeTrace& trace : traces) trace.start_ns -= begin;
  return traces;
}

}  // namespace tfcarve
