// A model's graph and its functions, read from a serialized GraphDef.
//
// Only the nodes and the signatures of functions become protocol buffer
// messages. A library that runs plans has no GraphDef and no FunctionDef.

#ifndef TFCARVE_TOOLS_RUNTIME_GRAPH_MODEL_H_
#define TFCARVE_TOOLS_RUNTIME_GRAPH_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tensorflow/core/framework/node_def.pb.h"
#include "tensorflow/core/framework/op_def.pb.h"

namespace tfcarve {

// Smaller constants, in bytes, stay in their nodes: they are a small part of a
// model, and TensorFlow reads some of them (shapes, axes) while it builds the
// graph.
inline constexpr size_t kLargeConstant = 1024;

// A FunctionDef.
struct GraphFunction {
  tensorflow::OpDef signature;  // its name, arguments and results
  std::vector<tensorflow::NodeDef> nodes;
  // The tensor that each result of the signature has.
  std::vector<std::pair<std::string, std::string>> results;
  // The nodes that run although no result needs them.
  std::vector<std::string> control_results;
};

// A GraphDef.
struct GraphModel {
  std::vector<tensorflow::NodeDef> nodes;  // without large constants
  // For each node the removed tensor_content, a part of the input; empty if
  // nothing was removed.
  std::vector<std::string_view> contents;
  std::vector<GraphFunction> functions;
  std::map<std::string, size_t, std::less<>> function_indices;  // by name
  // GraphDef.versions.
  int32_t producer = 0;
  int32_t min_consumer = 0;
  // The serialized GraphDef without its nodes.
  std::string rest;

  // Returns null if there is no function of this name.
  const GraphFunction* FindFunction(std::string_view name) const {
    const auto found = function_indices.find(name);
    return found == function_indices.end() ? nullptr
                                           : &functions[found->second];
  }
};

// Reads the serialized GraphDef `bytes`, which must outlive the contents. The
// large constants are removed from the nodes, because parsing would copy them.
// Nodes of functions stay whole, and so do nodes with an unusual encoding (for
// example with two values), which the protocol buffer parser interprets.
// Returns false and sets `error` if the bytes are not a GraphDef.
bool ReadGraphModel(std::string_view bytes, GraphModel* model,
                    std::string* error);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_GRAPH_MODEL_H_
