// Runs programs.

#ifndef TFCARVE_TOOLS_RUNTIME_PLAN_EXECUTE_H_
#define TFCARVE_TOOLS_RUNTIME_PLAN_EXECUTE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <vector>

#include "tensorflow/core/framework/cancellation.h"
#include "tensorflow/core/framework/device.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/resource_mgr.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/platform/status.h"
#include "tools/runtime/engine/trace.h"
#include "tools/runtime/plan/plan.h"

namespace tfcarve {

// What all steps of a run share.
class RunState {
 public:
  // `trace` is null if the run is not traced.
  RunState(tensorflow::Device* device, std::vector<NodeTrace>* trace);
  RunState(const RunState&) = delete;
  RunState& operator=(const RunState&) = delete;

  // Sets the parameters that are equal for all kernels.
  void Set(tensorflow::OpKernelContext::Params* params);
  std::vector<NodeTrace>* trace() const { return trace_; }
  // Whether the nodes whose values are known before the program runs are not
  // yet in the trace.
  bool TracesKnownNodesOf(const Program& program) {
    return trace_ != nullptr && traced_.insert(&program).second;
  }

 private:
  tensorflow::Device* const device_;
  std::vector<NodeTrace>* const trace_;
  std::set<const Program*> traced_;
  const int64_t step_;
  tensorflow::ScopedStepContainer container_;  // of the run's resources
  tensorflow::CancellationManager cancellation_;
  // Runs closures in the caller's thread.
  std::function<void(std::function<void()>)> runner_;
};

// The results of a program.
struct Results {
  std::vector<tensorflow::Tensor> tensors;
  // Whether a result has no value, because it is in a branch that was not
  // taken. Empty if all have values.
  std::vector<bool> absent;

  bool IsAbsent(size_t index) const { return !absent.empty() && absent[index]; }
};

// The arguments of a program, in the same form.
using Arguments = Results;

// Runs a program on `arguments`, which it moves from. Sets `results`, one for
// each result of the request.
tensorflow::Status Execute(const Program& program, Arguments arguments,
                           RunState* state, Results* results);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_PLAN_EXECUTE_H_
