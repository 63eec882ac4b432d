// Replaces TensorFlow's source of the same path: only eager execution creates
// composite devices, whose nodes it replicates.

#include "tensorflow/core/common_runtime/replicate_per_replica_nodes.h"

#include "tensorflow/core/platform/errors.h"

namespace tensorflow {

Status ReplicatePerReplicaNodesInFunctionGraph(
    const absl::flat_hash_map<string, const std::vector<string>*>&
        composite_devices,
    Graph*) {
  if (composite_devices.empty()) return OkStatus();
  return errors::Unimplemented(
      "a carved library does not support composite devices");
}

}  // namespace tensorflow
