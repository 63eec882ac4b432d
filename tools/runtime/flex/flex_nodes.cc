#include "tools/runtime/flex/flex_nodes.h"

#include <cstring>
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

}  // namespace

std::string ReadFlexNodes(TfLiteContext* context, tensorflow::GraphDef* graph) {
  TfLiteIntArray* plan = nullptr;
  if (context->GetExecutionPlan(context, &plan) != kTfLiteOk) {
    return "the interpreter has no execution plan";
  }
  for (const int index : tflite::TfLiteIntArrayView(plan)) {
    TfLiteNode* node = nullptr;
    TfLiteRegistration* registration = nullptr;
    if (context->GetNodeAndRegistration(context, index, &node, &registration) !=
        kTfLiteOk) {
      return "the interpreter has no node " + std::to_string(index);
    }
    if (registration->builtin_code != kTfLiteBuiltinCustom ||
        !tflite::IsFlexOp(registration->custom_name)) {
      continue;
    }
    const std::string name =
        registration->custom_name + strlen(tflite::kFlexCustomCodePrefix);
    std::string op;
    std::string bytes;
    if (!ReadOptions(*node, &op, &bytes) || op != name) {
      return "node " + std::to_string(index) + " (Flex" + name +
             "): its data do not name the op: the model is damaged, or the "
             "interpreter's structures are not those of TensorFlow Lite 2.14";
    }
    tensorflow::NodeDef* def = graph->add_node();
    if (!def->ParseFromString(bytes)) {
      return "node " + std::to_string(index) + " (Flex" + name +
             "): its NodeDef is damaged";
    }
    if (def->name().empty()) def->set_name(std::to_string(index));
  }
  return "";
}

}  // namespace tfcarve
