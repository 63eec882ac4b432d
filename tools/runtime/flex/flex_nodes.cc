#include "tools/runtime/flex/flex_nodes.h"

#include <cstddef>
#include <cstring>
#include <set>
#include <string>

#include "flatbuffers/flexbuffers.h"
#include "tensorflow/lite/builtin_ops.h"
#include "tensorflow/lite/context_util.h"
#include "tensorflow/lite/util.h"

namespace tfcarve {
namespace {

// Returns the NodeDef's bytes in a Flex op's data: a FlexBuffer of the op's
// name and its NodeDef. Returns false if it is damaged.
bool ReadOptions(const TfLiteNode& node, std::string* op, std::string* bytes) {
  const auto* data = static_cast<const uint8_t*>(node.custom_initial_data);
  const int size = node.custom_initial_data_size;
  if (data == nullptr || size < 3) return false;
  if (!flexbuffers::VerifyBuffer(data, size)) return false;
  const flexbuffers::Reference root = flexbuffers::GetRoot(data, size);
  if (!root.IsAnyVector()) return false;
  const flexbuffers::Vector strings = root.AsVector();
  if (strings.size() < 2) return false;
  *op = strings[0].AsString().str();
  *bytes = strings[1].AsString().str();
  return true;
}

// More than any release has, so that an interpreter may be newer.
constexpr int32_t kBuiltinCodes = 1024;

std::string UnknownStructures(const std::string& what) {
  return "the interpreter's structures differ from TensorFlow Lite 2.14's: " +
         what;
}

std::string NodeName(int index) { return "node " + std::to_string(index); }

// Returns the fault of the members of a context that the delegate uses; empty
// if there is none.
std::string ContextError(const TfLiteContext& context) {
  if (context.GetExecutionPlan == nullptr ||
      context.GetNodeAndRegistration == nullptr ||
      context.ReplaceNodeSubsetsWithDelegateKernels == nullptr ||
      context.ResizeTensor == nullptr) {
    return "a function is missing";
  }
  return context.tensors == nullptr && context.tensors_size != 0
             ? "there are no tensors"
             : "";
}

// Returns the fault of the tensors of a node; empty if there is none.
std::string TensorsError(const TfLiteContext& context,
                         const TfLiteIntArray* indices, int lowest) {
  if (indices == nullptr || indices->size < 0) return "it has no tensors";
  for (const int index : tflite::TfLiteIntArrayView(indices)) {
    if (index < lowest ||
        (index >= 0 && static_cast<size_t>(index) >= context.tensors_size)) {
      return "there is no tensor " + std::to_string(index);
    }
    if (index < 0) continue;
    const int type = context.tensors[index].type;
    if (type < kTfLiteNoType || type > kTfLiteInt4) {
      return "tensor " + std::to_string(index) + " has the unknown type " +
             std::to_string(type);
    }
  }
  return "";
}

// A node of the execution plan.
struct PlannedNode {
  TfLiteNode* node = nullptr;
  TfLiteRegistration* registration = nullptr;
};

// Returns why a node cannot be read; empty if it can.
std::string ReadNode(TfLiteContext* context, int index, PlannedNode* found) {
  if (context->GetNodeAndRegistration(context, index, &found->node,
                                      &found->registration) != kTfLiteOk) {
    return "the interpreter has no " + NodeName(index);
  }
  if (found->node == nullptr || found->registration == nullptr) {
    return UnknownStructures(NodeName(index) + " is missing");
  }
  const int32_t code = found->registration->builtin_code;
  if (code < 0 || code >= kBuiltinCodes) {
    return UnknownStructures(NodeName(index) + " has the unknown op " +
                             std::to_string(code));
  }
  return "";
}

bool IsFlexNode(const TfLiteRegistration& registration) {
  return registration.builtin_code == kTfLiteBuiltinCustom &&
         tflite::IsFlexOp(registration.custom_name);
}

// Adds the NodeDef of a Flex op to the model. Returns why it cannot; empty if
// it can.
std::string AddFlexNode(const TfLiteContext& context, int index,
                        const PlannedNode& planned, GraphModel* model) {
  const std::string name =
      planned.registration->custom_name + strlen(tflite::kFlexCustomCodePrefix);
  const std::string prefix = NodeName(index) + " (Flex" + name + "): ";
  std::string op;
  std::string bytes;
  if (!ReadOptions(*planned.node, &op, &bytes) || op != name) {
    return prefix +
           "its data do not name the op: the model is damaged, or the "
           "interpreter's structures differ from TensorFlow Lite 2.14's";
  }
  std::string problem =
      TensorsError(context, planned.node->inputs, kTfLiteOptionalTensor);
  if (problem.empty()) {
    problem = TensorsError(context, planned.node->outputs, 0);
  }
  if (!problem.empty()) return UnknownStructures(prefix + problem);
  tensorflow::NodeDef& node = model->nodes.emplace_back();
  if (!node.ParseFromString(bytes) || node.op() != op) {
    return prefix + "its NodeDef is damaged";
  }
  if (node.name().empty()) node.set_name(std::to_string(index));
  return "";
}

}  // namespace

std::string ReadFlexNodes(TfLiteContext* context, GraphModel* model) {
  std::string problem = ContextError(*context);
  if (!problem.empty()) return UnknownStructures(problem);
  TfLiteIntArray* plan = nullptr;
  if (context->GetExecutionPlan(context, &plan) != kTfLiteOk) {
    return "the interpreter has no execution plan";
  }
  if (plan == nullptr || plan->size < 0) {
    return UnknownStructures("the execution plan has no nodes");
  }
  std::set<int> indices;
  for (const int index : tflite::TfLiteIntArrayView(plan)) {
    if (index < 0 || !indices.insert(index).second) {
      return UnknownStructures("the execution plan has " + NodeName(index) +
                               (index < 0 ? "" : " twice"));
    }
    PlannedNode planned;
    problem = ReadNode(context, index, &planned);
    if (problem.empty() && IsFlexNode(*planned.registration)) {
      problem = AddFlexNode(*context, index, planned, model);
    }
    if (!problem.empty()) return problem;
  }
  return "";
}

}  // namespace tfcarve
