// The nodes of a graph or of a function, with their inputs resolved.

#ifndef TFCARVE_TOOLS_RUNTIME_PLAN_BODY_H_
#define TFCARVE_TOOLS_RUNTIME_PLAN_BODY_H_

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tensorflow/core/framework/node_def_util.h"
#include "tensorflow/core/framework/node_properties.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/types.h"
#include "tensorflow/core/platform/status.h"
#include "tools/runtime/models/graph_model.h"
#include "tools/runtime/models/mapped_file.h"

namespace tfcarve {

// A tensor of a body: an argument, or an output of a node. The arguments come
// first, then the outputs in the order of the nodes.
using Slot = int;

// Consecutive slots.
struct Slots {
  Slot first = 0;
  int count = 0;
};

struct Loop;

struct BodyNode {
  std::shared_ptr<const tensorflow::NodeProperties> properties;  // not of loops
  std::vector<Slot> inputs;
  std::vector<int> controls;  // nodes that run before this one
  Slots outputs;
  std::optional<tensorflow::Tensor> constant;  // the value of a Const
  std::shared_ptr<const Loop> loop;            // of a node that is a whole loop

  const tensorflow::NodeDef& def() const { return properties->node_def; }
  const std::string& op() const { return properties->node_def.op(); }
};

struct Body {
  std::vector<BodyNode> nodes;
  // For each slot.
  tensorflow::DataTypeVector types;
  std::vector<int> producers;  // the node; kArgument for an argument
  // The outputs of nodes and the arguments, by their names.
  std::map<std::string, Slots, std::less<>> names;
  // Of a function or a loop. Any slot of a graph may be a result.
  std::vector<Slot> results;
  std::set<int> roots;  // nodes that run although no result needs them

  static constexpr int kArgument = -1;
};

// A loop of TensorFlow 1: the nodes of a frame, which Enter and Exit connect to
// the nodes around it. Its node has the inputs of the frame's Enter nodes and
// the outputs of its Exit nodes.
struct Loop {
  // One iteration. Its arguments are the state, then the values that the loop
  // does not change; its results are the next state, then the exits.
  Body body;
  std::vector<int> initial;    // for each state the index of an input
  std::vector<int> invariant;  // for each other argument the index of an input
  std::vector<bool> once;      // whether that argument has no value later
  int exit_count = 0;
};

// Resolves the nodes of `model`, which it moves into the body, and checks what
// TensorFlow checks when it creates a session: names, inputs, their types and
// cycles. Calls of functions are nodes. Reads the constants, in `file` if it
// contains their contents; adds the bytes that they use in it to
// `mapped_bytes`.
tensorflow::Status MakeGraphBody(GraphModel* model, const MappedFile* file,
                                 Body* body, size_t* mapped_bytes);

// Like MakeGraphBody, for the body of a function of `model` that is called with
// the attributes `attrs`, which replace the placeholders in its nodes.
tensorflow::Status MakeFunctionBody(const GraphModel& model,
                                    const GraphFunction& function,
                                    const tensorflow::AttrValueMap& attrs,
                                    Body* body);

// Finds the slot of "node" or "node:1" in the body of a graph; -1 if there is
// none.
Slot FindSlot(const Body& body, std::string_view name);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_PLAN_BODY_H_
