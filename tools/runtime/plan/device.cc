#define EIGEN_USE_THREADS

#include "tools/runtime/plan/device.h"

#include <functional>
#include <utility>

#include "tensorflow/core/framework/tensor_util.h"
#include "tensorflow/core/platform/errors.h"
#include "tensorflow/core/platform/threadpool.h"
#include "tools/runtime/engine/engine_factory.h"
#include "tools/runtime/engine/limited_allocator.h"
#include "tools/runtime/plan/run_memory.h"
#include "unsupported/Eigen/CXX11/Tensor"

namespace tfcarve {
namespace {

using ::tensorflow::Status;
using ::tensorflow::Tensor;
using ::tensorflow::thread::ThreadPoolInterface;

constexpr char kName[] = "/job:localhost/replica:0/task:0/device:CPU:0";

// Runs tasks at once.
class CallersThread final : public ThreadPoolInterface {
 public:
  void Schedule(std::function<void()> task) override { task(); }
  int NumThreads() const override { return 1; }
  int CurrentThreadId() const override { return -1; }
};

class PlanDevice final : public tensorflow::Device {
 public:
  PlanDevice(ThreadPoolInterface* threads, LimitedAllocatorPtr limited)
      : Device(environment_factory == nullptr ? nullptr : environment_factory(),
               Device::BuildDeviceAttributes(kName, tensorflow::DEVICE_CPU,
                                             tensorflow::Bytes(256 << 20),
                                             tensorflow::DeviceLocality())),
        pool_(threads == nullptr ? &callers_thread_ : threads),
        limited_(std::move(limited)) {
    workers_.num_threads = pool_.NumThreads();
    workers_.workers = &pool_;
    set_tensorflow_cpu_worker_threads(&workers_);
    Eigen::ThreadPoolDevice eigen(pool_.AsEigenThreadPool(),
                                  pool_.NumThreads());
    set_eigen_cpu_device(&eigen);
  }

  tensorflow::Allocator* GetAllocator(
      tensorflow::AllocatorAttributes) override {
    // The limit would count a plan's memory even where no run uses it.
    if (limited_ != nullptr) return limited_.get();
    return RunMemory::IsActive() ? run_allocator_.get() : ProcessAllocator();
  }

  Status Sync() override { return tensorflow::OkStatus(); }

  Status MakeTensorFromProto(const tensorflow::TensorProto& proto,
                             tensorflow::AllocatorAttributes,
                             Tensor* tensor) override {
    Tensor parsed;
    if (!parsed.FromProto(ProcessAllocator(), proto)) {
      return tensorflow::errors::InvalidArgument(
          "the value of a tensor is damaged, or memory is exhausted");
    }
    *tensor = std::move(parsed);
    return tensorflow::OkStatus();
  }

  void CopyTensorInSameDevice(const Tensor* input, Tensor* output,
                              const tensorflow::DeviceContext*,
                              tensorflow::StatusCallback done) override {
    tensorflow::tensor::DeepCopy(*input, output);
    done(tensorflow::OkStatus());
  }

 private:
  CallersThread callers_thread_;
  tensorflow::thread::ThreadPool pool_;
  CpuWorkerThreads workers_;
  const LimitedAllocatorPtr limited_;
  const tensorflow::core::RefCountPtr<RunAllocator> run_allocator_{
      new RunAllocator};
};

}  // namespace

std::unique_ptr<tensorflow::Device> NewPlanDevice(ThreadPoolInterface* threads,
                                                  size_t memory_limit) {
  return std::make_unique<PlanDevice>(threads,
                                      NewLimitedAllocator(memory_limit));
}

}  // namespace tfcarve
