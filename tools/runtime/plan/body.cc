#include "tools/runtime/plan/body.h"

#include <map>
#include <utility>

#include "absl/strings/numbers.h"
#include "tensorflow/core/framework/node_def_util.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/tensor.pb.h"
#include "tensorflow/core/platform/errors.h"
#include "tensorflow/core/platform/strcat.h"
#include "tools/runtime/engine/engine_factory.h"
#include "tools/runtime/models/constant_tensor.h"
#include "tools/runtime/plan/actions.h"
#include "tools/runtime/plan/control.h"
#include "tools/runtime/plan/cycles.h"

namespace tfcarve {
namespace {

using ::tensorflow::AttrSlice;
using ::tensorflow::AttrValueMap;
using ::tensorflow::DataTypeString;
using ::tensorflow::NameRangeMap;
using ::tensorflow::NodeDef;
using ::tensorflow::NodeProperties;
using ::tensorflow::OpDef;
using ::tensorflow::Status;
using ::tensorflow::Tensor;
using ::tensorflow::errors::InvalidArgument;
using ::tensorflow::strings::StrCat;

// Finds the op definition of a node: that of the signature if its op is a
// function. Functions of the model have precedence, as in TensorFlow.
Status FindDefinition(const std::string& op, const GraphModel& model,
                      const OpDef** definition) {
  const GraphFunction* const function = model.FindFunction(op);
  if (function != nullptr) {
    *definition = &function->signature;
    return tensorflow::OkStatus();
  }
  return tensorflow::OpRegistry::Global()->LookUpOpDef(op, definition);
}

// Collects the nodes of a body, then resolves the names of their inputs.
class Builder {
 public:
  Builder(const GraphModel& model, Body* body) : model_(model), body_(*body) {}

  Status AddArguments(const OpDef& signature, const AttrValueMap& attrs);
  // `content`: the large constant that was removed from the node, or empty.
  Status AddNode(NodeDef node, std::string_view content, const MappedFile* file,
                 size_t* mapped_bytes);
  // `is_function`: names of inputs are those of a FunctionDef.
  Status Resolve(bool is_function);
  Status Find(std::string_view input, bool is_function, Slots* slots) const;
  // Returns the node; -1 if there is none.
  int FindNode(std::string_view name) const {
    const auto found = nodes_.find(name);
    return found == nodes_.end() ? -1 : found->second;
  }

 private:
  Status ResolveNode(bool is_function, BodyNode* node) const;
  Status AddInput(Slots slots, BodyNode* node) const;
  std::string NameOf(Slot slot) const;

  const GraphModel& model_;
  Body& body_;
  std::map<std::string_view, int> nodes_;        // by name
  std::map<std::string_view, Slots> arguments_;  // of a function
};

Status Builder::AddArguments(const OpDef& signature,
                             const AttrValueMap& attrs) {
  const AttrSlice slice(&attrs);
  NameRangeMap inputs;
  TF_RETURN_IF_ERROR(NameRangesForNode(slice, signature, &inputs, nullptr));
  for (const auto& arg : signature.input_arg()) {
    const auto [first, end] = inputs.at(arg.name());
    arguments_[arg.name()] = {first, end - first};
  }
  NodeDef call;
  *call.mutable_attr() = attrs;
  TF_RETURN_IF_ERROR(InputTypesForNode(call, signature, &body_.types));
  body_.producers.assign(body_.types.size(), Body::kArgument);
  return tensorflow::OkStatus();
}

// Reads the value of a Const.
Status ReadConstant(const NodeDef& node, std::string_view content,
                    const MappedFile* file, Tensor* tensor,
                    size_t* mapped_bytes) {
  const tensorflow::TensorProto& head = node.attr().at("value").tensor();
  if (head.dtype() != node.attr().at("dtype").type()) {
    return InvalidArgument("its value does not have its dtype");
  }
  if (!content.empty() && tensorflow::DataTypeCanUseMemcpy(head.dtype())) {
    return ConstantTensor(head, content, file, tensor, mapped_bytes);
  }
  tensorflow::TensorProto whole = head;
  if (!content.empty()) {
    whole.set_tensor_content(content.data(), content.size());
  }
  return tensor->FromProto(whole)
             ? tensorflow::OkStatus()
             : InvalidArgument("its value is damaged, or memory is exhausted");
}

Status Builder::AddNode(NodeDef node, std::string_view content,
                        const MappedFile* file, size_t* mapped_bytes) {
  const OpDef* definition = nullptr;
  TF_RETURN_IF_ERROR(FindDefinition(node.op(), model_, &definition));
  AddDefaultsToNodeDef(*definition, &node);
  TF_RETURN_IF_ERROR(ValidateNodeDef(node, *definition));
  tensorflow::DataTypeVector inputs, outputs;
  TF_RETURN_IF_ERROR(InOutTypesForNode(node, *definition, &inputs, &outputs));
  BodyNode made;
  if (node.op() == "Const") {
    made.constant.emplace();
    TF_RETURN_IF_ERROR(
        ReadConstant(node, content, file, &*made.constant, mapped_bytes));
    node.mutable_attr()->erase("value");
  }
  const int index = static_cast<int>(body_.nodes.size());
  made.outputs = {static_cast<Slot>(body_.types.size()),
                  static_cast<int>(outputs.size())};
  body_.types.insert(body_.types.end(), outputs.begin(), outputs.end());
  body_.producers.insert(body_.producers.end(), outputs.size(), index);
  made.properties = std::make_shared<const NodeProperties>(
      definition, std::move(node), std::move(inputs), std::move(outputs));
  if (!nodes_.emplace(made.def().name(), index).second) {
    return InvalidArgument(
        StrCat("Node '", made.def().name(), "' is not unique"));
  }
  body_.nodes.push_back(std::move(made));
  return tensorflow::OkStatus();
}

std::string Builder::NameOf(Slot slot) const {
  const int producer = body_.producers[slot];
  if (producer == Body::kArgument) return StrCat("argument ", slot);
  const BodyNode& node = body_.nodes[producer];
  return StrCat(node.def().name(), ":", slot - node.outputs.first);
}

// "node", "node:1" in a graph; in a function "argument", "argument:1",
// "node:output", "node:output:1". Without an index it is the first tensor in a
// graph, and all tensors of the argument or output in a function.
Status Builder::Find(std::string_view input, bool is_function,
                     Slots* slots) const {
  const std::string_view name = input.substr(0, input.find(':'));
  std::string_view rest =
      name.size() == input.size() ? "" : input.substr(name.size() + 1);
  const Status unknown = InvalidArgument(
      StrCat("input '", std::string(input), "' does not exist"));
  const auto argument = arguments_.find(name);
  if (argument != arguments_.end()) {
    *slots = argument->second;
  } else {
    const int index = FindNode(name);
    if (index < 0) return unknown;
    const BodyNode& node = body_.nodes[index];
    *slots = node.outputs;
    if (is_function) {
      const std::string_view output = rest.substr(0, rest.find(':'));
      NameRangeMap outputs;
      TF_RETURN_IF_ERROR(NameRangesForNode(
          AttrSlice(node.def()), *node.properties->op_def, nullptr, &outputs));
      auto found = outputs.find(output);
      if (found == outputs.end()) return unknown;
      *slots = {node.outputs.first + found->second.first,
                found->second.second - found->second.first};
      rest = output.size() == rest.size() ? "" : rest.substr(output.size() + 1);
    }
  }
  if (is_function && rest.empty()) return tensorflow::OkStatus();
  int index = 0;
  if (!rest.empty() && !absl::SimpleAtoi(rest, &index)) return unknown;
  if (index < 0 || index >= slots->count) return unknown;
  *slots = {slots->first + index, 1};
  return tensorflow::OkStatus();
}

Status Builder::AddInput(Slots slots, BodyNode* node) const {
  const auto& types = node->properties->input_types;
  for (Slot slot = slots.first; slot < slots.first + slots.count; ++slot) {
    const size_t index = node->inputs.size();
    node->inputs.push_back(slot);
    if (index >= types.size()) continue;  // reported with their number
    if (TypesCompatible(types[index], body_.types[slot])) continue;
    return InvalidArgument(StrCat(
        "Input ", index, " of node ", node->def().name(), " was passed ",
        DataTypeString(body_.types[slot]), " from ", NameOf(slot),
        " incompatible with expected ", DataTypeString(types[index]), "."));
  }
  return tensorflow::OkStatus();
}

Status Builder::ResolveNode(bool is_function, BodyNode* node) const {
  for (const std::string& input : node->def().input()) {
    if (!input.empty() && input[0] == '^') {
      const std::string_view name = std::string_view(input).substr(1);
      if (arguments_.count(name) != 0) continue;
      const int control = FindNode(name);
      if (control < 0) {
        return InvalidArgument(StrCat("input '", input, "' does not exist"));
      }
      node->controls.push_back(control);
      continue;
    }
    Slots slots;
    TF_RETURN_IF_ERROR(Find(input, is_function, &slots));
    TF_RETURN_IF_ERROR(AddInput(slots, node));
  }
  const size_t count = node->properties->input_types.size();
  if (node->inputs.size() != count) {
    return InvalidArgument(StrCat("it has ", node->inputs.size(),
                                  " inputs, but its op ", node->op(), " needs ",
                                  count));
  }
  return tensorflow::OkStatus();
}

Status InNode(const std::string& name, const Status& status) {
  return status.ok() ? status
                     : Status(status.code(),
                              StrCat("node ", name, ": ", status.message()));
}

Status Builder::Resolve(bool is_function) {
  for (BodyNode& node : body_.nodes) {
    TF_RETURN_IF_ERROR(
        InNode(node.def().name(), ResolveNode(is_function, &node)));
  }
  return tensorflow::OkStatus();
}

// Replaces placeholders by the attributes of the function's call.
Status Substitute(const AttrValueMap& attrs, NodeDef* node) {
  for (auto& [name, value] : *node->mutable_attr()) {
    if (value.value_case() != tensorflow::AttrValue::kPlaceholder) continue;
    const auto found = attrs.find(value.placeholder());
    if (found == attrs.end()) {
      return InvalidArgument(StrCat("no value for the placeholder ",
                                    value.placeholder(), " of attribute ",
                                    name));
    }
    value = tensorflow::AttrValue(found->second);
  }
  return tensorflow::OkStatus();
}

// Sets the results of a function and the nodes that always run.
Status SetResults(const GraphFunction& function, const Builder& builder,
                  Body* body) {
  const std::map<std::string_view, std::string_view> results(
      function.results.begin(), function.results.end());
  for (const auto& arg : function.signature.output_arg()) {
    const auto found = results.find(arg.name());
    if (found == results.end()) {
      return InvalidArgument(StrCat("result ", arg.name(), " has no value"));
    }
    Slots slots;
    TF_RETURN_IF_ERROR(
        builder.Find(found->second, /*is_function=*/true, &slots));
    for (int i = 0; i < slots.count; ++i) {
      body->results.push_back(slots.first + i);
    }
  }
  for (const std::string& name : function.control_results) {
    const int index = builder.FindNode(name);
    if (index < 0) return InvalidArgument(StrCat("node ", name, " is missing"));
    body->roots.insert(index);
  }
  for (size_t i = 0; i < body->nodes.size(); ++i) {
    if (body->nodes[i].properties->op_def->is_stateful()) {
      body->roots.insert(static_cast<int>(i));
    }
  }
  return tensorflow::OkStatus();
}

bool HasLoops(const Body& body) {
  for (const BodyNode& node : body.nodes) {
    if (ActionOf(node.op()) == Action::kLoop) return true;
  }
  return false;
}

// Sets the names of a body whose inputs are resolved, and replaces its loops.
Status Finish(Body* body) {
  if (HasLoops(*body)) {
    return control_flow == nullptr ? NoControlFlow()
                                   : control_flow->raise_loops(body);
  }
  for (const BodyNode& node : body->nodes) {
    if (node.outputs.count > 0) body->names[node.def().name()] = node.outputs;
  }
  return CheckCycles(*body);
}

Status FillFunctionBody(const GraphModel& model, const GraphFunction& function,
                        const AttrValueMap& attrs, Body* body) {
  Builder builder(model, body);
  TF_RETURN_IF_ERROR(builder.AddArguments(function.signature, attrs));
  for (const NodeDef& node : function.nodes) {
    NodeDef copy = node;
    TF_RETURN_IF_ERROR(InNode(node.name(), Substitute(attrs, &copy)));
    TF_RETURN_IF_ERROR(InNode(
        node.name(), builder.AddNode(std::move(copy), "", nullptr, nullptr)));
  }
  TF_RETURN_IF_ERROR(builder.Resolve(/*is_function=*/true));
  TF_RETURN_IF_ERROR(SetResults(function, builder, body));
  return Finish(body);
}

}  // namespace

Status MakeGraphBody(GraphModel* model, const MappedFile* file, Body* body,
                     size_t* mapped_bytes) {
  Builder builder(*model, body);
  body->nodes.reserve(model->nodes.size());
  for (size_t i = 0; i < model->nodes.size(); ++i) {
    NodeDef& node = model->nodes[i];
    const std::string name = node.name();
    TF_RETURN_IF_ERROR(
        InNode(name, builder.AddNode(std::move(node), model->contents[i], file,
                                     mapped_bytes)));
  }
  model->nodes.clear();
  model->contents.clear();
  TF_RETURN_IF_ERROR(builder.Resolve(/*is_function=*/false));
  return Finish(body);
}

Slot FindSlot(const Body& body, std::string_view name) {
  const std::string_view node = name.substr(0, name.find(':'));
  const auto found = body.names.find(node);
  if (found == body.names.end()) return -1;
  int index = 0;
  if (node.size() < name.size() &&
      !absl::SimpleAtoi(name.substr(node.size() + 1), &index)) {
    return -1;
  }
  if (index < 0 || index >= found->second.count) return -1;
  return found->second.first + index;
}

Status MakeFunctionBody(const GraphModel& model, const GraphFunction& function,
                        const AttrValueMap& attrs, Body* body) {
  const Status status = FillFunctionBody(model, function, attrs, body);
  return status.ok() ? status
                     : Status(status.code(),
                              StrCat("function ", function.signature.name(),
                                     ": ", status.message()));
}

}  // namespace tfcarve
