#include "tools/runtime/session/session_device.h"

#include <string>
#include <utility>

#include "tensorflow/core/common_runtime/threadpool_device.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/platform/status.h"
#include "tools/runtime/engine/limited_allocator.h"
#include "tools/runtime/engine/run_control.h"

namespace tfcarve {
namespace {

using ::tensorflow::AsyncOpKernel;
using ::tensorflow::OpKernel;
using ::tensorflow::OpKernelContext;

constexpr char kName[] = "/job:localhost/replica:0/task:0/device:CPU:0";

class SessionDevice final : public tensorflow::ThreadPoolDevice {
 public:
  // `limited`: null without a limit.
  SessionDevice(const tensorflow::SessionOptions& options,
                LimitedAllocatorPtr limited)
      : ThreadPoolDevice(options, kName, tensorflow::Bytes(256 << 20),
                         tensorflow::DeviceLocality(), ProcessAllocator()),
        limited_(std::move(limited)) {}

  // For kernels. Constants of the graph come from the device's own allocator,
  // so that they do not count.
  tensorflow::Allocator* GetAllocator(
      tensorflow::AllocatorAttributes) override {
    return limited_ == nullptr ? ProcessAllocator() : limited_.get();
  }

  void Compute(OpKernel* kernel, OpKernelContext* context) override {
    const tensorflow::Status status = RunControl::CheckCurrent();
    if (TF_PREDICT_TRUE(status.ok())) {
      kernel->Compute(context);
    } else {
      context->SetStatus(status);
    }
  }

  void ComputeAsync(AsyncOpKernel* kernel, OpKernelContext* context,
                    AsyncOpKernel::DoneCallback done) override {
    const tensorflow::Status status = RunControl::CheckCurrent();
    if (TF_PREDICT_TRUE(status.ok())) {
      kernel->ComputeAsync(context, std::move(done));
    } else {
      context->SetStatus(status);
      done();
    }
  }

 private:
  const LimitedAllocatorPtr limited_;
};

}  // namespace

std::unique_ptr<tensorflow::Device> NewSessionDevice(
    const tensorflow::SessionOptions& options, size_t memory_limit) {
  return std::make_unique<SessionDevice>(options,
                                         NewLimitedAllocator(memory_limit));
}

}  // namespace tfcarve
