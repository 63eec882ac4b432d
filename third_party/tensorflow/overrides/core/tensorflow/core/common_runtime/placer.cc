// Replaces TensorFlow's source of the same path, which chooses among devices. A
// carved library only has CPU kernels: each node is placed on its requested
// device or on the default device. Colocated nodes are not moved to a common
// device; with several CPU devices, a graph that needs a common device is
// refused.

#include "tensorflow/core/common_runtime/placer.h"

#include <string>
#include <unordered_map>
#include <vector>

#include "absl/strings/strip.h"
#include "tensorflow/core/common_runtime/device.h"
#include "tensorflow/core/framework/node_def_util.h"
#include "tensorflow/core/graph/graph_node_util.h"
#include "tensorflow/core/platform/errors.h"
#include "tensorflow/core/platform/logging.h"
#include "tensorflow/core/util/device_name_utils.h"

namespace tensorflow {
namespace {

// Returns an error if a node is on another device than a node that it must be
// colocated with.
Status CheckColocation(const Graph& graph) {
  const std::unordered_map<std::string, Node*> nodes =
      graph.BuildNodeNameIndex();
  for (const Node* node : graph.op_nodes()) {
    std::vector<std::string> classes;
    TryGetNodeAttr(node->attrs(), kColocationAttrName, &classes);
    for (StringPiece other : classes) {
      if (!absl::ConsumePrefix(&other, kColocationGroupPrefix)) continue;
      const auto found = nodes.find(std::string(other));
      if (found == nodes.end()) continue;
      const std::string& device = found->second->assigned_device_name();
      if (device != node->assigned_device_name()) {
        return AttachDef(
            errors::InvalidArgument(
                node->name(), " is on ", node->assigned_device_name(),
                " and must be colocated with ", other, ", which is on ", device,
                ": this library does not move nodes; request the same "
                "device for both"),
            *node);
      }
    }
  }
  return OkStatus();
}

}  // namespace

Placer::Placer(Graph* graph, const string& function_name,
               const FunctionLibraryDefinition* flib_def,
               const DeviceSet* devices, const Device* default_local_device,
               bool allow_soft_placement, bool log_device_placement)
    : graph_(graph),
      function_name_(function_name),
      flib_def_(flib_def),
      devices_(devices),
      default_local_device_(default_local_device),
      allow_soft_placement_(allow_soft_placement),
      log_device_placement_(log_device_placement) {}

Placer::Placer(Graph* graph, const string& function_name,
               const FunctionLibraryDefinition* flib_def,
               const DeviceSet* devices, const Device* default_local_device)
    : Placer(graph, function_name, flib_def, devices, default_local_device,
             true, false) {}

Placer::Placer(Graph* graph, const string& function_name,
               const FunctionLibraryDefinition* flib_def,
               const DeviceSet* devices)
    : Placer(graph, function_name, flib_def, devices, nullptr, true, false) {}

Placer::~Placer() = default;

Status Placer::Run() { return Run(GraphOptimizationPassOptions()); }

Status Placer::Run(const GraphOptimizationPassOptions&) {
  if (devices_->devices().empty()) {
    return errors::FailedPrecondition("No devices are registered");
  }
  const Device* default_device = default_local_device_ != nullptr
                                     ? default_local_device_
                                     : devices_->devices().front();
  for (Node* node : graph_->op_nodes()) {
    if (node->has_assigned_device_name()) continue;
    const Device* chosen = default_device;
    if (!node->requested_device().empty()) {
      DeviceNameUtils::ParsedName requested;
      std::vector<Device*> matching;
      if (DeviceNameUtils::ParseFullName(node->requested_device(),
                                         &requested)) {
        devices_->FindMatchingDevices(requested, &matching);
      }
      if (!matching.empty()) {
        chosen = matching.front();
      } else if (!allow_soft_placement_) {
        return AttachDef(
            errors::InvalidArgument(
                "Cannot assign a device for operation ", node->name(),
                ": it requests ", node->requested_device(),
                ", and this library has ", default_device->name(),
                " (set allow_soft_placement to use it)"),
            *node);
      }
    }
    node->set_assigned_device_name(chosen->name());
    if (log_device_placement_) {
      LOG(INFO) << node->name() << ": (" << node->type_string()
                << "): " << chosen->name();
    }
  }
  // With one device, all nodes are on the same device.
  if (devices_->devices().size() == 1) return OkStatus();
  return CheckColocation(*graph_);
}

}  // namespace tensorflow
