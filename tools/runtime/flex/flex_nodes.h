// The Flex ops of a TensorFlow Lite graph.

#ifndef TFCARVE_TOOLS_RUNTIME_FLEX_FLEX_NODES_H_
#define TFCARVE_TOOLS_RUNTIME_FLEX_FLEX_NODES_H_

#include <string>

#include "tensorflow/lite/core/c/common.h"
#include "tools/runtime/models/graph_model.h"

namespace tfcarve {

// Adds the NodeDef of each Flex op in the execution plan of `context` to
// `model`. Returns an empty text, or why the graph cannot be read: an op whose
// data are damaged, or an interpreter whose structures differ from the
// structures that this library was compiled with.
std::string ReadFlexNodes(TfLiteContext* context, GraphModel* model);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_FLEX_FLEX_NODES_H_
