// In place of TensorFlow's source of this name: composite devices, whose nodes
// it replicates, are made by eager execution alone.

#include "tensorflow/core/common_runtime/replicate_per_replica_nodes.h"

#include "tensorflow/core/platform/errors.h"

namespace tensorflow {

Status ReplicatePerReplicaNodesInFunctionGraph(
    const absl::flat_hash_map<string, const std::vector<string>*>&
        composite_devices,
    Graph*) {
  if (composite_devices.empty()) return OkStatus();
  return errors::Unimplemented("composite devices in a carved library");
}

}  // namespace tensorflow
