#include "tools/runtime/models/graph_model.h"

#include <cstdint>

#include "tensorflow/core/platform/strcat.h"
#include "tools/runtime/models/wire_fields.h"

namespace tfcarve {
namespace {

using ::tensorflow::NodeDef;

using Bytes = std::string_view;

// Field numbers of graph.proto, versions.proto, function.proto, node_def.proto,
// attr_value.proto and tensor.proto. An entry of a map has its key in field 1,
// its value in field 2.
enum : uint32_t {
  kGraphNode = 1,
  kGraphLibrary = 2,
  kGraphVersions = 4,
  kLibraryFunction = 1,
  kFunctionSignature = 1,
  kFunctionNode = 3,
  kFunctionResult = 4,
  kFunctionControlResult = 6,
  kVersionsProducer = 1,
  kVersionsMinConsumer = 2,
  kNodeOp = 2,
  kNodeAttr = 5,
  kEntryKey = 1,
  kEntryValue = 2,
  kAttrTensor = 8,
  kTensorContent = 4,
};

// Finds the field `number`, of type kBytes. Returns false unless the message
// has exactly one such field and, when `alone`, no other.
bool FindOne(Bytes message, uint32_t number, bool alone, Bytes* value) {
  Fields fields(message);
  Field field;
  int found = 0;
  while (fields.Next(&field)) {
    if (field.number == number && field.type == kBytes) {
      ++found;
      *value = field.value;
    } else if (alone || field.number == number) {
      return false;
    }
  }
  return found == 1 && !fields.damaged();
}

// Returns the encoded size of a field of type kBytes with `size` bytes.
size_t FieldSize(size_t size) {
  size_t length = 2;
  for (size_t left = size; left > 0x7f; left >>= 7) ++length;
  return length + size;
}

// Appends the tag and the length of a field of type kBytes with `size` bytes.
void AppendHead(uint32_t number, size_t size, std::string* message) {
  message->push_back(static_cast<char>(number << 3 | kBytes));
  for (; size > 0x7f; size >>= 7) {
    message->push_back(static_cast<char>((size & 0x7f) | 0x80));
  }
  message->push_back(static_cast<char>(size));
}

// The location of a node's large constant, from the outside in.
struct Place {
  Bytes entry;  // of NodeDef.attr, with its tag
  Bytes attr;
  Bytes tensor;
  Bytes content;
  size_t rest = 0;  // the size of the tensor without its content
};

// Finds the content of a TensorProto: the last one if there are several.
bool FindContent(Bytes tensor, Place* place) {
  Fields fields(tensor);
  Field field;
  while (fields.Next(&field)) {
    if (field.number != kTensorContent) {
      place->rest += field.whole.size();
    } else if (field.type == kBytes) {
      place->content = field.value;
    } else {
      return false;
    }
  }
  return !fields.damaged();
}

// Returns whether the node is a Const whose content is to be removed. Sets
// `damaged` if it is not a valid message.
bool FindConstant(Bytes node, Place* place, bool* damaged) {
  Fields fields(node);
  Field field;
  Bytes op, entry, key;
  int values = 0;
  bool is_usual = true;
  while (fields.Next(&field)) {
    if (field.type != kBytes) continue;
    if (field.number == kNodeOp) op = field.value;
    if (field.number != kNodeAttr) continue;
    is_usual =
        FindOne(field.value, kEntryKey, /*alone=*/false, &key) && is_usual;
    if (key != "value") continue;
    ++values;
    entry = field.value;
    place->entry = field.whole;
  }
  *damaged = fields.damaged();
  return !*damaged && op == "Const" && is_usual && values == 1 &&
         FindOne(entry, kEntryValue, /*alone=*/false, &place->attr) &&
         FindOne(place->attr, kAttrTensor, /*alone=*/true, &place->tensor) &&
         FindContent(place->tensor, place) &&
         place->content.size() >= kLargeConstant;
}

// Returns a serialized NodeDef without the content at `place`.
std::string WithoutContent(Bytes node, const Place& place) {
  constexpr Bytes kKeyField = "\x0a\x05value";
  const size_t attr = FieldSize(place.rest);
  const size_t entry = kKeyField.size() + FieldSize(attr);
  const size_t before = place.entry.data() - node.data();
  const Bytes after = node.substr(before + place.entry.size());
  std::string text(node.substr(0, before));
  AppendHead(kNodeAttr, entry, &text);
  text.append(kKeyField);
  AppendHead(kEntryValue, attr, &text);
  AppendHead(kAttrTensor, place.rest, &text);
  Fields fields(place.tensor);
  Field field;
  while (fields.Next(&field)) {
    if (field.number != kTensorContent) text.append(field.whole);
  }
  text.append(after);
  return text;
}

bool Parse(Bytes bytes, google::protobuf::MessageLite* message) {
  return message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

// Reads a node of the graph. Returns false if it is not a NodeDef.
bool ReadNode(Bytes bytes, GraphModel* model) {
  model->nodes.emplace_back();
  model->contents.emplace_back();
  NodeDef& node = model->nodes.back();
  Place place;
  bool damaged = false;
  if (!FindConstant(bytes, &place, &damaged)) {
    return !damaged && Parse(bytes, &node);
  }
  model->contents.back() = place.content;
  return node.ParseFromString(WithoutContent(bytes, place));
}

// Reads an entry of a map of strings.
bool ReadEntry(Bytes bytes, std::pair<std::string, std::string>* entry) {
  Fields fields(bytes);
  Field field;
  while (fields.Next(&field)) {
    if (field.type != kBytes) continue;
    if (field.number == kEntryKey) entry->first = std::string(field.value);
    if (field.number == kEntryValue) entry->second = std::string(field.value);
  }
  return !fields.damaged();
}

bool ReadFunction(Bytes bytes, GraphFunction* function) {
  Fields fields(bytes);
  Field field;
  bool good = true;
  while (good && fields.Next(&field)) {
    if (field.type != kBytes) continue;
    std::pair<std::string, std::string> entry;
    switch (field.number) {
      case kFunctionSignature:
        good = Parse(field.value, &function->signature);
        break;
      case kFunctionNode:
        function->nodes.emplace_back();
        good = Parse(field.value, &function->nodes.back());
        break;
      case kFunctionResult:
        good = ReadEntry(field.value, &entry);
        function->results.push_back(std::move(entry));
        break;
      case kFunctionControlResult:
        good = ReadEntry(field.value, &entry);
        function->control_results.push_back(std::move(entry.second));
        break;
      default:
        break;
    }
  }
  return good && !fields.damaged();
}

bool ReadLibrary(Bytes bytes, GraphModel* model) {
  Fields fields(bytes);
  Field field;
  while (fields.Next(&field)) {
    if (field.number != kLibraryFunction || field.type != kBytes) continue;
    model->functions.emplace_back();
    GraphFunction& function = model->functions.back();
    if (!ReadFunction(field.value, &function)) return false;
    model->function_indices.emplace(function.signature.name(),
                                    model->functions.size() - 1);
  }
  return !fields.damaged();
}

bool ReadVersions(Bytes bytes, GraphModel* model) {
  Fields fields(bytes);
  Field field;
  while (fields.Next(&field)) {
    if (field.type != kVarint) continue;
    if (field.number == kVersionsProducer) {
      model->producer = static_cast<int32_t>(NumberOf(field));
    } else if (field.number == kVersionsMinConsumer) {
      model->min_consumer = static_cast<int32_t>(NumberOf(field));
    }
  }
  return !fields.damaged();
}

bool ReadField(const Field& field, GraphModel* model) {
  const bool is_message = field.type == kBytes;
  if (field.number == kGraphNode && is_message) {
    return ReadNode(field.value, model);
  }
  model->rest.append(field.whole);
  if (field.number == kGraphLibrary && is_message) {
    return ReadLibrary(field.value, model);
  }
  if (field.number == kGraphVersions && is_message) {
    return ReadVersions(field.value, model);
  }
  return true;
}

}  // namespace

bool ReadGraphModel(Bytes bytes, GraphModel* model, std::string* error) {
  Fields fields(bytes);
  Field field;
  while (fields.Next(&field)) {
    if (ReadField(field, model)) continue;
    *error = tensorflow::strings::StrCat(
        "the graph is not a serialized GraphDef: it is damaged near byte ",
        field.whole.data() - bytes.data());
    return false;
  }
  if (!fields.damaged()) return true;
  *error = tensorflow::strings::StrCat(
      "the graph is not a serialized GraphDef: it is damaged or truncated near "
      "byte ",
      fields.at() - bytes.data());
  return false;
}

}  // namespace tfcarve
