// Graphs and functions that are ready to run: their kernels, and the order in
// which they run.
//
// A plan replaces TensorFlow's session: there is no Graph, placement, partition
// or executor. Ops run one after the other in the caller's thread; each op may
// use all threads of the session.

#ifndef TFCARVE_TOOLS_RUNTIME_PLAN_PLAN_H_
#define TFCARVE_TOOLS_RUNTIME_PLAN_PLAN_H_

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tensorflow/core/framework/device.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/platform/mutex.h"
#include "tensorflow/core/platform/status.h"
#include "tools/runtime/models/graph_model.h"
#include "tools/runtime/plan/actions.h"
#include "tools/runtime/plan/body.h"
#include "tools/runtime/plan/schedule.h"

namespace tfcarve {

class Functions;
class Plan;
struct Program;

// A step with what runs it.
struct Operation {
  Action action = Action::kKernel;
  tensorflow::OpKernel* kernel = nullptr;
  std::vector<const Program*> functions;
  const Loop* loop = nullptr;
};

// The steps that compute the results of a request.
struct Program {
  const Plan* plan = nullptr;
  Schedule schedule;
  std::vector<Operation> operations;  // of the steps
  // A second reference to each constant, so that no kernel reuses its memory.
  std::vector<tensorflow::Tensor> guards;
  // For the outputs of any kernel: on a CPU all are equal.
  std::vector<tensorflow::AllocatorAttributes> output_attributes;
};

// The body of a graph or a function, with the kernels that its programs share.
class Plan {
 public:
  // `functions` must outlive the plan.
  Plan(Body body, Functions* functions)
      : body_(std::move(body)), functions_(functions) {}

  const Body& body() const { return body_; }

  // Creates the program for a request. Runs nodes whose inputs are constant and
  // that have no side effect, if their results are not large.
  tensorflow::Status Prepare(const Request& request,
                             std::unique_ptr<const Program>* program);

 private:
  using Values = std::map<Slot, tensorflow::Tensor>;

  tensorflow::Status Prepare(int node, Operation* operation);
  tensorflow::Status PrepareKernel(int node, tensorflow::OpKernel** kernel);
  // Returns the value of a slot, or null.
  const tensorflow::Tensor* FindConstant(Slot slot, const Values& folded) const;
  // Computes the nodes that a request needs and that depend only on constants.
  void Fold(const Request& request, Values* folded);
  bool FoldNode(int node, const std::vector<tensorflow::Tensor>& inputs,
                std::vector<tensorflow::Tensor>* outputs);

  const Body body_;
  Functions* const functions_;
  std::map<int, std::unique_ptr<tensorflow::OpKernel>> kernels_;
};

// The functions and loops of a graph, prepared when a node that calls them is.
class Functions {
 public:
  // The model, without nodes, and the device must outlive this object.
  // `folding`: the device for constants, which do not count as memory of runs.
  Functions(const GraphModel& model, tensorflow::Device* device,
            tensorflow::Device* folding)
      : model_(model), device_(device), folding_(folding) {}

  tensorflow::Device* device() const { return device_; }
  tensorflow::Device* folding_device() const { return folding_; }
  const GraphModel& model() const { return model_; }

  // Prepares the function for a call with these attributes.
  tensorflow::Status Prepare(const std::string& name,
                             const tensorflow::AttrValueMap& attrs,
                             const Program** program);
  // Prepares the iterations of a loop. The loop must outlive this object.
  tensorflow::Status PrepareLoop(const Loop& loop, const Program** program);

 private:
  struct Function {
    std::unique_ptr<Plan> plan;
    std::unique_ptr<const Program> program;  // null while it is prepared
  };

  tensorflow::Status Make(const GraphFunction& function,
                          const tensorflow::AttrValueMap& attrs,
                          Function* made);

  const GraphModel& model_;
  tensorflow::Device* const device_;
  tensorflow::Device* const folding_;
  std::map<std::string, Function> functions_;  // by name and attributes
  std::map<const Loop*, Function> loops_;
  int depth_ = 0;  // of the functions that are prepared
};

// Returns the request for all that a function or a loop computes.
Request RequestOf(const Body& body);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_PLAN_PLAN_H_
