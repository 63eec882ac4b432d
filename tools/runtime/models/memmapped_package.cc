#include "tools/runtime/models/memmapped_package.h"

#include <cstdint>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tensorflow/core/framework/attr_value.pb.h"
#include "tensorflow/core/framework/node_def.pb.h"
#include "tensorflow/core/framework/tensor.pb.h"
#include "tools/runtime/models/graph_model.h"
#include "tools/runtime/models/wire_fields.h"

namespace tfcarve {
namespace {

using Bytes = std::string_view;

// The parts of a file, by their names.
using Regions = std::map<Bytes, Bytes>;

constexpr Bytes kPrefix = "memmapped_package://";
constexpr Bytes kGraph = "memmapped_package://.";

// The attributes of ImmutableConst; kType is also one of Const.
constexpr char kType[] = "dtype";
constexpr char kShape[] = "shape";
constexpr char kRegion[] = "memory_region_name";
constexpr char kValue[] = "value";

// Field numbers of memmapped_file_system.proto.
enum : uint32_t { kElement = 1, kOffset = 1, kName = 2, kLength = 3 };

// The size of the directory's offset, a little-endian number at the end of the
// file.
constexpr size_t kOffsetSize = 8;

// Finds the directory. Returns an empty text if the file has none.
Bytes FindDirectory(Bytes bytes) {
  if (bytes.size() <= kOffsetSize) return {};
  const size_t end = bytes.size() - kOffsetSize;
  uint64_t offset = 0;
  for (size_t i = kOffsetSize; i-- > 0;) {
    offset = offset << 8 | static_cast<unsigned char>(bytes[end + i]);
  }
  if (offset >= end) return {};
  const Bytes directory = bytes.substr(offset, end - offset);
  return absl::StrContains(directory, kPrefix) ? directory : Bytes();
}

// Whether the bytes can start with a field of a GraphDef. Field 3 is a number;
// all other fields are messages.
bool MayBeGraph(Bytes bytes) {
  return absl::StrContains("\x0a\x12\x18\x22\x2a", bytes.front());
}

struct Region {
  uint64_t offset = 0;
  Bytes name;
  uint64_t length = 0;
};

bool ParseElement(Bytes element, Region* region) {
  Fields fields(element);
  Field field;
  while (fields.Next(&field)) {
    if (field.number == kOffset && field.type == kVarint) {
      region->offset = NumberOf(field);
    } else if (field.number == kName && field.type == kBytes) {
      region->name = field.value;
    } else if (field.number == kLength && field.type == kVarint) {
      region->length = NumberOf(field);
    }
  }
  return !fields.damaged() && absl::StartsWith(region->name, kPrefix);
}

// Adds the regions of a directory. Returns an error or an empty text.
std::string AddRegions(Bytes bytes, Bytes directory, Regions* regions) {
  // TensorFlow's reader requires the order of the file, too.
  uint64_t start = 0;
  const uint64_t end = directory.data() - bytes.data();
  Fields fields(directory);
  Field field;
  while (fields.Next(&field)) {
    if (field.number != kElement || field.type != kBytes) continue;
    Region region;
    if (!ParseElement(field.value, &region)) return "its directory is damaged";
    if (region.length == 0 || region.offset > end ||
        region.length > end - region.offset) {
      return absl::StrCat("region ", region.name,
                          " is empty or outside of the file");
    }
    if (region.offset < start) {
      return absl::StrCat("region ", region.name, " overlaps the one before");
    }
    start = region.offset + region.length;
    const Bytes content = bytes.substr(region.offset, region.length);
    if (!regions->emplace(region.name, content).second) {
      return absl::StrCat("region ", region.name, " is there twice");
    }
  }
  return fields.damaged() ? "its directory is damaged" : "";
}

// Finds the regions of a file, and its graph. For a GraphDef, `regions` stays
// empty and `graph` becomes the whole file. Returns an error or an empty text.
std::string FindRegions(Bytes bytes, Regions* regions, Bytes* graph) {
  const Bytes directory = FindDirectory(bytes);
  if (directory.empty()) {
    *graph = bytes;
    return bytes.empty() || MayBeGraph(bytes)
               ? ""
               : "the file is neither a serialized GraphDef nor a whole file "
                 "in TensorFlow's memmapped format";
  }
  const std::string error = AddRegions(bytes, directory, regions);
  const auto found = regions->find(kGraph);
  if (error.empty() && found != regions->end()) {
    *graph = found->second;
    return "";
  }
  return absl::StrCat("the file is in TensorFlow's memmapped format: ",
                      error.empty() ? "it has no graph" : error);
}

// Turns a node into a Const without content. Returns the content, or an empty
// text if there is no region for the node.
Bytes RestoreConstant(const Regions& regions, tensorflow::NodeDef* node) {
  auto& attrs = *node->mutable_attr();
  const auto found = regions.find(attrs[kRegion].s());
  if (found == regions.end()) return {};
  node->set_op("Const");
  tensorflow::TensorProto& value = *attrs[kValue].mutable_tensor();
  value.Clear();
  value.set_dtype(attrs[kType].type());
  *value.mutable_tensor_shape() = attrs[kShape].shape();
  attrs.erase(kShape);
  attrs.erase(kRegion);
  return found->second;
}

}  // namespace

bool ReadPackage(Bytes bytes, GraphModel* model, std::string* error) {
  Regions regions;
  Bytes graph_bytes;
  *error = FindRegions(bytes, &regions, &graph_bytes);
  if (!error->empty()) return false;
  if (!ReadGraphModel(graph_bytes, model, error)) return false;
  if (regions.empty()) return true;
  for (size_t i = 0; i < model->nodes.size(); ++i) {
    tensorflow::NodeDef& node = model->nodes[i];
    if (node.op() != "ImmutableConst") continue;
    model->contents[i] = RestoreConstant(regions, &node);
    if (model->contents[i].empty()) {
      *error = absl::StrCat("node ", node.name(), ": the file has no region ",
                            node.attr().at(kRegion).s());
      return false;
    }
  }
  return true;
}

}  // namespace tfcarve
