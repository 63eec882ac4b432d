#include "tools/runtime/api/session.h"

#include <limits>
#include <utility>

#include "tensorflow/core/platform/errors.h"
#include "tensorflow/core/platform/strcat.h"
#include "tools/runtime/api/cpu_choice.h"
#include "tools/runtime/api/options.h"
#include "tools/runtime/models/graph_model.h"
#include "tools/runtime/models/graph_tensors.h"
#include "tools/runtime/models/memmapped_package.h"
#include "tools/runtime/models/missing.h"

namespace tfcarve {
namespace {

using ::tensorflow::Status;
using ::tensorflow::errors::InvalidArgument;
using ::tensorflow::strings::StrCat;

Status CheckCpu() {
  const std::string error = CpuChoiceError();
  return error.empty() ? tensorflow::OkStatus() : InvalidArgument(error);
}

// Reads a model's bytes; the contents of `model` point into them.
Status ReadModel(std::string_view bytes, GraphModel* model) {
  if (bytes.empty()) return InvalidArgument("the graph is empty");
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max())) {
    return InvalidArgument("the graph is larger than 2 GB");
  }
  std::string error;
  const bool good = package_reader != nullptr
                        ? package_reader(bytes, model, &error)
                        : ReadGraphModel(bytes, model, &error);
  return good ? tensorflow::OkStatus() : InvalidArgument(error);
}

Status SetThreads(const tfcarve_session_options& options,
                  tfcarve_session* session) {
  if (options.shared_threads == nullptr) {
    return NewThreads(options.threads, &session->threads);
  }
  if (options.threads != 0) {
    return InvalidArgument(
        StrCat("threads is ", options.threads,
               ", but the session has shared_threads: set one of them"));
  }
  session->threads = options.shared_threads->threads;
  return tensorflow::OkStatus();
}

Status Init(std::string_view bytes, MappedFilePtr file,
            const tfcarve_session_options* caller_options,
            tfcarve_session* session) {
  tfcarve_session_options options = TFCARVE_SESSION_OPTIONS_INIT;
  TF_RETURN_IF_ERROR(ReadOptions(caller_options, &options));
  TF_RETURN_IF_ERROR(SetThreads(options, session));
  TF_RETURN_IF_ERROR(CheckCpu());
  EngineArguments arguments;
  TF_RETURN_IF_ERROR(ReadModel(bytes, &arguments.model));
  const std::string missing = MissingFor(arguments.model);
  if (!missing.empty()) return tensorflow::errors::Unimplemented(missing);
  session->tensors = TensorsOf(arguments.model);
  session->borrows_inputs = !KeepsOrChangesInputs(arguments.model);
  arguments.file = file.get();
  arguments.memory_limit = options.memory_limit;
  arguments.threads = session->threads.get();
  MadeEngine made = engine_factory(std::move(arguments));
  TF_RETURN_IF_ERROR(made.status);
  session->engine = std::move(made.engine);
  if (session->engine->mapped_bytes() > 0) session->file = std::move(file);
  return tensorflow::OkStatus();
}

}  // namespace

void InitSession(std::string_view bytes, MappedFilePtr file,
                 const tfcarve_session_options* options,
                 tfcarve_session* session) {
  session->outcome = OutcomeOf(Init(bytes, std::move(file), options, session));
}

void InitFromFile(const Status& status, MappedFilePtr file,
                  const tfcarve_session_options* options,
                  tfcarve_session* session) {
  if (status.ok()) {
    const std::string_view bytes = file->bytes();
    InitSession(bytes, std::move(file), options, session);
  } else {
    session->outcome = OutcomeOf(status);
  }
  std::string& error = session->outcome.error;
  if (!error.empty()) error = session->path + ": " + error;
}

}  // namespace tfcarve
