// Large constants that a session stores outside of its graph: in the mapped
// file if they are aligned there, otherwise once in memory.
//
// In the graph tfcarve's op replaces Const. It has the index of a constant
// instead of a value; its kernel outputs a tensor that refers to the constant.

#ifndef TFCARVE_TOOLS_RUNTIME_SESSION_CONSTANTS_H_
#define TFCARVE_TOOLS_RUNTIME_SESSION_CONSTANTS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tensorflow/core/framework/graph.pb.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/platform/status.h"
#include "tensorflow/core/public/session.h"
#include "tools/runtime/models/mapped_file.h"

namespace tfcarve {

// The op, which is reserved: an app's graph must not contain it.
struct Constants {
  std::vector<tensorflow::Tensor> tensors;
  size_t mapped_bytes = 0;  // bytes of them in the mapped file
};

// Puts the `contents` that ReadGraphModel removed back into `graph`: unchanged
// if constant folding uses them, otherwise through `constants`. The tensors
// refer to `file`, which contains the contents, or are copies if it is null or
// a content is not aligned in it. Fails if the graph contains the reserved op,
// or if a content does not match the type and shape of its node.
tensorflow::Status PlaceConstants(const std::vector<std::string_view>& contents,
                                  const MappedFile* file,
                                  tensorflow::GraphDef* graph,
                                  Constants* constants);

// Registers the op and its kernel, once per process. Called when they are
// needed: when a library is loaded, it registers only the ops and kernels that
// its models need.
void RegisterConstantOp();

// The constants of a session's graph. Its kernels find them while this object
// exists. Must be destroyed before the session.
class SessionConstants {
 public:
  SessionConstants() = default;
  ~SessionConstants();
  SessionConstants(const SessionConstants&) = delete;
  SessionConstants& operator=(const SessionConstants&) = delete;

  tensorflow::Status Attach(tensorflow::Session* session,
                            std::vector<tensorflow::Tensor> tensors);

  // Returns the constant `index` of the session with the device, or null.
  static const tensorflow::Tensor* Find(const tensorflow::DeviceBase* device,
                                        int64_t index);

 private:
  const tensorflow::DeviceBase* device_ = nullptr;  // unique to the session
  std::vector<tensorflow::Tensor> tensors_;
  SessionConstants* next_ = nullptr;
};

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_SESSION_CONSTANTS_H_
