// Replaces TensorFlow's source of the same path if no collective op is
// selected: a session creates the manager only if the graph has collective ops
// or RunOptions name a collective_graph_key. Its executors run nothing: each
// call ends with a status.

#include "tensorflow/core/common_runtime/collective_executor_mgr.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "tensorflow/core/platform/errors.h"

namespace tensorflow {
namespace {

Status WithoutCollectives() {
  return errors::Unimplemented(
      "this library was carved without collective ops");
}

class NoCollectives final : public CollectiveExecutor {
 public:
  explicit NoCollectives(CollectiveExecutorMgrInterface* manager)
      : CollectiveExecutor(manager) {}

  void ExecuteAsync(OpKernelContext*, const CollectiveParams*,
                    const std::string&, StatusCallback done) override {
    done(WithoutCollectives());
  }

  void CompleteParamsAsync(const DeviceAttributes&, CollectiveParams*,
                           CancellationManager*, StatusCallback done) override {
    done(WithoutCollectives());
  }

  void CompleteGroupAsync(const DeviceAttributes&, CollGroupParams*,
                          CancellationManager*, StatusCallback done) override {
    done(WithoutCollectives());
  }

  Status LookupGroup(int32_t, CollGroupParams*) override {
    return WithoutCollectives();
  }

  void RunClosure(std::function<void()> closure) override { closure(); }
};

}  // namespace

CollectiveExecutorMgr::CollectiveExecutorMgr(
    const ConfigProto&, const DeviceMgr* devices,
    std::unique_ptr<DeviceResolverInterface> device_resolver,
    std::unique_ptr<ParamResolverInterface> param_resolver,
    std::unique_ptr<NcclCommunicatorInterface> nccl_communicator)
    : dev_mgr_(devices),
      dev_resolver_(std::move(device_resolver)),
      param_resolver_(std::move(param_resolver)),
      nccl_communicator_(std::move(nccl_communicator)) {}

CollectiveExecutorMgr::~CollectiveExecutorMgr() = default;

// The caller owns the executor. It has no state, so each call may create one.
CollectiveExecutor* CollectiveExecutorMgr::FindOrCreate(int64_t step_id) {
  return Create(step_id);
}

CollectiveExecutor* CollectiveExecutorMgr::Create(int64_t) {
  return new NoCollectives(this);
}

void CollectiveExecutorMgr::Cleanup(int64_t) {}

void CollectiveExecutorMgr::GetStepSequenceAsync(const GetStepSequenceRequest*,
                                                 GetStepSequenceResponse*,
                                                 const StatusCallback& done) {
  done(WithoutCollectives());
}

void CollectiveExecutorMgr::RefreshStepIdSequenceAsync(
    int64_t, const StatusCallback& done) {
  done(WithoutCollectives());
}

std::unique_ptr<CollectiveExecutorMgr> CreateProdLocalCollectiveExecutorMgr(
    const ConfigProto& config, const DeviceMgr* devices,
    std::unique_ptr<NcclCommunicatorInterface> nccl_communicator) {
  return std::make_unique<CollectiveExecutorMgr>(
      config, devices, /*dev_resolver=*/nullptr, /*param_resolver=*/nullptr,
      std::move(nccl_communicator));
}

}  // namespace tensorflow
