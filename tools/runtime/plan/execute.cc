#include "tools/runtime/plan/execute.h"

#include <atomic>
#include <string>
#include <utility>

#include "tensorflow/core/framework/node_def_util.h"
#include "tensorflow/core/platform/errors.h"
#include "tools/runtime/engine/run_control.h"
#include "tools/runtime/plan/control.h"
#include "tools/runtime/plan/tracing.h"

namespace tfcarve {
namespace {

using ::tensorflow::OpKernel;
using ::tensorflow::OpKernelContext;
using ::tensorflow::Status;
using ::tensorflow::Tensor;
using ::tensorflow::TensorValue;

// Step containers of a device have names with this number.
int64_t NextStep() {
  static std::atomic<int64_t> next{1};
  return next++;
}

Status NotFed(const tensorflow::NodeDef& node) {
  tensorflow::DataType type = tensorflow::DT_INVALID;
  TF_RETURN_IF_ERROR(GetNodeAttr(node, "dtype", &type));
  return AttachDef(tensorflow::errors::InvalidArgument(
                       "You must feed a value for placeholder tensor '",
                       node.name(), "' with dtype ", DataTypeString(type)),
                   node);
}

// Runs the steps of a program.
class Execution {
 public:
  Execution(const Program& program, RunState* state)
      : program_(program),
        schedule_(program.schedule),
        state_(*state),
        values_(schedule_.value_count) {
    state->Set(&params_);
    params_.output_attr_array = program.output_attributes.data();
  }

  Status Run(Arguments arguments, Results* results) {
    if (state_.TracesKnownNodesOf(program_)) TraceKnownNodes(arguments);
    for (size_t i = 0; i < arguments.tensors.size(); ++i) {
      values_[schedule_.arguments[i]] = std::move(arguments.tensors[i]);
    }
    if (schedule_.has_branches || !arguments.absent.empty()) {
      absent_.resize(schedule_.value_count);
      absent_steps_.resize(schedule_.steps.size());
      for (size_t i = 0; i < arguments.absent.size(); ++i) {
        absent_[schedule_.arguments[i]] = arguments.absent[i];
      }
    }
    for (size_t i = 0; i < schedule_.steps.size(); ++i) {
      TF_RETURN_IF_ERROR(RunControl::CheckCurrent());
      const Step& step = schedule_.steps[i];
      const Operation& operation = program_.operations[i];
      if (!absent_.empty() && IsAbsent(step, operation)) {
        Skip(step, i);
      } else {
        TF_RETURN_IF_ERROR(RunStep(step, operation));
      }
    }
    results->tensors.reserve(schedule_.results.size());
    for (const Use& use : schedule_.results) {
      if (!absent_.empty()) results->absent.push_back(IsAbsent(use));
      results->tensors.push_back(Take(use));
    }
    return tensorflow::OkStatus();
  }

 private:
  void TraceKnownNodes(const Arguments& arguments) {
    KnownNodes known(program_.plan->body());
    for (size_t i = 0; i < schedule_.constants.size(); ++i) {
      known.Add(schedule_.constant_slots[i], schedule_.constants[i]);
    }
    for (size_t i = 0; i < arguments.tensors.size(); ++i) {
      known.Add(schedule_.argument_slots[i], arguments.tensors[i]);
    }
    known.MoveTo(state_.trace());
  }

  const BodyNode& NodeOf(const Step& step) const {
    return program_.plan->body().nodes[step.node];
  }

  bool IsAbsent(const Use& use) const {
    return use.value >= 0 && absent_[use.value];
  }

  // Whether a step has no value: an input or a step before it has none. A Merge
  // has a value if one of its inputs has.
  bool IsAbsent(const Step& step, const Operation& operation) const {
    for (const int control : step.controls) {
      if (absent_steps_[control]) return true;
    }
    size_t count = 0;
    for (const Use& use : step.inputs) count += IsAbsent(use) ? 1 : 0;
    return operation.action == Action::kMerge ? count == step.inputs.size()
                                              : count > 0;
  }

  void Skip(const Step& step, size_t index) {
    absent_steps_[index] = true;
    const int count = NodeOf(step).outputs.count;
    for (int i = 0; i < count; ++i) absent_[step.first_output + i] = true;
    for (const Use& use : step.inputs) {
      if (use.is_last) values_[use.value] = Tensor();
    }
  }

  // The tensor of a use: moved if it is the last one.
  Tensor Take(const Use& use) {
    if (use.value < 0) return schedule_.constants[~use.value];
    return use.is_last ? std::move(values_[use.value]) : values_[use.value];
  }

  Status RunStep(const Step& step, const Operation& operation) {
    Status status;
    switch (operation.action) {
      case Action::kKernel:
        return RunKernel(step, operation);
      case Action::kNothing:
        return status;
      case Action::kConstant:
        values_[step.first_output] = *NodeOf(step).constant;
        break;
      case Action::kPlaceholder:
        status = NotFed(NodeOf(step).def());
        break;
      case Action::kForward:
        Forward(step);
        break;
      case Action::kSwitch:
        status = Switch(step);
        break;
      case Action::kMerge:
        Merge(step);
        break;
      default:
        status = Call(step, operation);
    }
    Drop(step);
    return status;
  }

  void Forward(const Step& step) {
    NodeTracer tracer(NodeOf(step), state_.trace());
    for (size_t i = 0; i < step.inputs.size(); ++i) {
      values_[step.first_output + i] = Take(step.inputs[i]);
    }
    tracer.End(nullptr, &values_[step.first_output],
               static_cast<int>(step.inputs.size()));
  }

  Status Switch(const Step& step) {
    const int count = NodeOf(step).outputs.count;
    const Tensor data = Take(step.inputs[0]);
    const Tensor choice = Take(step.inputs[1]);
    if (choice.dims() != 0) {
      return AttachDef(
          tensorflow::errors::InvalidArgument(
              "The second input must be a scalar, but it has shape ",
              choice.shape().DebugString()),
          NodeOf(step).def());
    }
    int taken = count - 1;  // an index outside of the outputs is the last one
    if (choice.dtype() == tensorflow::DT_BOOL) {
      taken = choice.scalar<bool>()() ? 1 : 0;
    } else if (const int32_t index = choice.scalar<int32_t>()();
               index >= 0 && index < count) {
      taken = index;
    }
    for (int i = 0; i < count; ++i) {
      absent_[step.first_output + i] = i != taken;
    }
    values_[step.first_output + taken] = data;
    return tensorflow::OkStatus();
  }

  void Merge(const Step& step) {
    for (size_t i = 0; i < step.inputs.size(); ++i) {
      Tensor input = Take(step.inputs[i]);
      if (!absent_.empty() && IsAbsent(step.inputs[i])) continue;
      values_[step.first_output] = std::move(input);
      values_[step.first_output + 1] = Tensor(static_cast<int32_t>(i));
    }
  }

  Status Call(const Step& step, const Operation& operation) {
    std::vector<Tensor> inputs;
    inputs.reserve(step.inputs.size());
    for (const Use& use : step.inputs) inputs.push_back(Take(use));
    Results outputs;
    const Status status =
        control_flow->execute(operation, std::move(inputs), &state_, &outputs);
    if (!status.ok()) {
      return operation.loop != nullptr ? status
                                       : AttachDef(status, NodeOf(step).def());
    }
    for (size_t i = 0; i < outputs.tensors.size(); ++i) {
      values_[step.first_output + i] = std::move(outputs.tensors[i]);
      if (!absent_.empty()) {
        absent_[step.first_output + i] = outputs.IsAbsent(i);
      }
    }
    return tensorflow::OkStatus();
  }

  Status RunKernel(const Step& step, const Operation& operation) {
    NodeTracer tracer(NodeOf(step), state_.trace());
    SetInputs(step);
    params_.op_kernel = operation.kernel;
    params_.inputs = inputs_;
    OpKernelContext context(&params_);
    operation.kernel->Compute(&context);
    Status status = context.status();
    if (TF_PREDICT_TRUE(status.ok())) {
      status = TakeOutputs(step, *operation.kernel, &context);
    }
    tracer.End(&context, &values_[step.first_output],
               status.ok() ? operation.kernel->num_outputs() : 0);
    for (const Use& use : step.inputs) {
      if (use.is_last) values_[use.value] = Tensor();
    }
    copies_.clear();
    Drop(step);
    return TF_PREDICT_TRUE(status.ok())
               ? status
               : AttachDef(status, operation.kernel->def());
  }

  // A kernel may reuse the memory of an input that has a single reference. A
  // tensor that is used later, or by another input, gets a second one.
  void SetInputs(const Step& step) {
    inputs_.clear();
    copies_.reserve(step.inputs.size());
    for (const Use& use : step.inputs) {
      if (use.value < 0) {
        inputs_.emplace_back(
            const_cast<Tensor*>(&schedule_.constants[~use.value]));
      } else if (use.is_last) {
        inputs_.emplace_back(&values_[use.value]);
      } else {
        copies_.push_back(values_[use.value]);
        inputs_.emplace_back(&copies_.back());
      }
    }
  }

  Status TakeOutputs(const Step& step, const OpKernel& kernel,
                     OpKernelContext* context) {
    for (int i = 0; i < kernel.num_outputs(); ++i) {
      const TensorValue output = context->release_output(i);
      if (output.tensor == nullptr) {
        return tensorflow::errors::Internal("Missing ", i, "-th output");
      }
      values_[step.first_output + i] = std::move(*output.tensor);
      delete output.tensor;
      if (values_[step.first_output + i].dtype() != kernel.output_type(i)) {
        return tensorflow::errors::Internal(
            "output ", i, " does not have the type ",
            DataTypeString(kernel.output_type(i)));
      }
    }
    return tensorflow::OkStatus();
  }

  void Drop(const Step& step) {
    for (const int value : step.unused) values_[value] = Tensor();
  }

  const Program& program_;
  const Schedule& schedule_;
  RunState& state_;
  std::vector<Tensor> values_;
  // Whether a value or step is absent, because it is in a branch that was not
  // taken; empty if all are present.
  std::vector<bool> absent_;
  std::vector<bool> absent_steps_;
  OpKernelContext::Params params_;
  tensorflow::gtl::InlinedVector<TensorValue, 8> inputs_;
  std::vector<Tensor> copies_;
};

}  // namespace

RunState::RunState(tensorflow::Device* device, std::vector<NodeTrace>* trace)
    : device_(device),
      trace_(trace),
      step_(NextStep()),
      container_(step_,
                 [device](const std::string& name) {
                   device->resource_manager()->Cleanup(name).IgnoreError();
                 }),
      runner_([](const std::function<void()>& closure) { closure(); }) {}

void RunState::Set(OpKernelContext::Params* params) {
  params->step_id = step_;
  params->device = device_;
  params->resource_manager = device_->resource_manager();
  params->step_container = &container_;
  params->cancellation_manager = &cancellation_;
  params->runner = &runner_;
  params->track_allocations = trace_ != nullptr;
  params->run_all_kernels_inline = true;
}

Status Execute(const Program& program, Arguments arguments, RunState* state,
               Results* results) {
  return Execution(program, state).Run(std::move(arguments), results);
}

}  // namespace tfcarve
