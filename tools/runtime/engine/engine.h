// What runs the graph of a session: a plan, or TensorFlow's own session.

#ifndef TFCARVE_TOOLS_RUNTIME_ENGINE_ENGINE_H_
#define TFCARVE_TOOLS_RUNTIME_ENGINE_ENGINE_H_

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/platform/status.h"
#include "tensorflow/core/platform/threadpool_interface.h"
#include "tools/runtime/engine/engine_factory.h"
#include "tools/runtime/engine/trace.h"
#include "tools/runtime/models/graph_model.h"
#include "tools/runtime/models/mapped_file.h"

namespace tfcarve {

// The op of a kernel that TensorFlow's session registers for its constants. It
// is not one of the library's ops.
inline constexpr char kConstantOp[] = "_TfcarveConstant";

// Tensors that replace those of the graph, by names like "x" and "x:1".
using Feeds = std::vector<std::pair<std::string, tensorflow::Tensor>>;

// Runs a graph. Several threads may run it at once; each run computes in its
// caller's thread and in the session's threads.
class Engine {
 public:
  virtual ~Engine() = default;

  // Computes the tensors `names`. Sets `trace` if it is not null: the
  // executions of nodes in the order in which they ended.
  virtual tensorflow::Status Run(const Feeds& feeds,
                                 const std::vector<std::string>& names,
                                 std::vector<NodeTrace>* trace,
                                 std::vector<tensorflow::Tensor>* tensors) = 0;

  // Bytes of the constants that are used in the mapped file.
  size_t mapped_bytes() const { return mapped_bytes_; }

 protected:
  size_t mapped_bytes_ = 0;
};

struct EngineArguments {
  GraphModel model;
  const MappedFile* file = nullptr;  // contains the model's contents, or null
  size_t memory_limit = 0;           // in bytes, for the tensors of runs
  // Must outlive the engine; null to compute only in the caller's thread.
  tensorflow::thread::ThreadPoolInterface* threads = nullptr;
};

// An engine, or why there is none.
struct MadeEngine {
  tensorflow::Status status;
  std::unique_ptr<Engine> engine;
};

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_ENGINE_ENGINE_H_
