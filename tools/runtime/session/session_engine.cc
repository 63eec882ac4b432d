#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tensorflow/core/common_runtime/device.h"
#include "tensorflow/core/common_runtime/device_mgr.h"
#include "tensorflow/core/common_runtime/direct_session.h"
#include "tensorflow/core/framework/graph.pb.h"
#include "tensorflow/core/platform/errors.h"
#include "tensorflow/core/platform/threadpool_options.h"
#include "tensorflow/core/protobuf/config.pb.h"
#include "tensorflow/core/public/session_options.h"
#include "tools/runtime/engine/engine.h"
#include "tools/runtime/session/constants.h"
#include "tools/runtime/session/session_device.h"
#include "tools/runtime/session/step_stats.h"

namespace tfcarve {
namespace {

using ::tensorflow::Status;
using ::tensorflow::Tensor;
using ::tensorflow::errors::InvalidArgument;

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

// Moves a model into a GraphDef.
Status MakeGraphDef(GraphModel* model, tensorflow::GraphDef* graph) {
  if (!graph->ParseFromString(model->rest)) {
    return InvalidArgument("the graph is not a serialized GraphDef");
  }
  for (tensorflow::NodeDef& node : model->nodes) {
    *graph->add_node() = std::move(node);
  }
  *model = GraphModel();
  return tensorflow::OkStatus();
}

class SessionEngine final : public Engine {
 public:
  explicit SessionEngine(tensorflow::thread::ThreadPoolInterface* threads)
      : threads_(threads) {}

  Status Init(EngineArguments arguments) {
    RegisterConstantOp();
    const std::vector<std::string_view> contents =
        std::move(arguments.model.contents);
    tensorflow::GraphDef graph;
    TF_RETURN_IF_ERROR(MakeGraphDef(&arguments.model, &graph));
    Constants constants;
    TF_RETURN_IF_ERROR(
        PlaceConstants(contents, arguments.file, &graph, &constants));
    mapped_bytes_ = constants.mapped_bytes;
    const tensorflow::SessionOptions options = TensorFlowOptions();
    std::vector<std::unique_ptr<tensorflow::Device>> devices;
    devices.push_back(NewSessionDevice(options, arguments.memory_limit));
    session_ = std::make_unique<tensorflow::DirectSession>(
        options, new tensorflow::StaticDeviceMgr(std::move(devices)),
        /*factory=*/nullptr);
    TF_RETURN_IF_ERROR(
        constants_.Attach(session_.get(), std::move(constants.tensors)));
    const Status status = session_->Create(std::move(graph));
    // An op that TensorFlow adds to the graph is not registered. Some of its
    // functions return this as an invalid argument.
    if (status.message().find("Op type not registered") !=
        std::string_view::npos) {
      return tensorflow::errors::Unimplemented(status.message());
    }
    return status;
  }

  Status Run(const Feeds& feeds, const std::vector<std::string>& names,
             std::vector<NodeTrace>* trace,
             std::vector<Tensor>* tensors) override {
    tensorflow::RunOptions options;
    if (trace != nullptr) {
      options.set_trace_level(tensorflow::RunOptions::SOFTWARE_TRACE);
    }
    tensorflow::RunMetadata metadata;
    tensorflow::thread::ThreadPoolOptions pools;
    pools.intra_op_threadpool = threads_;
    TF_RETURN_IF_ERROR(
        session_->Run(options, feeds, names, {}, tensors, &metadata, pools));
    if (trace != nullptr) *trace = TraceOf(metadata.step_stats());
    return tensorflow::OkStatus();
  }

 private:
  tensorflow::thread::ThreadPoolInterface* const threads_;
  std::unique_ptr<tensorflow::Session> session_;
  SessionConstants constants_;
};

}  // namespace

MadeEngine NewSessionEngine(EngineArguments arguments) {
  auto made = std::make_unique<SessionEngine>(arguments.threads);
  Status status = made->Init(std::move(arguments));
  return {std::move(status), std::move(made)};
}

}  // namespace tfcarve
