#include "tools/runtime/api/session_device.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include "tensorflow/core/common_runtime/process_state.h"
#include "tensorflow/core/common_runtime/threadpool_device.h"
#include "tensorflow/core/framework/allocator.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/lib/core/refcount.h"
#include "tensorflow/core/platform/numa.h"
#include "tensorflow/core/platform/status.h"
#include "tools/runtime/api/run_control.h"

namespace tfcarve {
namespace {

using ::tensorflow::AsyncOpKernel;
using ::tensorflow::OpKernel;
using ::tensorflow::OpKernelContext;

constexpr char kName[] = "/job:localhost/replica:0/task:0/device:CPU:0";

tensorflow::Allocator* ProcessAllocator() {
  return tensorflow::ProcessState::singleton()->GetCPUAllocator(
      tensorflow::port::kNUMANoAffinity);
}

// Allocates at most `limit` bytes at a time. Tensors may outlive their session:
// each holds a reference.
class LimitedAllocator final : public tensorflow::Allocator,
                               public tensorflow::core::RefCounted {
 public:
  explicit LimitedAllocator(size_t limit) : limit_(limit) {}

  // Part of TensorFlow's message if memory is exhausted.
  std::string Name() override { return "of the session's memory_limit"; }

  void* AllocateRaw(size_t alignment, size_t size) override {
    const size_t offset = std::max(alignment, sizeof(Header));
    if (size > SIZE_MAX - offset || !Reserve(size)) return nullptr;
    void* const start = ProcessAllocator()->AllocateRaw(offset, size + offset);
    if (start == nullptr) {
      used_ -= size;
      return nullptr;
    }
    char* const data = static_cast<char*>(start) + offset;
    *HeaderOf(data) = {start, size};
    Ref();
    return data;
  }

  void DeallocateRaw(void* data) override {
    const Header header = *HeaderOf(data);
    ProcessAllocator()->DeallocateRaw(header.start);
    used_ -= header.size;
    Unref();
  }

 private:
  // In front of the data.
  struct alignas(16) Header {
    void* start;
    size_t size;
  };

  static Header* HeaderOf(void* data) { return static_cast<Header*>(data) - 1; }

  bool Reserve(size_t size) {
    size_t used = used_;
    do {
      if (size > limit_ - used) return false;
    } while (!used_.compare_exchange_weak(used, used + size));
    return true;
  }

  const size_t limit_;
  std::atomic<size_t> used_{0};  // at most limit_
};

using LimitedAllocatorPtr = tensorflow::core::RefCountPtr<LimitedAllocator>;

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
  return std::make_unique<SessionDevice>(
      options, LimitedAllocatorPtr(memory_limit == 0
                                       ? nullptr
                                       : new LimitedAllocator(memory_limit)));
}

}  // namespace tfcarve
