// Takes the large constants out of a serialized GraphDef, so that no protocol
// buffer ever holds them: parsed messages copy their bytes, and TensorFlow
// copies the messages.

#ifndef TFCARVE_TOOLS_RUNTIME_GRAPH_READER_H_
#define TFCARVE_TOOLS_RUNTIME_GRAPH_READER_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tfcarve {

// Constants of fewer bytes stay in the graph: they are a small part of a model,
// and TensorFlow reads the values of some (shapes, axes) while it builds it.
inline constexpr size_t kLargeConstant = 1024;

// A GraphDef in two parts.
struct SplitGraph {
  std::string graph;  // the serialized GraphDef without the contents
  // For each of GraphDef.node the tensor_content that was taken out of it, in
  // the bytes that were read; empty where none was.
  std::vector<std::string_view> contents;
};

// Splits the serialized GraphDef `bytes`, which must outlive the contents.
// Nodes with the op Const are looked at, those of functions aside. A node that
// is written in an unusual way (its value given twice, say) stays whole: what
// it means is for the protocol buffer parser to say. Returns false, with the
// reason in `error`, when the bytes are no GraphDef.
bool SplitGraphDef(std::string_view bytes, SplitGraph* split,
                   std::string* error);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_GRAPH_READER_H_
