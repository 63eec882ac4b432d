#include "tools/runtime/plan/plan.h"

#include <cstdint>

#include "tensorflow/core/framework/attr_value.pb.h"
#include "tensorflow/core/framework/node_def_util.h"
#include "tensorflow/core/platform/errors.h"
#include "tensorflow/core/platform/strcat.h"
#include "tools/runtime/plan/control.h"
#include "tools/runtime/plan/execute.h"

namespace tfcarve {
namespace {

using ::tensorflow::AttrValueMap;
using ::tensorflow::OpKernel;
using ::tensorflow::Status;
using ::tensorflow::Tensor;
using ::tensorflow::errors::InvalidArgument;
using ::tensorflow::strings::StrCat;

// A larger result of constant nodes is computed in each run, as by TensorFlow's
// constant folding.
constexpr int64_t kLargestFolded = 10 << 20;

// Preparing and running functions takes stack memory for each level.
constexpr int kMaxNestedFunctions = 200;

}  // namespace

Status Plan::PrepareKernel(int node, OpKernel** kernel) {
  std::unique_ptr<OpKernel>& made = kernels_[node];
  if (made == nullptr) {
    OpKernel* created = nullptr;
    tensorflow::Device* const device = functions_->device();
    TF_RETURN_IF_ERROR(
        CreateOpKernel(tensorflow::DeviceType(tensorflow::DEVICE_CPU), device,
                       functions_->folding_device()->GetAllocator({}), nullptr,
                       device->resource_manager(), body_.nodes[node].properties,
                       functions_->model().producer, &created));
    made.reset(created);
  }
  *kernel = made.get();
  return tensorflow::OkStatus();
}

Status Plan::Prepare(int node, Operation* operation) {
  const BodyNode& at = body_.nodes[node];
  Status status;
  if (at.loop != nullptr || IsControlFlow(ActionOf(at.op())) ||
      functions_->model().FindFunction(at.op()) != nullptr) {
    status = control_flow == nullptr
                 ? NoControlFlow()
                 : control_flow->prepare(at, functions_, operation);
  } else {
    operation->action = ActionOf(at.op());
    if (operation->action == Action::kKernel) {
      status = PrepareKernel(node, &operation->kernel);
    }
  }
  return status.ok() || at.loop != nullptr ? status
                                           : AttachDef(status, at.def());
}

bool Plan::FoldNode(int node, const std::vector<Tensor>& inputs,
                    std::vector<Tensor>* outputs) {
  const BodyNode& at = body_.nodes[node];
  Program program;
  program.plan = this;
  Step step{node, {}, 0, {}};
  for (size_t i = 0; i < inputs.size(); ++i) {
    step.inputs.push_back({~static_cast<int>(i), false});
  }
  Operation operation;
  // An error is reported when the node runs.
  const bool is_new = kernels_.count(node) == 0;
  if (!Prepare(node, &operation).ok()) return false;
  if (operation.action != Action::kKernel &&
      operation.action != Action::kForward) {
    return false;
  }
  Schedule& schedule = program.schedule;
  schedule.constants = inputs;
  schedule.steps.push_back(std::move(step));
  schedule.value_count = at.outputs.count;
  for (int i = 0; i < at.outputs.count; ++i) {
    schedule.results.push_back({i, true});
  }
  program.operations.push_back(std::move(operation));
  program.output_attributes.resize(at.outputs.count);
  RunState state(functions_->folding_device(), nullptr);
  Results results;
  const Status status = Execute(program, {}, &state, &results);
  *outputs = std::move(results.tensors);
  if (is_new) kernels_.erase(node);
  if (!status.ok()) return false;
  int64_t size = 0;
  for (const Tensor& output : *outputs) {
    if (!output.IsInitialized()) return false;
    size += static_cast<int64_t>(output.TotalBytes());
  }
  return size <= kLargestFolded;
}

void Plan::Fold(const Request& request, Values* folded) {
  const Schedule schedule = MakeSchedule(
      body_, request, [this](Slot slot) { return FindConstant(slot, {}); });
  // The nodes that run in each run: an earlier one may be a control input.
  std::set<int> kept;
  std::map<int, Tensor> values;
  for (const Step& step : schedule.steps) {
    const BodyNode& node = body_.nodes[step.node];
    std::vector<Tensor> inputs;
    for (const Use& use : step.inputs) {
      const auto found = values.find(use.value);
      if (use.value < 0) {
        inputs.push_back(schedule.constants[~use.value]);
      } else if (found != values.end()) {
        inputs.push_back(found->second);
      }
    }
    bool folds = node.loop == nullptr && !step.inputs.empty() &&
                 inputs.size() == step.inputs.size() &&
                 !node.properties->op_def->is_stateful() &&
                 functions_->model().FindFunction(node.op()) == nullptr;
    for (const int control : node.controls) folds &= kept.count(control) == 0;
    std::vector<Tensor> outputs;
    if (!folds || !FoldNode(step.node, inputs, &outputs)) {
      kept.insert(step.node);
      continue;
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      const int index = static_cast<int>(i);
      values[step.first_output + index] = outputs[i];
      (*folded)[node.outputs.first + index] = std::move(outputs[i]);
    }
  }
}

const Tensor* Plan::FindConstant(Slot slot, const Values& folded) const {
  const int producer = body_.producers[slot];
  if (producer != Body::kArgument) {
    const BodyNode& node = body_.nodes[producer];
    if (node.constant.has_value() && node.controls.empty()) {
      return &*node.constant;
    }
  }
  const auto found = folded.find(slot);
  return found == folded.end() ? nullptr : &found->second;
}

Status Plan::Prepare(const Request& request,
                     std::unique_ptr<const Program>* program) {
  Values folded;
  Fold(request, &folded);
  auto made = std::make_unique<Program>();
  made->plan = this;
  made->schedule = MakeSchedule(body_, request, [this, &folded](Slot slot) {
    return FindConstant(slot, folded);
  });
  size_t most_outputs = 0;
  for (const Step& step : made->schedule.steps) {
    made->operations.emplace_back();
    TF_RETURN_IF_ERROR(Prepare(step.node, &made->operations.back()));
    most_outputs =
        std::max(most_outputs,
                 static_cast<size_t>(body_.nodes[step.node].outputs.count));
  }
  made->guards = made->schedule.constants;
  made->output_attributes.resize(most_outputs);
  *program = std::move(made);
  return tensorflow::OkStatus();
}

Status Functions::Prepare(const std::string& name, const AttrValueMap& attrs,
                          const Program** program) {
  const GraphFunction* const function = model_.FindFunction(name);
  if (function == nullptr) {
    return tensorflow::errors::NotFound("function ", name,
                                        " is not in the model");
  }
  std::string key = name;
  for (const auto& attr : function->signature.attr()) {
    const auto found = attrs.find(attr.name());
    if (found != attrs.end()) found->second.AppendToString(&key);
  }
  const auto [entry, is_new] = functions_.try_emplace(key);
  if (is_new) {
    ++depth_;
    const Status status = depth_ > kMaxNestedFunctions
                              ? InvalidArgument("its calls are nested too deep")
                              : Make(*function, attrs, &entry->second);
    --depth_;
    if (!status.ok()) {
      functions_.erase(entry);
      return status;
    }
  }
  *program = entry->second.program.get();
  return *program != nullptr
             ? tensorflow::OkStatus()
             : InvalidArgument(StrCat("function ", name, " calls itself"));
}

Status Functions::Make(const GraphFunction& function, const AttrValueMap& attrs,
                       Function* made) {
  Body body;
  TF_RETURN_IF_ERROR(MakeFunctionBody(model_, function, attrs, &body));
  const Request request = RequestOf(body);
  made->plan = std::make_unique<Plan>(std::move(body), this);
  return made->plan->Prepare(request, &made->program);
}

Status Functions::PrepareLoop(const Loop& loop, const Program** program) {
  Function& made = loops_[&loop];
  if (made.program == nullptr) {
    made.plan = std::make_unique<Plan>(loop.body, this);
    TF_RETURN_IF_ERROR(made.plan->Prepare(RequestOf(loop.body), &made.program));
  }
  *program = made.program.get();
  return tensorflow::OkStatus();
}

Request RequestOf(const Body& body) {
  Request request;
  const Slot count = static_cast<Slot>(body.types.size());
  for (Slot slot = 0; slot < count; ++slot) {
    if (body.producers[slot] == Body::kArgument) {
      request.arguments.push_back(slot);
    }
  }
  request.results = body.results;
  request.roots = body.roots;
  return request;
}

}  // namespace tfcarve
