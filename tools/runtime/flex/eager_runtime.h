// The parts of TensorFlow's eager runtime that TensorFlow Lite's Flex delegate
// uses.
//
// The delegate creates each op's kernel once and calls it. It needs a device, a
// step container and a resource manager, but none of the eager runtime's
// functions, rendezvous, optimizers and executors, and no options but the
// number of threads. This header precedes its sources; the guards keep out the
// three headers that declare these classes:
// tensorflow/core/common_runtime/eager/context.h,
// tensorflow/core/public/session_options.h and
// tensorflow/core/tfrt/fallback/op_kernel_runner.h.

#ifndef TFCARVE_TOOLS_RUNTIME_FLEX_EAGER_RUNTIME_H_
#define TFCARVE_TOOLS_RUNTIME_FLEX_EAGER_RUNTIME_H_

#define TENSORFLOW_CORE_COMMON_RUNTIME_EAGER_CONTEXT_H_
#define TENSORFLOW_CORE_PUBLIC_SESSION_OPTIONS_H_
#define TENSORFLOW_CORE_TFRT_FALLBACK_OP_KERNEL_RUNNER_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "tensorflow/core/framework/device.h"
#include "tensorflow/core/framework/node_def.pb.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/resource_mgr.h"
#include "tensorflow/core/lib/gtl/inlined_vector.h"
#include "tensorflow/core/platform/statusor.h"
#include "tensorflow/core/public/version.h"
#include "tools/runtime/engine/session_threads.h"

namespace tensorflow {

// The options that the delegate sets.
struct SessionOptions {
  struct Config {
    // The delegate runs one op at a time.
    void set_inter_op_parallelism_threads(int) {}
    void set_intra_op_parallelism_threads(int count) { threads = count; }

    int threads = 0;  // that compute parts of an op; 0: one per core
  };

  Config config;
};

// Stands where the delegate passes the runtime of functions, which a kernel
// would need to call one.
struct NoFunctions {};

// The CPU device with its resources, for the lifetime of an interpreter.
class EagerContext {
 public:
  // Returns an error if the number of threads is not valid.
  static StatusOr<std::unique_ptr<EagerContext>> Create(
      const SessionOptions& options);

  const NoFunctions* pflr() const { return &functions_; }
  // The delegate asks a manager of devices for this device.
  EagerContext* local_device_mgr() { return this; }
  Device* HostCPU() { return device_.get(); }
  ScopedStepContainer* StepContainer() { return &step_container_; }
  std::function<void(std::function<void()>)>* runner() { return &runner_; }

 private:
  explicit EagerContext(std::shared_ptr<tfcarve::SessionThreads> threads);

  const NoFunctions functions_{};
  const std::shared_ptr<tfcarve::SessionThreads> threads_;  // null: no others
  const std::unique_ptr<Device> device_;
  ScopedStepContainer step_container_;
  // Runs closures in the calling thread: the delegate runs one op at a time.
  std::function<void(std::function<void()>)> runner_;
};

namespace tfrt_stub {

// The kernel of one op.
class OpKernelRunner {
 public:
  // Creates the kernel of the op `op_name` on `device`. `attr_builder` sets the
  // node's attributes; the others get their defaults.
  static StatusOr<OpKernelRunner> Create(
      absl::string_view op_name, int num_args,
      const std::function<Status(AttrValueMap*)>& attr_builder,
      const NoFunctions&, Device* device);

  OpKernelRunner() = default;

  explicit operator bool() const { return kernel_ != nullptr; }
  void Run(OpKernelContext* context) const { kernel_->Compute(context); }
  OpKernel* op_kernel() const { return kernel_.get(); }
  FunctionLibraryRuntime* function_library_runtime() const { return nullptr; }
  absl::Span<const AllocatorAttributes> input_alloc_attrs() const {
    return input_alloc_attrs_;
  }
  absl::Span<const AllocatorAttributes> output_alloc_attrs() const {
    return output_alloc_attrs_;
  }

 private:
  explicit OpKernelRunner(std::unique_ptr<OpKernel> kernel);

  std::unique_ptr<OpKernel> kernel_;
  std::vector<AllocatorAttributes> input_alloc_attrs_;
  std::vector<AllocatorAttributes> output_alloc_attrs_;
};

// The inputs and parameters of a call.
struct OpKernelRunState {
  std::vector<TensorValue> input_tf_tensor_values;
  OpKernelContext::Params params;
  gtl::InlinedVector<Tensor, 4> input_tf_tensors;
};

}  // namespace tfrt_stub
}  // namespace tensorflow

#endif  // TFCARVE_TOOLS_RUNTIME_FLEX_EAGER_RUNTIME_H_
