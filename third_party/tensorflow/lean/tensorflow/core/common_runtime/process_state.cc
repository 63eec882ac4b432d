// In place of TensorFlow's source of this name: CPU memory comes from the
// process's one allocator. TensorFlow's own would also pool it where the
// environment (TF_CPU_ALLOCATOR_USE_BFC), NUMA or a GPU asks for that.

#include "tensorflow/core/common_runtime/process_state.h"

#include "tensorflow/core/framework/allocator.h"

namespace tensorflow {

/*static*/ ProcessState* ProcessState::singleton() {
  static ProcessState* const state = [] {
    auto* made = new ProcessState;
    AllocatorFactoryRegistry::singleton()->process_state_ = made;
    return made;
  }();
  return state;
}

ProcessState::ProcessState()
    : numa_enabled_(false), cpu_allocators_cached_(0) {}

ProcessState::MemDesc ProcessState::PtrType(const void*) { return MemDesc(); }

Allocator* ProcessState::GetCPUAllocator(int) { return cpu_allocator_base(); }

}  // namespace tensorflow
