#include "tools/runtime/models/graph_reader.h"

#include <cstdint>

#include "tensorflow/core/platform/strcat.h"
#include "tools/runtime/models/wire_fields.h"

namespace tfcarve {
namespace {

using Bytes = std::string_view;

// Field numbers of graph.proto, node_def.proto, attr_value.proto and
// tensor.proto. An entry of a map has its key in field 1, its value in field 2.
enum : uint32_t {
  kGraphNode = 1,
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

// Appends a node's field of a GraphDef without the content at `place`.
void AppendWithoutContent(Bytes node, const Place& place, std::string* graph) {
  constexpr Bytes kKeyField = "\x0a\x05value";
  const size_t attr = FieldSize(place.rest);
  const size_t entry = kKeyField.size() + FieldSize(attr);
  const size_t before = place.entry.data() - node.data();
  const Bytes after = node.substr(before + place.entry.size());
  AppendHead(kGraphNode, before + FieldSize(entry) + after.size(), graph);
  graph->append(node.substr(0, before));
  AppendHead(kNodeAttr, entry, graph);
  graph->append(kKeyField);
  AppendHead(kEntryValue, attr, graph);
  AppendHead(kAttrTensor, place.rest, graph);
  Fields fields(place.tensor);
  Field field;
  while (fields.Next(&field)) {
    if (field.number != kTensorContent) graph->append(field.whole);
  }
  graph->append(after);
}

}  // namespace

bool SplitGraphDef(Bytes bytes, SplitGraph* split, std::string* error) {
  Fields fields(bytes);
  Field field;
  bool damaged = false;
  while (!damaged && fields.Next(&field)) {
    Place place;
    if (field.number != kGraphNode || field.type != kBytes) {
      split->graph.append(field.whole);
    } else if (FindConstant(field.value, &place, &damaged)) {
      split->contents.push_back(place.content);
      AppendWithoutContent(field.value, place, &split->graph);
    } else {
      split->contents.emplace_back();
      split->graph.append(field.whole);
    }
  }
  if (!damaged && !fields.damaged()) return true;
  const char* at = damaged ? field.whole.data() : fields.at();
  *error = tensorflow::strings::StrCat(
      "the graph is not a serialized GraphDef: it is damaged or truncated near "
      "byte ",
      at - bytes.data());
  return false;
}

}  // namespace tfcarve
