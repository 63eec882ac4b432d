#include "tools/runtime/api/session.h"

#include <limits>
#include <vector>

#include "tensorflow/core/common_runtime/device.h"
#include "tensorflow/core/common_runtime/device_mgr.h"
#include "tensorflow/core/common_runtime/direct_session.h"
#include "tensorflow/core/platform/cpu_info.h"
#include "tensorflow/core/platform/errors.h"
#include "tensorflow/core/platform/strcat.h"
#include "tensorflow/core/protobuf/config.pb.h"
#include "tensorflow/core/public/session_options.h"
#include "tools/runtime/api/cpu_choice.h"
#include "tools/runtime/api/options.h"
#include "tools/runtime/api/session_device.h"
#include "tools/runtime/models/graph_reader.h"
#include "tools/runtime/models/memmapped_package.h"
#include "tools/runtime/models/missing.h"
#include "tools/runtime/threads/thread_limit.h"

namespace tfcarve {
namespace {

using ::tensorflow::Status;
using ::tensorflow::errors::InvalidArgument;
using ::tensorflow::strings::StrCat;

Status CheckCpu() {
  const std::string error = CpuChoiceError();
  return error.empty() ? tensorflow::OkStatus() : InvalidArgument(error);
}

// Parses a serialized GraphDef: a GraphParser.
bool ParseGraph(std::string_view bytes, tensorflow::GraphDef* graph,
                std::vector<std::string_view>* contents, std::string* error) {
  SplitGraph split;
  if (bytes.empty()) {
    *error = "the graph is empty";
  } else if (bytes.size() >
             static_cast<size_t>(std::numeric_limits<int>::max())) {
    *error = "the graph is larger than 2 GB";
  } else if (SplitGraphDef(bytes, &split, error)) {
    *contents = std::move(split.contents);
    if (graph->ParseFromString(split.graph)) return true;
    *error = "the graph is not a serialized GraphDef";
  }
  return false;
}

// Parses a model's bytes; `contents` point into them.
Status ReadGraph(std::string_view bytes, tensorflow::GraphDef* graph,
                 std::vector<std::string_view>* contents) {
  std::string error;
  const bool good =
      package_reader != nullptr
          ? package_reader(bytes, &ParseGraph, graph, contents, &error)
          : ParseGraph(bytes, graph, contents, &error);
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

tensorflow::SessionOptions TensorFlowOptions() {
  tensorflow::SessionOptions options;
  // TensorFlow's own pool, which all sessions share, is not used.
  options.config.set_intra_op_parallelism_threads(1);
  // Ops run one after the other in the caller's thread: no thread is woken to
  // run an op, and each op has all threads for itself. RunControl needs this.
  options.config.set_inter_op_parallelism_threads(-1);
  // Graphs name the devices of training; here each node runs on the CPU.
  options.config.set_allow_soft_placement(true);
  // Otherwise each partition graph stays in memory.
  options.config.mutable_experimental()->set_disable_output_partition_graphs(
      true);
  return options;
}

Status OpenSession(tensorflow::GraphDef graph, size_t memory_limit,
                   std::vector<tensorflow::Tensor> constants,
                   tfcarve_session* session) {
  const std::string missing = MissingFor(graph);
  if (!missing.empty()) return tensorflow::errors::Unimplemented(missing);
  session->tensors = TensorsOf(graph);
  session->borrows_inputs = !KeepsOrChangesInputs(graph);
  const tensorflow::SessionOptions options = TensorFlowOptions();
  std::vector<std::unique_ptr<tensorflow::Device>> devices;
  devices.push_back(NewSessionDevice(options, memory_limit));
  session->session = std::make_unique<tensorflow::DirectSession>(
      options, new tensorflow::StaticDeviceMgr(std::move(devices)),
      /*factory=*/nullptr);
  TF_RETURN_IF_ERROR(
      session->constants.Attach(session->session.get(), std::move(constants)));
  const Status status = session->session->Create(std::move(graph));
  // An op that TensorFlow adds to the graph is not registered. Some of its
  // functions return this as an invalid argument.
  if (status.message().find("Op type not registered") !=
      std::string_view::npos) {
    return tensorflow::errors::Unimplemented(status.message());
  }
  return status;
}

Status Init(std::string_view bytes, MappedFilePtr file,
            const tfcarve_session_options* caller_options,
            tfcarve_session* session) {
  RegisterConstantOp();
  tfcarve_session_options options = TFCARVE_SESSION_OPTIONS_INIT;
  tensorflow::GraphDef graph;
  std::vector<std::string_view> contents;
  Constants constants;
  TF_RETURN_IF_ERROR(ReadOptions(caller_options, &options));
  TF_RETURN_IF_ERROR(SetThreads(options, session));
  TF_RETURN_IF_ERROR(CheckCpu());
  TF_RETURN_IF_ERROR(ReadGraph(bytes, &graph, &contents));
  TF_RETURN_IF_ERROR(PlaceConstants(contents, file.get(), &graph, &constants));
  session->mapped_bytes = constants.mapped_bytes;
  if (constants.mapped_bytes > 0) session->file = std::move(file);
  return OpenSession(std::move(graph), options.memory_limit,
                     std::move(constants.tensors), session);
}

}  // namespace

Status NewThreads(int32_t count, std::shared_ptr<SessionThreads>* threads) {
  if (count < 0 || count > kMaxThreads) {
    return InvalidArgument(StrCat("threads is ", count, ": pass 1 to ",
                                  kMaxThreads, ", or 0 for one per core"));
  }
  if (count == 0) count = tensorflow::port::MaxParallelism();
  if (count > 1) *threads = std::make_shared<SessionThreads>(count);
  return tensorflow::OkStatus();
}

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
