// The loops of TensorFlow 1 in a body.

#ifndef TFCARVE_TOOLS_RUNTIME_PLAN_LOOPS_H_
#define TFCARVE_TOOLS_RUNTIME_PLAN_LOOPS_H_

#include "tensorflow/core/platform/status.h"
#include "tools/runtime/plan/body.h"

namespace tfcarve {

// Replaces the nodes of each frame by one node (Loop), and sets the names of
// the body. Then the body has no cycles: it is an error if it has.
//
// Source: tensorflow/core/graph/control_flow.cc (BuildControlFlowInfo), and the
// rules of Enter, Exit, Merge, NextIteration and Switch in
// tensorflow/core/common_runtime/propagator_state.cc.
tensorflow::Status RaiseLoops(Body* body);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_PLAN_LOOPS_H_
