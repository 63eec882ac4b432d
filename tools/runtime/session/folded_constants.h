// Finds the constants that TensorFlow's constant folding uses.

#ifndef TFCARVE_TOOLS_RUNTIME_SESSION_FOLDED_CONSTANTS_H_
#define TFCARVE_TOOLS_RUNTIME_SESSION_FOLDED_CONSTANTS_H_

#include <vector>

#include "tensorflow/core/framework/graph.pb.h"

namespace tfcarve {

// Returns for each node of the graph, without nodes of functions, whether
// constant folding uses its value: the node is an input of a computing node,
// and all inputs of the computing node are constant. A Const with such a value
// must not be replaced, or its users would be computed in each run instead of
// once.
//
// Nodes that output their input unchanged (Identity, Reshape) do not count as
// computing: they cost nothing in a run.
std::vector<bool> FoldedConstants(const tensorflow::GraphDef& graph);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_SESSION_FOLDED_CONSTANTS_H_
