// Which constants TensorFlow computes with before a graph runs.

#ifndef TFCARVE_TOOLS_RUNTIME_FOLDED_CONSTANTS_H_
#define TFCARVE_TOOLS_RUNTIME_FOLDED_CONSTANTS_H_

#include <vector>

#include "tensorflow/core/framework/graph.pb.h"

namespace tfcarve {

// Returns, for each node of the graph (functions aside), whether constant
// folding uses its value: a node that computes something takes it, and all the
// inputs of that are constant. Such a Const must stay one, or what is computed
// once would be computed in each run.
//
// Nodes that give their input on as it is (Identity, Reshape) are looked
// through: in a run they cost nothing.
std::vector<bool> FoldedConstants(const tensorflow::GraphDef& graph);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_FOLDED_CONSTANTS_H_
