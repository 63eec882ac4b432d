// TensorFlow's records of a traced run.

#ifndef TFCARVE_TOOLS_RUNTIME_SESSION_STEP_STATS_H_
#define TFCARVE_TOOLS_RUNTIME_SESSION_STEP_STATS_H_

#include <vector>

#include "tensorflow/core/framework/step_stats.pb.h"
#include "tools/runtime/engine/trace.h"

namespace tfcarve {

// Returns the executions of a run in the order in which they ended. Times count
// from the start of the first one.
std::vector<NodeTrace> TraceOf(const tensorflow::StepStats& stats);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_SESSION_STEP_STATS_H_
