// Records the nodes of a traced run.

#ifndef TFCARVE_TOOLS_RUNTIME_PLAN_TRACING_H_
#define TFCARVE_TOOLS_RUNTIME_PLAN_TRACING_H_

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/tensor.h"
#include "tools/runtime/engine/trace.h"
#include "tools/runtime/plan/body.h"

namespace tfcarve {

// Adds the nodes to a trace whose values are known before the run: constants
// and nodes that are fed. They have the shapes of other nodes' inputs.
class KnownNodes {
 public:
  explicit KnownNodes(const Body& body);

  void Add(Slot slot, const tensorflow::Tensor& tensor);
  void MoveTo(std::vector<NodeTrace>* traces);

 private:
  const Body& body_;
  const int64_t start_ns_;
  std::map<int, NodeTrace> traces_;  // by node
};

// Adds the execution of a node to a trace.
class NodeTracer {
 public:
  // `traces` is null if the run is not traced.
  NodeTracer(const BodyNode& node, std::vector<NodeTrace>* traces)
      : traces_(traces) {
    if (traces != nullptr) Begin(node);
  }

  // `context`: of the kernel; null if there was none. `outputs`: the `count`
  // values that the node has.
  void End(tensorflow::OpKernelContext* context,
           const tensorflow::Tensor* outputs, int count) {
    if (traces_ != nullptr) Add(context, outputs, count);
  }

 private:
  void Begin(const BodyNode& node);
  void Add(tensorflow::OpKernelContext* context,
           const tensorflow::Tensor* outputs, int count);

  std::vector<NodeTrace>* const traces_;
  std::optional<NodeTrace> trace_;  // none if the run is not traced
};

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_PLAN_TRACING_H_
