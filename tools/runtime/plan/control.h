// Nodes that call functions: calls, conditions and loops.

#ifndef TFCARVE_TOOLS_RUNTIME_PLAN_CONTROL_H_
#define TFCARVE_TOOLS_RUNTIME_PLAN_CONTROL_H_

#include <vector>

#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/platform/status.h"
#include "tools/runtime/plan/plan.h"

namespace tfcarve {

class RunState;
struct Results;

// Prepares the functions that a node calls; sets its action if its op is a
// function of the model.
tensorflow::Status PrepareCall(const BodyNode& node, Functions* functions,
                               Operation* operation);

// Runs an operation that calls functions, as the kernels of
// tensorflow/core/kernels/functional_ops.cc do. `inputs` are moved from.
tensorflow::Status ExecuteCall(const Operation& operation,
                               std::vector<tensorflow::Tensor> inputs,
                               RunState* state, Results* outputs);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_PLAN_CONTROL_H_
