// Removes the large constants from a serialized GraphDef before it is parsed:
// parsing copies them, and TensorFlow copies the parsed messages.

#ifndef TFCARVE_TOOLS_RUNTIME_MODELS_GRAPH_READER_H_
#define TFCARVE_TOOLS_RUNTIME_MODELS_GRAPH_READER_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tfcarve {

// Smaller constants, in bytes, stay in the graph: they are a small part of a
// model, and TensorFlow reads some of them (shapes, axes) while it builds the
// graph.
inline constexpr size_t kLargeConstant = 1024;

// A GraphDef in two parts.
struct SplitGraph {
  std::string graph;  // the serialized GraphDef without the contents
  // For each GraphDef.node the removed tensor_content, a part of the input;
  // empty if nothing was removed.
  std::vector<std::string_view> contents;
};

// Splits the serialized GraphDef `bytes`, which must outlive the contents.
// Nodes of functions stay whole, and so do nodes with an unusual encoding (for
// example with two values), which the protocol buffer parser interprets.
// Returns false and sets `error` if the bytes are not a GraphDef.
bool SplitGraphDef(std::string_view bytes, SplitGraph* split,
                   std::string* error);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_MODELS_GRAPH_READER_H_
