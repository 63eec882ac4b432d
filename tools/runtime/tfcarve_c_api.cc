#include "tools/runtime/tfcarve_c_api.h"

#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tensorflow/core/framework/graph.pb.h"
#include "tensorflow/core/framework/kernel_def.pb.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/framework/types.h"
#include "tensorflow/core/platform/cpu_info.h"
#include "tensorflow/core/platform/errors.h"
#include "tensorflow/core/platform/status.h"
#include "tensorflow/core/platform/strcat.h"
#include "tensorflow/core/platform/threadpool_options.h"
#include "tensorflow/core/protobuf/config.pb.h"
#include "tensorflow/core/public/session.h"
#include "tensorflow/core/public/session_options.h"
#include "tools/runtime/constants.h"
#include "tools/runtime/cpu_choice.h"
#include "tools/runtime/graph_reader.h"
#include "tools/runtime/mapped_file.h"
#include "tools/runtime/math/kernels.h"
#include "tools/runtime/memmapped_package.h"
#include "tools/runtime/missing.h"
#include "tools/runtime/threads/worker_threads.h"
#include "tools/runtime/trace.h"

namespace {

// An output, in the form of the C interface.
struct Output {
  std::string name;
  tensorflow::Tensor tensor;
  std::vector<int64_t> dims;
  std::vector<tfcarve_string> strings;
};

// A session's threads, through TensorFlow's interface.
class SessionThreads final : public tensorflow::thread::ThreadPoolInterface {
 public:
  explicit SessionThreads(int count) : threads_(count) {}
  void Schedule(std::function<void()> task) override {
    threads_.Schedule(std::move(task));
  }
  int NumThreads() const override { return threads_.count(); }
  int CurrentThreadId() const override { return threads_.CurrentThread(); }

 private:
  tfcarve::WorkerThreads threads_;
};

struct Outcome {
  tfcarve_status status = TFCARVE_OK;
  std::string error;
};

}  // namespace

struct tfcarve_session {
  Outcome outcome;
  // Null if the caller's thread computes alone.
  std::unique_ptr<SessionThreads> threads;
  std::unique_ptr<tensorflow::Session> session;
  tfcarve::SessionConstants constants;
  // For a graph in mapped memory: the path of its file or another name, and the
  // memory if constants are used in place.
  std::string path;
  tensorflow::core::RefCountPtr<const tfcarve::MappedFile> file;
  size_t mapped_bytes = 0;
};

struct tfcarve_result {
  Outcome outcome;
  std::vector<Output> outputs;
  std::vector<tfcarve::NodeTrace> trace;
};

namespace {

using ::tensorflow::Status;
using ::tensorflow::errors::InvalidArgument;
using ::tensorflow::strings::StrCat;

// Returns the outcome for a status: `error_status` if it is not OK.
Outcome OutcomeOf(const Status& status, tfcarve_status error_status) {
  if (status.ok()) return {};
  const std::string text(status.message());
  return {error_status, text.empty() ? status.ToString() : text};
}

const char* ErrorOf(const Outcome& outcome) {
  return outcome.status == TFCARVE_OK ? nullptr : outcome.error.c_str();
}

constexpr int32_t kMaxThreads = 1024;

Status CheckThreads(int32_t threads) {
  if (threads < 0 || threads > kMaxThreads) {
    return InvalidArgument(StrCat("threads is ", threads, ": give 1 to ",
                                  kMaxThreads, ", or 0 for one per core"));
  }
  return tensorflow::OkStatus();
}

Status CheckCpu() {
  const std::string error = tfcarve::CpuChoiceError();
  return error.empty() ? tensorflow::OkStatus() : InvalidArgument(error);
}

// Parses a serialized GraphDef: a tfcarve::GraphParser.
bool ParseGraph(std::string_view bytes, tensorflow::GraphDef* graph,
                std::vector<std::string_view>* contents, std::string* error) {
  tfcarve::SplitGraph split;
  if (bytes.empty()) {
    *error = "the graph is empty";
  } else if (bytes.size() >
             static_cast<size_t>(std::numeric_limits<int>::max())) {
    *error = "the graph is larger than 2 GB";
  } else if (tfcarve::SplitGraphDef(bytes, &split, error)) {
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
      tfcarve::package_reader != nullptr
          ? tfcarve::package_reader(bytes, &ParseGraph, graph, contents, &error)
          : ParseGraph(bytes, graph, contents, &error);
  return good ? tensorflow::OkStatus() : InvalidArgument(error);
}

Status OpenSession(tensorflow::GraphDef graph, int32_t threads,
                   std::vector<tensorflow::Tensor> constants,
                   tfcarve_session* session) {
  const std::string missing = tfcarve::MissingFor(graph);
  if (!missing.empty()) return tensorflow::errors::NotFound(missing);
  tensorflow::SessionOptions options;
  if (threads == 0) threads = tensorflow::port::MaxParallelism();
  if (threads > 1) {
    session->threads = std::make_unique<SessionThreads>(threads);
  }
  // TensorFlow's own pool, which all sessions share, is not used.
  options.config.set_intra_op_parallelism_threads(1);
  // Ops run one after the other in the caller's thread: no thread is woken to
  // run an op, and each op has all threads for itself.
  options.config.set_inter_op_parallelism_threads(-1);
  // Graphs name the devices of training; here each node runs on the CPU.
  options.config.set_allow_soft_placement(true);
  // Otherwise each partition graph stays in memory.
  options.config.mutable_experimental()->set_disable_output_partition_graphs(
      true);
  tensorflow::Session* created = nullptr;
  TF_RETURN_IF_ERROR(tensorflow::NewSession(options, &created));
  session->session.reset(created);
  TF_RETURN_IF_ERROR(session->constants.Attach(created, std::move(constants)));
  return created->Create(std::move(graph));
}

// Initializes a session for the bytes of a graph, which may be those of `file`.
void InitSession(std::string_view bytes,
                 tensorflow::core::RefCountPtr<const tfcarve::MappedFile> file,
                 int32_t threads, tfcarve_session* session) {
  tfcarve::RegisterConstantOp();
  tensorflow::GraphDef graph;
  std::vector<std::string_view> contents;
  tfcarve::Constants constants;
  Status status = CheckThreads(threads);
  if (status.ok()) status = CheckCpu();
  if (status.ok()) status = ReadGraph(bytes, &graph, &contents);
  if (status.ok()) {
    status = tfcarve::PlaceConstants(contents, file.get(), &graph, &constants);
  }
  session->outcome = OutcomeOf(status, TFCARVE_BAD_INPUT);
  if (!status.ok()) return;
  session->mapped_bytes = constants.mapped_bytes;
  if (constants.mapped_bytes > 0) session->file = std::move(file);
  session->outcome =
      OutcomeOf(OpenSession(std::move(graph), threads,
                            std::move(constants.tensors), session),
                TFCARVE_REFUSED);
}

// Initializes a session with a path for a graph in mapped memory; if it is
// null, for the reason in the session's outcome.
void InitFromFile(tensorflow::core::RefCountPtr<const tfcarve::MappedFile> file,
                  int32_t threads, tfcarve_session* session) {
  Outcome& outcome = session->outcome;
  if (file != nullptr) {
    const std::string_view bytes = file->bytes();
    InitSession(bytes, std::move(file), threads, session);
  } else {
    outcome.status = TFCARVE_BAD_INPUT;
  }
  if (outcome.status != TFCARVE_OK) {
    std::string error = session->path;
    error += ": ";
    error += outcome.error;
    outcome.error.swap(error);
  }
}

// Checks that the file that contains the session's constants is unchanged.
Outcome CheckFile(const tfcarve_session& session) {
  if (session.file == nullptr || session.file->IsUnchanged()) return {};
  return {TFCARVE_BAD_INPUT,
          session.path +
              ": the file has changed since it was loaded, and with "
              "it the constants: create a new session"};
}

Status CopyIn(const tfcarve_tensor& input, tensorflow::Tensor* tensor) {
  if (input.name == nullptr) return InvalidArgument("an input has no name");
  const auto error = [&input](const std::string& what) {
    return InvalidArgument(StrCat("input '", input.name, "': ", what));
  };
  const auto dtype = static_cast<tensorflow::DataType>(input.dtype);
  const bool is_string = dtype == tensorflow::DT_STRING;
  if (!tensorflow::DataType_IsValid(input.dtype) ||
      !(is_string || tensorflow::DataTypeCanUseMemcpy(dtype))) {
    return error(StrCat("an input cannot have type ", input.dtype));
  }
  if (input.rank < 0 || (input.rank > 0 && input.dims == nullptr)) {
    return error(StrCat("rank ", input.rank, " without dims"));
  }
  tensorflow::TensorShape shape;
  const std::vector<int64_t> dims(input.dims, input.dims + input.rank);
  TF_RETURN_IF_ERROR(tensorflow::TensorShape::BuildTensorShape(dims, &shape));

  // Division, because the product could overflow.
  const size_t element =
      is_string ? sizeof(tfcarve_string) : tensorflow::DataTypeSize(dtype);
  const size_t count = static_cast<size_t>(shape.num_elements());
  if (input.size % element != 0 || input.size / element != count) {
    return error(StrCat("it has ", input.size, " bytes, which is not ", count,
                        " elements of ", element, " bytes"));
  }
  if (count > 0 && input.data == nullptr) return error("it has no data");

  tensorflow::Tensor copy(dtype, shape);
  if (!copy.IsInitialized()) return error("out of memory");
  if (is_string) {
    const auto* strings = static_cast<const tfcarve_string*>(input.data);
    auto flat = copy.flat<tensorflow::tstring>();
    for (size_t i = 0; i < count; ++i) {
      flat(i).assign(strings[i].data, strings[i].size);
    }
  } else if (count > 0) {
    const auto bytes = copy.tensor_data();
    std::memcpy(const_cast<char*>(bytes.data()), input.data, bytes.size());
  }
  *tensor = std::move(copy);
  return tensorflow::OkStatus();
}

Status CopyOut(std::string name, tensorflow::Tensor tensor, Output* output) {
  const bool is_string = tensor.dtype() == tensorflow::DT_STRING;
  if (!is_string && !tensorflow::DataTypeCanUseMemcpy(tensor.dtype())) {
    return tensorflow::errors::Unimplemented(
        "output '", name, "': the C interface does not support its type ",
        tensor.dtype());
  }
  for (int i = 0; i < tensor.dims(); ++i) {
    output->dims.push_back(tensor.dim_size(i));
  }
  output->name = std::move(name);
  output->tensor = std::move(tensor);
  if (is_string) {
    const auto flat = output->tensor.flat<tensorflow::tstring>();
    output->strings.reserve(flat.size());
    for (int64_t i = 0; i < flat.size(); ++i) {
      output->strings.push_back({flat(i).data(), flat(i).size()});
    }
  }
  return tensorflow::OkStatus();
}

using Feeds = std::vector<std::pair<std::string, tensorflow::Tensor>>;

Status CopyAllIn(const tfcarve_tensor* inputs, size_t count, Feeds* feeds) {
  feeds->resize(count);
  for (size_t i = 0; i < count; ++i) {
    TF_RETURN_IF_ERROR(CopyIn(inputs[i], &(*feeds)[i].second));
    (*feeds)[i].first = inputs[i].name;
  }
  return tensorflow::OkStatus();
}

Status CopyNames(const char* const* names, size_t count,
                 std::vector<std::string>* fetches) {
  for (size_t i = 0; i < count; ++i) {
    if (names[i] == nullptr) {
      return InvalidArgument(StrCat("output ", i, " has no name"));
    }
    fetches->emplace_back(names[i]);
  }
  return tensorflow::OkStatus();
}

// Sets `trace` unless it is null.
Status Run(const tfcarve_session& session, const Feeds& feeds,
           const std::vector<std::string>& fetches,
           std::vector<Output>* outputs,
           std::vector<tfcarve::NodeTrace>* trace) {
  tensorflow::RunOptions options;
  if (trace != nullptr) {
    options.set_trace_level(tensorflow::RunOptions::SOFTWARE_TRACE);
  }
  tensorflow::RunMetadata metadata;
  std::vector<tensorflow::Tensor> fetched;
  tensorflow::thread::ThreadPoolOptions pools;
  pools.intra_op_threadpool = session.threads.get();
  TF_RETURN_IF_ERROR(session.session->Run(options, feeds, fetches, {}, &fetched,
                                          &metadata, pools));
  if (trace != nullptr) *trace = tfcarve::TraceOf(metadata.step_stats());
  std::vector<Output> copied(fetched.size());
  for (size_t i = 0; i < fetched.size(); ++i) {
    TF_RETURN_IF_ERROR(CopyOut(fetches[i], std::move(fetched[i]), &copied[i]));
  }
  *outputs = std::move(copied);
  return tensorflow::OkStatus();
}

tfcarve_result* RunSession(const tfcarve_session* session,
                           const tfcarve_tensor* inputs, size_t input_count,
                           const char* const* output_names, size_t output_count,
                           bool traced) {
  auto* result = new tfcarve_result;
  result->outcome = session->outcome;
  if (result->outcome.status == TFCARVE_OK) {
    result->outcome = CheckFile(*session);
  }
  if (result->outcome.status != TFCARVE_OK) return result;
  Feeds feeds;
  std::vector<std::string> fetches;
  Status status = CopyAllIn(inputs, input_count, &feeds);
  if (status.ok()) status = CopyNames(output_names, output_count, &fetches);
  result->outcome = OutcomeOf(status, TFCARVE_BAD_INPUT);
  if (result->outcome.status != TFCARVE_OK) return result;
  result->outcome = OutcomeOf(Run(*session, feeds, fetches, &result->outputs,
                                  traced ? &result->trace : nullptr),
                              TFCARVE_REFUSED);
  return result;
}

}  // namespace

tfcarve_session* tfcarve_session_new(const void* graph_def, size_t size,
                                     int32_t threads) {
  auto* session = new tfcarve_session;
  InitSession(
      {static_cast<const char*>(graph_def), graph_def == nullptr ? 0 : size},
      nullptr, threads, session);
  return session;
}

tfcarve_session* tfcarve_session_new_from_file(const char* path,
                                               int32_t threads) {
  auto* session = new tfcarve_session;
  session->path = path == nullptr ? "(no path)" : path;
  InitFromFile(
      tfcarve::MappedFile::Open(session->path.c_str(), &session->outcome.error),
      threads, session);
  return session;
}

tfcarve_session* tfcarve_session_new_from_reader(const tfcarve_reader* reader,
                                                 int32_t threads) {
  auto* session = new tfcarve_session;
  session->path = "the model";
  InitFromFile(tfcarve::MappedFile::Read(reader, &session->outcome.error),
               threads, session);
  return session;
}

size_t tfcarve_session_mapped_bytes(const tfcarve_session* session) {
  return session->mapped_bytes;
}

const char* tfcarve_session_error(const tfcarve_session* session) {
  return ErrorOf(session->outcome);
}

int32_t tfcarve_session_status(const tfcarve_session* session) {
  return session->outcome.status;
}

void tfcarve_session_free(tfcarve_session* session) { delete session; }

tfcarve_result* tfcarve_session_run(tfcarve_session* session,
                                    const tfcarve_tensor* inputs,
                                    size_t input_count,
                                    const char* const* output_names,
                                    size_t output_count) {
  return RunSession(session, inputs, input_count, output_names, output_count,
                    /*traced=*/false);
}

tfcarve_result* tfcarve_session_run_traced(tfcarve_session* session,
                                           const tfcarve_tensor* inputs,
                                           size_t input_count,
                                           const char* const* output_names,
                                           size_t output_count) {
  return RunSession(session, inputs, input_count, output_names, output_count,
                    /*traced=*/true);
}

const char* tfcarve_result_error(const tfcarve_result* result) {
  return ErrorOf(result->outcome);
}

int32_t tfcarve_result_status(const tfcarve_result* result) {
  return result->outcome.status;
}

size_t tfcarve_result_count(const tfcarve_result* result) {
  return result->outputs.size();
}

int32_t tfcarve_result_get(const tfcarve_result* result, size_t index,
                           tfcarve_tensor* output) {
  if (index >= result->outputs.size()) return 1;
  const Output& from = result->outputs[index];
  output->name = from.name.c_str();
  output->dtype = from.tensor.dtype();
  output->rank = static_cast<int32_t>(from.dims.size());
  output->dims = from.dims.data();
  if (from.tensor.dtype() == tensorflow::DT_STRING) {
    output->data = from.strings.data();
    output->size = from.strings.size() * sizeof(tfcarve_string);
  } else {
    const auto bytes = from.tensor.tensor_data();
    output->data = bytes.data();
    output->size = bytes.size();
  }
  return 0;
}

size_t tfcarve_result_trace_count(const tfcarve_result* result) {
  return result->trace.size();
}

int32_t tfcarve_result_trace_get(const tfcarve_result* result, size_t index,
                                 tfcarve_node_trace* trace) {
  if (index >= result->trace.size()) return 1;
  const tfcarve::NodeTrace& from = result->trace[index];
  *trace = {from.node.c_str(),   from.op.c_str(),    from.inputs.c_str(),
            from.start_ns,       from.duration_ns,   from.allocated_bytes,
            from.outputs.size(), from.outputs.data()};
  return 0;
}

void tfcarve_result_free(tfcarve_result* result) { delete result; }

const char* tfcarve_cpu() { return tfcarve::math::SelectedKernels().name; }

int32_t tfcarve_set_cpu(const char* name) {
  return name != nullptr && tfcarve::math::SelectKernels(name) ? 0 : 1;
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
  const tensorflow::OpRegistrationData* data = nullptr;
  return tensorflow::OpRegistry::Global()->LookUp(op, &data).ok() ? 1 : 0;
}
