// The ops and kernels that a library lacks to run a graph.

#ifndef TFCARVE_TOOLS_RUNTIME_MODELS_MISSING_H_
#define TFCARVE_TOOLS_RUNTIME_MODELS_MISSING_H_

#include <string>

#include "tools/runtime/models/graph_model.h"

namespace tfcarve {

// Returns a description of all ops and kernels that the graph and its functions
// need and this library does not register: a first line, then a line for each
// op and each kernel with the nodes that need it. Empty if nothing is missing.
//
// Like `tfcarve select`, it considers every node of the graph and of the
// functions that the graph can call. TensorFlow's own functions look ops and
// kernels up for the CPU (OpRegistry::LookUp, FindKernelDef).
std::string MissingFor(const GraphModel& model);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_MODELS_MISSING_H_
