// Replaces TensorFlow's source of the same path if no collective op is
// selected: a direct session creates the manager only for graphs with
// collective ops.

#include "tensorflow/core/common_runtime/collective_executor_mgr.h"

#include "tensorflow/core/platform/logging.h"

namespace tensorflow {

std::unique_ptr<CollectiveExecutorMgr> CreateProdLocalCollectiveExecutorMgr(
    const ConfigProto&, const DeviceMgr*,
    std::unique_ptr<NcclCommunicatorInterface>) {
  LOG(FATAL) << "this library was carved without collective ops, and the run "
                "options name a collective_graph_key";
  return nullptr;
}

}  // namespace tensorflow
