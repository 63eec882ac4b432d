#include "tools/runtime/include/tfcarve_c_api.h"

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "tensorflow/core/framework/kernel_def.pb.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tools/runtime/api/log.h"
#include "tools/runtime/api/outcome.h"
#include "tools/runtime/api/run.h"
#include "tools/runtime/api/session.h"
#include "tools/runtime/engine/run_control.h"
#include "tools/runtime/engine/trace.h"
#include "tools/runtime/math/instruction_sets.h"
#include "tools/runtime/models/graph_tensors.h"
#include "tools/runtime/models/mapped_file.h"

namespace {

using ::tfcarve::GraphTensor;
using ::tfcarve::Outcome;

// The outcome of a call whose argument is NULL.
const Outcome& NullOutcome() {
  static const Outcome* const outcome =
      new Outcome{TFCARVE_INVALID_ARGUMENT, "the argument is NULL", ""};
  return *outcome;
}

// `object`: a session or a result, or NULL.
template <typename Object>
const Outcome& OutcomeOf(const Object* object) {
  return object == nullptr ? NullOutcome() : object->outcome;
}

const char* ErrorIn(const Outcome& outcome) {
  return outcome.ok() ? nullptr : outcome.error.c_str();
}

const char* NodeIn(const Outcome& outcome) {
  return outcome.node.empty() ? nullptr : outcome.node.c_str();
}

int32_t GetInfo(const std::vector<GraphTensor>& tensors, size_t index,
                tfcarve_tensor_info* info) {
  if (index >= tensors.size() || info == nullptr) return 1;
  const GraphTensor& from = tensors[index];
  info->name = from.name.c_str();
  info->dtype = from.dtype;
  info->rank = from.has_rank ? static_cast<int32_t>(from.dims.size()) : -1;
  info->dims = from.dims.data();
  return 0;
}

// Whether the session can run.
bool IsReady(const tfcarve_session* session) {
  return session != nullptr && session->outcome.ok();
}

}  // namespace

int32_t tfcarve_api_version() { return TFCARVE_API_VERSION; }

const char* tfcarve_status_name(int32_t status) {
  // One string, because a table of strings needs relocations.
  static constexpr char kNames[] =
      "OK\0CANCELLED\0UNKNOWN\0INVALID_ARGUMENT\0DEADLINE_EXCEEDED\0NOT_FOUND\0"
      "ALREADY_EXISTS\0PERMISSION_DENIED\0RESOURCE_EXHAUSTED\0"
      "FAILED_PRECONDITION\0ABORTED\0OUT_OF_RANGE\0UNIMPLEMENTED\0INTERNAL\0"
      "UNAVAILABLE\0DATA_LOSS\0UNAUTHENTICATED\0";
  if (status < TFCARVE_OK || status > TFCARVE_UNAUTHENTICATED) return "";
  const char* name = kNames;
  for (; status > 0; --status) name += std::strlen(name) + 1;
  return name;
}

tfcarve_threads* tfcarve_threads_new(int32_t count) {
  auto threads = std::make_unique<tfcarve_threads>();
  return tfcarve::NewThreads(count, &threads->threads).ok() ? threads.release()
                                                            : nullptr;
}

void tfcarve_threads_free(tfcarve_threads* threads) { delete threads; }

tfcarve_session* tfcarve_session_new(const void* graph_def, size_t size,
                                     const tfcarve_session_options* options) {
  auto* session = new tfcarve_session;
  tfcarve::InitSession(
      {static_cast<const char*>(graph_def), graph_def == nullptr ? 0 : size},
      nullptr, options, session);
  return session;
}

tfcarve_session* tfcarve_session_new_from_file(
    const char* path, const tfcarve_session_options* options) {
  auto* session = new tfcarve_session;
  session->path = path == nullptr ? "(no path)" : path;
  tfcarve::MappedFilePtr file;
  const auto status = tfcarve::MappedFile::Open(session->path.c_str(), &file);
  tfcarve::InitFromFile(status, std::move(file), options, session);
  return session;
}

tfcarve_session* tfcarve_session_new_from_reader(
    const tfcarve_reader* reader, const tfcarve_session_options* options) {
  auto* session = new tfcarve_session;
  session->path = "the model";
  tfcarve::MappedFilePtr memory;
  const auto status = tfcarve::MappedFile::Read(reader, &memory);
  tfcarve::InitFromFile(status, std::move(memory), options, session);
  return session;
}

size_t tfcarve_session_mapped_bytes(const tfcarve_session* session) {
  return IsReady(session) ? session->engine->mapped_bytes() : 0;
}

const char* tfcarve_session_error(const tfcarve_session* session) {
  return ErrorIn(OutcomeOf(session));
}

int32_t tfcarve_session_status(const tfcarve_session* session) {
  return OutcomeOf(session).status;
}

const char* tfcarve_session_error_node(const tfcarve_session* session) {
  return NodeIn(OutcomeOf(session));
}

size_t tfcarve_session_input_count(const tfcarve_session* session) {
  return IsReady(session) ? session->tensors.inputs.size() : 0;
}

int32_t tfcarve_session_input(const tfcarve_session* session, size_t index,
                              tfcarve_tensor_info* info) {
  if (!IsReady(session)) return 1;
  return GetInfo(session->tensors.inputs, index, info);
}

size_t tfcarve_session_output_count(const tfcarve_session* session) {
  return IsReady(session) ? session->tensors.outputs.size() : 0;
}

int32_t tfcarve_session_output(const tfcarve_session* session, size_t index,
                               tfcarve_tensor_info* info) {
  if (!IsReady(session)) return 1;
  return GetInfo(session->tensors.outputs, index, info);
}

void tfcarve_session_free(tfcarve_session* session) { delete session; }

tfcarve_cancellation* tfcarve_cancellation_new() {
  return new tfcarve_cancellation;
}

void tfcarve_cancel(tfcarve_cancellation* cancellation) {
  if (cancellation != nullptr) cancellation->is_cancelled = true;
}

void tfcarve_cancellation_free(tfcarve_cancellation* cancellation) {
  delete cancellation;
}

tfcarve_result* tfcarve_session_run(tfcarve_session* session,
                                    const tfcarve_tensor* inputs,
                                    size_t input_count,
                                    const char* const* output_names,
                                    size_t output_count,
                                    const tfcarve_run_options* options) {
  auto* result = new tfcarve_result;
  result->outcome = OutcomeOf(session);
  if (!result->outcome.ok()) return result;
  const auto status = tfcarve::Run(
      *session, {inputs, input_count, output_names, output_count, options},
      result);
  result->outcome = tfcarve::OutcomeOf(status);
  return result;
}

const char* tfcarve_result_error(const tfcarve_result* result) {
  return ErrorIn(OutcomeOf(result));
}

int32_t tfcarve_result_status(const tfcarve_result* result) {
  return OutcomeOf(result).status;
}

const char* tfcarve_result_error_node(const tfcarve_result* result) {
  return NodeIn(OutcomeOf(result));
}

size_t tfcarve_result_count(const tfcarve_result* result) {
  return result == nullptr ? 0 : result->outputs.size();
}

int32_t tfcarve_result_get(const tfcarve_result* result, size_t index,
                           tfcarve_tensor* output) {
  if (index >= tfcarve_result_count(result) || output == nullptr) return 1;
  const tfcarve::Output& from = result->outputs[index];
  *output = {from.name.c_str(),
             from.tensor.dtype(),
             static_cast<int32_t>(from.dims.size()),
             from.dims.data(),
             from.data,
             from.size};
  return 0;
}

size_t tfcarve_result_trace_count(const tfcarve_result* result) {
  return result == nullptr ? 0 : result->trace.size();
}

int32_t tfcarve_result_trace_get(const tfcarve_result* result, size_t index,
                                 tfcarve_node_trace* trace) {
  if (index >= tfcarve_result_trace_count(result) || trace == nullptr) return 1;
  const tfcarve::NodeTrace& from = result->trace[index];
  *trace = {from.node.c_str(),   from.op.c_str(),    from.inputs.c_str(),
            from.start_ns,       from.duration_ns,   from.allocated_bytes,
            from.outputs.size(), from.outputs.data()};
  return 0;
}

void tfcarve_result_free(tfcarve_result* result) { delete result; }

const char* tfcarve_cpu() {
  return tfcarve::math::kInstructionSets
      [tfcarve::math::SelectedInstructionSet()]
          .name;
}

int32_t tfcarve_set_cpu(const char* name) {
  return name != nullptr && tfcarve::math::SelectInstructionSet(name) ? 0 : 1;
}

int32_t tfcarve_set_log(tfcarve_log_sink sink, void* context, int32_t level) {
  return tfcarve::SetLog(sink, context, level) ? 0 : 1;
}

size_t tfcarve_kernel_count() {
  // Does not count the kernel for a session's constants.
  const auto is_selected = [](const tensorflow::KernelDef& kernel) {
    return kernel.op() != tfcarve::kConstantOp;
  };
  return static_cast<size_t>(
      tensorflow::GetFilteredRegisteredKernels(is_selected).kernel_size());
}

int32_t tfcarve_has_op(const char* op) {
  if (op == nullptr) return 0;
  const tensorflow::OpRegistrationData* data = nullptr;
  return tensorflow::OpRegistry::Global()->LookUp(op, &data).ok() ? 1 : 0;
}
