#include "tools/runtime/api/run.h"

#include <cstring>
#include <utility>

#include "tensorflow/core/framework/tensor_util.h"
#include "tensorflow/core/framework/types.h"
#include "tensorflow/core/platform/errors.h"
#include "tensorflow/core/platform/strcat.h"
#include "tools/runtime/api/inputs.h"
#include "tools/runtime/api/options.h"
#include "tools/runtime/engine/run_control.h"
#include "tools/runtime/threads/denormals.h"

namespace tfcarve {
namespace {

using ::tensorflow::Status;
using ::tensorflow::Tensor;
using ::tensorflow::errors::InvalidArgument;
using ::tensorflow::strings::StrCat;

// Checks that the file that contains the session's constants is unchanged.
Status CheckFile(const tfcarve_session& session) {
  if (session.file == nullptr || session.file->IsUnchanged()) {
    return tensorflow::OkStatus();
  }
  return tensorflow::errors::DataLoss(
      session.path,
      ": the file has changed since it was loaded, and with it the constants: "
      "create a new session");
}

Status ReadNames(const RunArguments& arguments,
                 std::vector<std::string>* names) {
  if (arguments.output_names == nullptr && arguments.output_count > 0) {
    return InvalidArgument(StrCat("output_names is NULL, output_count is ",
                                  arguments.output_count));
  }
  for (size_t i = 0; i < arguments.output_count; ++i) {
    if (arguments.output_names[i] == nullptr) {
      return InvalidArgument(StrCat("output ", i, " has no name"));
    }
    names->emplace_back(arguments.output_names[i]);
  }
  return tensorflow::OkStatus();
}

// Returns why a tensor cannot be an output, or OK. `buffer` may be without
// data.
Status CheckOutput(const std::string& name, const Tensor& tensor,
                   const tfcarve_buffer& buffer) {
  const bool is_string = tensor.dtype() == tensorflow::DT_STRING;
  if (!is_string && !tensorflow::DataTypeCanUseMemcpy(tensor.dtype())) {
    return tensorflow::errors::Unimplemented(
        "output '", name, "': the C interface does not support its type ",
        tensor.dtype());
  }
  if (buffer.data == nullptr) return tensorflow::OkStatus();
  if (is_string) {
    return InvalidArgument(
        StrCat("output '", name, "': strings cannot have a buffer"));
  }
  if (tensor.TotalBytes() > buffer.size) {
    return tensorflow::errors::OutOfRange(
        "output '", name, "' has ", tensor.TotalBytes(),
        " bytes, but its buffer only ", buffer.size);
  }
  return tensorflow::OkStatus();
}

void SetOutput(const std::string& name, Tensor tensor,
               const tfcarve_buffer& buffer, Output* output) {
  output->name = name;
  for (int i = 0; i < tensor.dims(); ++i) {
    output->dims.push_back(tensor.dim_size(i));
  }
  if (tensor.dtype() == tensorflow::DT_STRING) {
    const auto flat = tensor.flat<tensorflow::tstring>();
    output->strings.reserve(flat.size());
    for (int64_t i = 0; i < flat.size(); ++i) {
      output->strings.push_back({flat(i).data(), flat(i).size()});
    }
    output->data = output->strings.data();
    output->size = output->strings.size() * sizeof(tfcarve_string);
    output->tensor = std::move(tensor);
  } else if (buffer.data != nullptr) {
    output->data = buffer.data;
    output->size = tensor.TotalBytes();
    if (output->size > 0) std::memcpy(buffer.data, tensor.data(), output->size);
    output->tensor = Tensor(tensor.dtype());
  } else {
    const auto bytes = tensor.tensor_data();
    output->data = bytes.data();
    output->size = bytes.size();
    output->tensor = std::move(tensor);
  }
}

// Sets `outputs`, only if all can be set.
Status SetOutputs(const RunArguments& arguments, const tfcarve_buffer* buffers,
                  const std::vector<std::string>& names,
                  std::vector<Tensor> tensors, std::vector<Output>* outputs) {
  const auto buffer = [buffers](size_t i) {
    return buffers == nullptr ? tfcarve_buffer{nullptr, 0} : buffers[i];
  };
  for (size_t i = 0; i < tensors.size(); ++i) {
    TF_RETURN_IF_ERROR(CheckOutput(names[i], tensors[i], buffer(i)));
  }
  std::vector<Output> made(tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    // The result may outlive the inputs; an output with a buffer is copied
    // below.
    if (buffer(i).data == nullptr &&
        IsBorrowed(tensors[i], arguments.inputs, arguments.input_count)) {
      tensors[i] = tensorflow::tensor::DeepCopy(tensors[i]);
    }
    SetOutput(names[i], std::move(tensors[i]), buffer(i), &made[i]);
  }
  outputs->swap(made);
  return tensorflow::OkStatus();
}

}  // namespace

Status Run(const tfcarve_session& session, const RunArguments& arguments,
           tfcarve_result* result) {
  TF_RETURN_IF_ERROR(CheckFile(session));
  tfcarve_run_options run_options = TFCARVE_RUN_OPTIONS_INIT;
  TF_RETURN_IF_ERROR(ReadOptions(arguments.options, &run_options));
  if (run_options.timeout_ms < 0) {
    return InvalidArgument(StrCat("timeout_ms is ", run_options.timeout_ms,
                                  ": pass a number of milliseconds, or 0"));
  }
  Feeds feeds;
  std::vector<std::string> names;
  TF_RETURN_IF_ERROR(ReadInputs(arguments.inputs, arguments.input_count,
                                session.borrows_inputs, &feeds));
  TF_RETURN_IF_ERROR(ReadNames(arguments, &names));

  std::vector<Tensor> tensors;
  const RunControl control(run_options.timeout_ms, run_options.cancellation);
  TF_RETURN_IF_ERROR(control.Check());
  // Ops run in this thread, too.
  const FlushDenormals flush;
  const Status status = session.engine->Run(
      feeds, names, run_options.trace != 0 ? &result->trace : nullptr,
      &tensors);
  if (tensorflow::errors::IsCancelled(status) ||
      tensorflow::errors::IsDeadlineExceeded(status)) {
    // Without the node at which the run ended: the error is not about it.
    TF_RETURN_IF_ERROR(control.Check());
  }
  TF_RETURN_IF_ERROR(status);
  return SetOutputs(arguments, run_options.output_buffers, names,
                    std::move(tensors), &result->outputs);
}

}  // namespace tfcarve
