// Nodes that call functions: calls, conditions and loops.
//
// Libraries whose models have none of them do not contain this code: other code
// calls it only through `control_flow`.

#ifndef TFCARVE_TOOLS_RUNTIME_PLAN_CONTROL_H_
#define TFCARVE_TOOLS_RUNTIME_PLAN_CONTROL_H_

#include <vector>

#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/platform/errors.h"
#include "tensorflow/core/platform/status.h"
#include "tools/runtime/engine/engine_factory.h"
#include "tools/runtime/plan/plan.h"

namespace tfcarve {

class RunState;
struct Results;

struct ControlFlow {
  // RaiseLoops (loops.h).
  tensorflow::Status (*raise_loops)(Body* body);

  // Prepares the functions that a node calls, or its loop, and sets its action.
  tensorflow::Status (*prepare)(const BodyNode& node, Functions* functions,
                                Operation* operation);

  // Runs an operation that `prepare` prepared, as the kernels of
  // tensorflow/core/kernels/functional_ops.cc do. `inputs` are moved from.
  tensorflow::Status (*execute)(const Operation& operation,
                                std::vector<tensorflow::Tensor> inputs,
                                RunState* state, Results* outputs);
};

// The error of a graph with control flow if the library has no `control_flow`.
inline tensorflow::Status NoControlFlow() {
  return tensorflow::errors::Unimplemented(
      "the library cannot run functions and loops, because none of the models "
      "that it was built for has any: build it for this model, too");
}

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_PLAN_CONTROL_H_
