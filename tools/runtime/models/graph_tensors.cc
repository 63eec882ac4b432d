#include "tools/runtime/models/graph_tensors.h"

#include <set>
#include <string_view>
#include <utility>

#include "tensorflow/core/framework/attr_value.pb.h"
#include "tensorflow/core/framework/node_def.pb.h"
#include "tensorflow/core/framework/node_def_util.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_def.pb.h"
#include "tensorflow/core/framework/tensor_shape.pb.h"
#include "tensorflow/core/framework/types.h"

namespace tfcarve {
namespace {

using ::tensorflow::NodeDef;
using ::tensorflow::OpDef;

bool IsPlaceholder(const NodeDef& node) {
  return node.op() == "Placeholder" || node.op() == "PlaceholderV2" ||
         node.op() == "PlaceholderWithDefault";
}

// "x" of the input "x:1" or "^x".
std::string_view NodeOf(std::string_view input) {
  if (!input.empty() && input[0] == '^') return input.substr(1);
  return input.substr(0, input.find(':'));
}

// Null for the call of a function.
const OpDef* DefinitionOf(const NodeDef& node) {
  const tensorflow::OpRegistrationData* data = nullptr;
  return tensorflow::OpRegistry::Global()->LookUp(node.op(), &data).ok()
             ? &data->op_def
             : nullptr;
}

void SetShape(const tensorflow::TensorShapeProto& shape, GraphTensor* tensor) {
  tensor->has_rank = !shape.unknown_rank();
  for (const auto& dim : shape.dim()) tensor->dims.push_back(dim.size());
}

const tensorflow::AttrValue* Attribute(const NodeDef& node, const char* name) {
  const auto found = node.attr().find(name);
  return found == node.attr().end() ? nullptr : &found->second;
}

GraphTensor InputOf(const NodeDef& node) {
  GraphTensor tensor;
  tensor.name = node.name();
  const auto* const dtype = Attribute(node, "dtype");
  if (dtype != nullptr) tensor.dtype = dtype->type();
  const auto* const shape = Attribute(node, "shape");
  if (shape != nullptr) SetShape(shape->shape(), &tensor);
  return tensor;
}

// Returns the types of a node's outputs; one invalid type if the definition of
// its op does not say them.
tensorflow::DataTypeVector OutputTypes(const NodeDef& node) {
  tensorflow::DataTypeVector types;
  const OpDef* const definition = DefinitionOf(node);
  if (definition != nullptr) {
    NodeDef full = node;
    tensorflow::AddDefaultsToNodeDef(*definition, &full);
    if (tensorflow::OutputTypesForNode(full, *definition, &types).ok()) {
      return types;
    }
  }
  types.assign(1, tensorflow::DT_INVALID);
  return types;
}

void AddOutputs(const NodeDef& node, std::vector<GraphTensor>* outputs) {
  const auto* const shapes = Attribute(node, "_output_shapes");
  const tensorflow::DataTypeVector types = OutputTypes(node);
  for (size_t i = 0; i < types.size(); ++i) {
    GraphTensor tensor;
    tensor.name = node.name();
    if (i > 0) tensor.name += ":" + std::to_string(i);
    tensor.dtype = tensorflow::BaseType(types[i]);
    const int index = static_cast<int>(i);
    if (shapes != nullptr && index < shapes->list().shape_size()) {
      SetShape(shapes->list().shape(index), &tensor);
    }
    outputs->push_back(std::move(tensor));
  }
}

bool KeepsOrChanges(const std::vector<NodeDef>& nodes) {
  for (const NodeDef& node : nodes) {
    const OpDef* const definition = DefinitionOf(node);
    // InplaceUpdate and the other Inplace ops have no state.
    if (definition != nullptr &&
        (definition->is_stateful() || node.op().rfind("Inplace", 0) == 0)) {
      return true;
    }
  }
  return false;
}

}  // namespace

GraphTensors TensorsOf(const GraphModel& model) {
  std::set<std::string_view> used;
  for (const NodeDef& node : model.nodes) {
    for (const std::string& input : node.input()) used.insert(NodeOf(input));
  }
  GraphTensors tensors;
  for (const NodeDef& node : model.nodes) {
    if (IsPlaceholder(node)) {
      tensors.inputs.push_back(InputOf(node));
    } else if (used.count(node.name()) == 0) {
      AddOutputs(node, &tensors.outputs);
    }
  }
  return tensors;
}

bool KeepsOrChangesInputs(const GraphModel& model) {
  if (KeepsOrChanges(model.nodes)) return true;
  for (const GraphFunction& function : model.functions) {
    if (KeepsOrChanges(function.nodes)) return true;
  }
  return false;
}

}  // namespace tfcarve
