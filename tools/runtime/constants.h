// Large constants that a session holds beside its graph: in a mapped file where
// they lie as TensorFlow needs them, else in memory, once.
//
// In the graph an op of our own takes the place of Const. It has no value, but
// the number of its constant; its kernel gives a tensor that refers to it.

#ifndef TFCARVE_TOOLS_RUNTIME_CONSTANTS_H_
#define TFCARVE_TOOLS_RUNTIME_CONSTANTS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tensorflow/core/framework/graph.pb.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/platform/status.h"
#include "tensorflow/core/public/session.h"
#include "tools/runtime/mapped_file.h"

namespace tfcarve {

// The op. No graph from outside may have it.
inline constexpr char kConstantOp[] = "_TfcarveConstant";

// What the addresses of constants are multiples of: of Eigen's vectors none
// needs more, and it is what TensorFlow's own allocator gives.
inline constexpr uintptr_t kConstantAlignment = 64;

struct Constants {
  std::vector<tensorflow::Tensor> tensors;
  size_t mapped_bytes = 0;  // how many bytes of them are in the mapped file
};

// Gives `graph`, which SplitGraphDef took `contents` from, its constants back:
// those that constant folding uses as they were, the others by way of
// `constants`. These refer to `file`, which holds the contents, or are copied
// where it is null or a content is not aligned in it. Fails where the graph has
// the op already, or a content is not what its node's type and shape say.
tensorflow::Status PlaceConstants(const std::vector<std::string_view>& contents,
                                  const MappedFile* file,
                                  tensorflow::GraphDef* graph,
                                  Constants* constants);

// Makes the op and its kernel known, once a process. By code and when it is
// needed: what a library registers from its start is what its models need.
void RegisterConstantOp();

// The constants of a session's graph, which its kernels find for as long as
// this lives. It must end before the session.
class SessionConstants {
 public:
  SessionConstants() = default;
  ~SessionConstants();
  SessionConstants(const SessionConstants&) = delete;
  SessionConstants& operator=(const SessionConstants&) = delete;

  tensorflow::Status Attach(tensorflow::Session* session,
                            std::vector<tensorflow::Tensor> tensors);

  // Returns the constant `index` of the session that has `device`, or null.
  static const tensorflow::Tensor* Find(const tensorflow::DeviceBase* device,
                                        int64_t index);

 private:
  const tensorflow::DeviceBase* device_ = nullptr;  // no other session has it
  std::vector<tensorflow::Tensor> tensors_;
  SessionConstants* next_ = nullptr;
};

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_CONSTANTS_H_
