#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tensorflow/core/platform/errors.h"
#include "tensorflow/core/platform/mutex.h"
#include "tensorflow/core/platform/strcat.h"
#include "tensorflow/core/public/version.h"
#include "tools/runtime/engine/engine.h"
#include "tools/runtime/engine/run_control.h"
#include "tools/runtime/plan/body.h"
#include "tools/runtime/plan/device.h"
#include "tools/runtime/plan/execute.h"
#include "tools/runtime/plan/plan.h"
#include "tools/runtime/plan/run_memory.h"

namespace tfcarve {
namespace {

using ::tensorflow::Status;
using ::tensorflow::Tensor;
using ::tensorflow::errors::InvalidArgument;
using ::tensorflow::strings::StrCat;

class PlanEngine final : public Engine {
 public:
  explicit PlanEngine(EngineArguments arguments)
      : model_(std::move(arguments.model)),
        device_(NewPlanDevice(arguments.threads, arguments.memory_limit)) {
    if (arguments.memory_limit > 0) {
      unlimited_ = NewPlanDevice(arguments.threads, 0);
    }
    functions_ = std::make_unique<Functions>(
        model_, device_.get(),
        unlimited_ == nullptr ? device_.get() : unlimited_.get());
  }

  Status Init(const MappedFile* file) {
    if (model_.min_consumer > TF_GRAPH_DEF_VERSION) {
      return InvalidArgument(
          StrCat("the graph needs a TensorFlow whose GraphDef version is at "
                 "least ",
                 model_.min_consumer, "; this library has version ",
                 TF_GRAPH_DEF_VERSION));
    }
    Body body;
    TF_RETURN_IF_ERROR(MakeGraphBody(&model_, file, &body, &mapped_bytes_));
    plan_ = std::make_unique<Plan>(std::move(body), functions_.get());
    return tensorflow::OkStatus();
  }

  Status Run(const Feeds& feeds, const std::vector<std::string>& names,
             std::vector<NodeTrace>* trace,
             std::vector<Tensor>* tensors) override {
    Prepared* prepared = nullptr;
    TF_RETURN_IF_ERROR(FindProgram(feeds, names, &prepared));
    // A trace has the bytes that each node asks the allocator for.
    std::optional<RunMemory> memory;
    if (trace == nullptr) memory.emplace(&prepared->memory);
    Arguments arguments;
    arguments.tensors.reserve(feeds.size());
    for (const auto& [_, tensor] : feeds) arguments.tensors.push_back(tensor);
    RunState state(device_.get(), trace);
    Results results;
    TF_RETURN_IF_ERROR(
        Execute(*prepared->program, std::move(arguments), &state, &results));
    if (memory.has_value()) memory->set_complete();
    for (size_t i = 0; i < names.size(); ++i) {
      if (!results.IsAbsent(i)) continue;
      return InvalidArgument(StrCat("Retval[", i,
                                    "] does not have value: output '", names[i],
                                    "' is in a branch that was not taken"));
    }
    *tensors = std::move(results.tensors);
    if (trace != nullptr && !trace->empty()) {
      const int64_t begin = trace->front().start_ns;
      for (NodeTrace& each : *trace) each.start_ns -= begin;
    }
    return tensorflow::OkStatus();
  }

 private:
  struct Prepared {
    std::unique_ptr<const Program> program;
    ProgramMemory memory;
  };

  Status Find(const std::string& name, Slot* slot) const {
    *slot = FindSlot(plan_->body(), name);
    if (*slot >= 0) return tensorflow::OkStatus();
    const bool has_index = name.find(':') != std::string::npos;
    return InvalidArgument(StrCat("Tensor ", name, has_index ? "" : ":0",
                                  " was not found in the Graph"));
  }

  Status MakeRequest(const Feeds& feeds, const std::vector<std::string>& names,
                     Request* request) const {
    std::set<Slot> fed;
    for (size_t i = 0; i < feeds.size(); ++i) {
      const auto& [name, tensor] = feeds[i];
      Slot slot = 0;
      TF_RETURN_IF_ERROR(Find(name, &slot));
      const tensorflow::DataType expected = plan_->body().types[slot];
      if (tensor.dtype() != expected) {
        return InvalidArgument(
            StrCat("input '", name, "': the graph expects ", "arg[", i,
                   "] to be ", DataTypeString(expected), " but ",
                   DataTypeString(tensor.dtype()), " is provided"));
      }
      if (!fed.insert(slot).second) {
        return InvalidArgument(StrCat("input '", name, "' is fed twice"));
      }
      request->arguments.push_back(slot);
    }
    for (const std::string& name : names) {
      request->results.emplace_back();
      TF_RETURN_IF_ERROR(Find(name, &request->results.back()));
    }
    return tensorflow::OkStatus();
  }

  // Programs are made for the first run with their inputs and outputs.
  Status FindProgram(const Feeds& feeds, const std::vector<std::string>& names,
                     Prepared** found) {
    Request request;
    TF_RETURN_IF_ERROR(MakeRequest(feeds, names, &request));
    tensorflow::mutex_lock lock(mutex_);
    Prepared& prepared = programs_[{request.arguments, request.results}];
    if (prepared.program == nullptr) {
      std::unique_ptr<const Program> program;
      TF_RETURN_IF_ERROR(plan_->Prepare(request, &program));
      // A run that must end does not compute all constants.
      TF_RETURN_IF_ERROR(RunControl::CheckCurrent());
      prepared.program = std::move(program);
    }
    *found = &prepared;
    return tensorflow::OkStatus();
  }

  GraphModel model_;  // without nodes
  // Kernels and tensors are freed before the devices.
  const std::unique_ptr<tensorflow::Device> device_;
  std::unique_ptr<tensorflow::Device> unlimited_;
  std::unique_ptr<Functions> functions_;
  std::unique_ptr<Plan> plan_;
  tensorflow::mutex mutex_;
  // By arguments and results.
  std::map<std::pair<std::vector<Slot>, std::vector<Slot>>, Prepared> programs_;
};

}  // namespace

MadeEngine NewPlanEngine(EngineArguments arguments) {
  const MappedFile* const file = arguments.file;
  auto made = std::make_unique<PlanEngine>(std::move(arguments));
  Status status = made->Init(file);
  return {std::move(status), std::move(made)};
}

}  // namespace tfcarve
