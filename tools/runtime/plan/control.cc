#include "tools/runtime/plan/control.h"

#include <cstdint>
#include <string>
#include <utility>

#include "tensorflow/core/framework/attr_value.pb.h"
#include "tensorflow/core/platform/errors.h"
#include "tools/runtime/engine/run_control.h"
#include "tools/runtime/plan/execute.h"
#include "tools/runtime/plan/loops.h"

namespace tfcarve {
namespace {

using ::tensorflow::AttrValue;
using ::tensorflow::AttrValueMap;
using ::tensorflow::NameAttrList;
using ::tensorflow::Status;
using ::tensorflow::Tensor;
using ::tensorflow::errors::InvalidArgument;

Status AddFunction(const std::string& name, const AttrValueMap& attrs,
                   Functions* functions, Operation* operation) {
  operation->functions.emplace_back();
  return functions->Prepare(name, attrs, &operation->functions.back());
}

Status AddFunctions(const BodyNode& node, const char* attribute,
                    Functions* functions, Operation* operation) {
  const auto& attrs = node.def().attr();
  const auto found = attrs.find(attribute);
  if (found == attrs.end()) {
    return InvalidArgument("it has no attribute ", attribute);
  }
  if (found->second.value_case() == AttrValue::kFunc) {
    const NameAttrList& function = found->second.func();
    return AddFunction(function.name(), function.attr(), functions, operation);
  }
  for (const NameAttrList& function : found->second.list().func()) {
    TF_RETURN_IF_ERROR(
        AddFunction(function.name(), function.attr(), functions, operation));
  }
  if (operation->functions.empty()) {
    return InvalidArgument("attribute ", attribute, " names no function");
  }
  return tensorflow::OkStatus();
}

template <typename T>
bool IsNonZero(const Tensor& scalar) {
  return scalar.scalar<T>()() != T(0);
}

// A scalar is true unless it is zero or an empty string; any other tensor is
// true if it has elements.
Status ToBool(const Tensor& tensor, bool* value) {
  if (tensor.dims() > 0) {
    *value = tensor.NumElements() > 0;
    return tensorflow::OkStatus();
  }
  switch (tensor.dtype()) {
    case tensorflow::DT_BOOL:
      *value = tensor.scalar<bool>()();
      break;
    case tensorflow::DT_DOUBLE:
      *value = IsNonZero<double>(tensor);
      break;
    case tensorflow::DT_FLOAT:
      *value = IsNonZero<float>(tensor);
      break;
    case tensorflow::DT_INT8:
      *value = IsNonZero<int8_t>(tensor);
      break;
    case tensorflow::DT_INT16:
      *value = IsNonZero<int16_t>(tensor);
      break;
    case tensorflow::DT_INT32:
      *value = IsNonZero<int32_t>(tensor);
      break;
    case tensorflow::DT_INT64:
      *value = IsNonZero<int64_t>(tensor);
      break;
    case tensorflow::DT_UINT8:
      *value = IsNonZero<uint8_t>(tensor);
      break;
    case tensorflow::DT_UINT16:
      *value = IsNonZero<uint16_t>(tensor);
      break;
    case tensorflow::DT_STRING:
      *value = !tensor.scalar<tensorflow::tstring>()().empty();
      break;
    default:
      return InvalidArgument("a condition cannot have type ",
                             DataTypeString(tensor.dtype()));
  }
  return tensorflow::OkStatus();
}

Status RunIf(const Operation& operation, std::vector<Tensor> inputs,
             RunState* state, Results* outputs) {
  bool is_true = false;
  TF_RETURN_IF_ERROR(ToBool(inputs.front(), &is_true));
  inputs.erase(inputs.begin());
  return Execute(*operation.functions[is_true ? 0 : 1], {std::move(inputs)},
                 state, outputs);
}

Status RunCase(const Operation& operation, std::vector<Tensor> inputs,
               RunState* state, Results* outputs) {
  const Tensor& selector = inputs.front();
  if (selector.dims() != 0 || selector.dtype() != tensorflow::DT_INT32) {
    return InvalidArgument("branch_index must be a scalar");
  }
  const int count = static_cast<int>(operation.functions.size());
  const int index = selector.scalar<int32_t>()();
  const int branch = index < 0 || index >= count ? count - 1 : index;
  inputs.erase(inputs.begin());
  return Execute(*operation.functions[branch], {std::move(inputs)}, state,
                 outputs);
}

// Runs the frame of a loop of TensorFlow 1.
Status RunLoop(const Operation& operation, std::vector<Tensor> inputs,
               RunState* state, Results* outputs) {
  const Loop& loop = *operation.loop;
  const size_t state_count = loop.initial.size();
  outputs->tensors.resize(loop.exit_count);
  outputs->absent.assign(loop.exit_count, true);
  Arguments arguments;
  for (const int input : loop.initial) {
    arguments.tensors.push_back(inputs[input]);
  }
  for (const int input : loop.invariant) {
    arguments.tensors.push_back(std::move(inputs[input]));
  }
  arguments.absent.assign(arguments.tensors.size(), false);
  // A value that the loop does not change has a reference here, so that no
  // kernel reuses its memory.
  std::vector<Tensor> invariant(arguments.tensors.begin() + state_count,
                                arguments.tensors.end());
  while (true) {
    TF_RETURN_IF_ERROR(RunControl::CheckCurrent());
    Results results;
    TF_RETURN_IF_ERROR(Execute(*operation.functions[0], std::move(arguments),
                               state, &results));
    for (int i = 0; i < loop.exit_count; ++i) {
      if (results.IsAbsent(state_count + i)) continue;
      outputs->tensors[i] = std::move(results.tensors[state_count + i]);
      outputs->absent[i] = false;
    }
    for (size_t i = 0; i < state_count; ++i) {
      if (results.IsAbsent(i)) return tensorflow::OkStatus();
    }
    if (state_count == 0) return tensorflow::OkStatus();
    arguments = Arguments();
    results.tensors.resize(state_count);
    arguments.tensors = std::move(results.tensors);
    arguments.tensors.insert(arguments.tensors.end(), invariant.begin(),
                             invariant.end());
    arguments.absent.assign(state_count, false);
    arguments.absent.insert(arguments.absent.end(), loop.once.begin(),
                            loop.once.end());
  }
}

Status RunWhile(const Operation& operation, std::vector<Tensor> inputs,
                RunState* state, Results* outputs) {
  const Program& condition = *operation.functions[0];
  const Program& body = *operation.functions[1];
  while (true) {
    TF_RETURN_IF_ERROR(RunControl::CheckCurrent());
    Results result;
    TF_RETURN_IF_ERROR(Execute(condition, {inputs}, state, &result));
    bool is_true = false;
    TF_RETURN_IF_ERROR(ToBool(result.tensors.front(), &is_true));
    if (!is_true) break;
    result = Results();
    TF_RETURN_IF_ERROR(Execute(body, {std::move(inputs)}, state, &result));
    inputs = std::move(result.tensors);
  }
  outputs->tensors = std::move(inputs);
  return tensorflow::OkStatus();
}

// Checks that the program of a function takes and returns as many tensors of
// the same types as the node that calls it passes and expects.
Status CheckTypes(const BodyNode& node, const Program& program,
                  size_t skipped_inputs, bool returns_condition) {
  const Body& body = program.plan->body();
  const auto& inputs = node.properties->input_types;
  const auto& outputs = node.properties->output_types;
  const size_t argument_count = program.schedule.arguments.size();
  bool fits = argument_count + skipped_inputs == inputs.size();
  for (size_t i = 0; fits && i < argument_count; ++i) {
    fits = inputs[i + skipped_inputs] == body.types[i];
  }
  if (returns_condition) {
    fits = fits && body.results.size() == 1;
  } else {
    fits = fits && body.results.size() == outputs.size();
    for (size_t i = 0; fits && i < outputs.size(); ++i) {
      fits = body.types[body.results[i]] == outputs[i];
    }
  }
  return fits ? tensorflow::OkStatus()
              : InvalidArgument(
                    "the arguments or results of a function that it calls do "
                    "not have the types of its inputs or outputs");
}

Status CheckTypes(const BodyNode& node, const Operation& operation) {
  const bool is_loop = operation.action == Action::kWhile;
  const bool is_call = operation.action == Action::kCall;
  const size_t skipped = is_loop || is_call ? 0 : 1;
  for (size_t i = 0; i < operation.functions.size(); ++i) {
    TF_RETURN_IF_ERROR(CheckTypes(node, *operation.functions[i], skipped,
                                  /*returns_condition=*/is_loop && i == 0));
  }
  return tensorflow::OkStatus();
}

// Prepares the functions of a node that is no loop of TensorFlow 1.
Status PrepareCall(const BodyNode& node, Functions* functions,
                   Operation* operation) {
  if (functions->model().FindFunction(node.op()) != nullptr) {
    TF_RETURN_IF_ERROR(
        AddFunction(node.op(), node.def().attr(), functions, operation));
    return CheckTypes(node, *operation);
  }
  switch (operation->action) {
    default:
      TF_RETURN_IF_ERROR(AddFunctions(node, "f", functions, operation));
      break;
    case Action::kCase:
      TF_RETURN_IF_ERROR(AddFunctions(node, "branches", functions, operation));
      break;
    case Action::kIf:
      TF_RETURN_IF_ERROR(
          AddFunctions(node, "then_branch", functions, operation));
      TF_RETURN_IF_ERROR(
          AddFunctions(node, "else_branch", functions, operation));
      break;
    case Action::kWhile:
      TF_RETURN_IF_ERROR(AddFunctions(node, "cond", functions, operation));
      TF_RETURN_IF_ERROR(AddFunctions(node, "body", functions, operation));
      break;
  }
  return CheckTypes(node, *operation);
}

Status Prepare(const BodyNode& node, Functions* functions,
               Operation* operation) {
  if (node.loop == nullptr) {
    const bool is_call = functions->model().FindFunction(node.op()) != nullptr;
    operation->action = is_call ? Action::kCall : ActionOf(node.op());
    return PrepareCall(node, functions, operation);
  }
  operation->action = Action::kLoop;
  operation->loop = node.loop.get();
  operation->functions.emplace_back();
  return functions->PrepareLoop(*node.loop, &operation->functions.back());
}

Status ExecuteCall(const Operation& operation, std::vector<Tensor> inputs,
                   RunState* state, Results* outputs) {
  switch (operation.action) {
    case Action::kLoop:
      return RunLoop(operation, std::move(inputs), state, outputs);
    case Action::kIf:
      return RunIf(operation, std::move(inputs), state, outputs);
    case Action::kCase:
      return RunCase(operation, std::move(inputs), state, outputs);
    case Action::kWhile:
      return RunWhile(operation, std::move(inputs), state, outputs);
    default:
      return Execute(*operation.functions[0], {std::move(inputs)}, state,
                     outputs);
  }
}

}  // namespace

const ControlFlow kControlFlow = {RaiseLoops, Prepare, ExecuteCall};

}  // namespace tfcarve
