// The edges of a body.

#ifndef TFCARVE_TOOLS_RUNTIME_PLAN_CYCLES_H_
#define TFCARVE_TOOLS_RUNTIME_PLAN_CYCLES_H_

#include <string>

#include "tensorflow/core/platform/status.h"
#include "tools/runtime/plan/body.h"

namespace tfcarve {

// Calls `visit` for each node that must run before `node`.
template <typename Visit>
void ForEachSource(const Body& body, const BodyNode& node, const Visit& visit) {
  for (const Slot slot : node.inputs) {
    const int producer = body.producers[slot];
    if (producer != Body::kArgument) visit(producer);
  }
  for (const int control : node.controls) visit(control);
}

// The node in a message.
std::string Named(const BodyNode& node);

// An error that the node is in a cycle.
tensorflow::Status CycleAt(const BodyNode& node);

// Finds nodes that need their own outputs.
tensorflow::Status CheckCycles(const Body& body);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_PLAN_CYCLES_H_
