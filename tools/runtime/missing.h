// What a library lacks to run a graph.

#ifndef TFCARVE_TOOLS_RUNTIME_MISSING_H_
#define TFCARVE_TOOLS_RUNTIME_MISSING_H_

#include <string>

#include "tensorflow/core/framework/graph.pb.h"

namespace tfcarve {

// Returns everything at once that this library does not register and that the
// graph's nodes need, those of its functions included: a first line, then a
// line for each op and each kernel with the nodes that need it. Empty when
// nothing is missing.
//
// What counts as needed is what `tfcarve select` takes: every node of the graph
// and of the functions that it can call, looked up as TensorFlow does
// (OpRegistry::LookUp, FindKernelDef) for the CPU.
std::string MissingFor(const tensorflow::GraphDef& graph);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_MISSING_H_
