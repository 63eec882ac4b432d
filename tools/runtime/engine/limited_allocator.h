// The memory of the process, and a session's memory limit.

#ifndef TFCARVE_TOOLS_RUNTIME_ENGINE_LIMITED_ALLOCATOR_H_
#define TFCARVE_TOOLS_RUNTIME_ENGINE_LIMITED_ALLOCATOR_H_

#include <atomic>
#include <cstddef>
#include <string>

#include "tensorflow/core/framework/allocator.h"
#include "tensorflow/core/lib/core/refcount.h"

namespace tfcarve {

// The allocator that all sessions of the process share.
tensorflow::Allocator* ProcessAllocator();

// Returns the memory to the system that the allocator keeps for later runs.
// Defined with the allocator: third_party/tensorflow/overrides/core/
// tensorflow/core/common_runtime/process_state.cc.
void ReleaseCachedMemory();

// Allocates at most `limit` bytes at a time. Tensors may outlive their session:
// each holds a reference.
class LimitedAllocator final : public tensorflow::Allocator,
                               public tensorflow::core::RefCounted {
 public:
  explicit LimitedAllocator(size_t limit) : limit_(limit) {}

  // Part of TensorFlow's message if memory is exhausted.
  std::string Name() override { return "of the session's memory_limit"; }
  void* AllocateRaw(size_t alignment, size_t size) override;
  void DeallocateRaw(void* data) override;

 private:
  bool Reserve(size_t size);

  const size_t limit_;
  std::atomic<size_t> used_{0};  // at most limit_
};

using LimitedAllocatorPtr = tensorflow::core::RefCountPtr<LimitedAllocator>;

// Returns null if the limit is 0: no limit.
LimitedAllocatorPtr NewLimitedAllocator(size_t limit);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_ENGINE_LIMITED_ALLOCATOR_H_
