// Memory of a tensor that TensorFlow's allocator does not own.

#ifndef TFCARVE_TOOLS_RUNTIME_MODELS_FOREIGN_BUFFER_H_
#define TFCARVE_TOOLS_RUNTIME_MODELS_FOREIGN_BUFFER_H_

#include <cstddef>

#include "tensorflow/core/framework/allocation_description.pb.h"
#include "tensorflow/core/framework/tensor.h"

namespace tfcarve {

// `size` bytes at `data`, which must exist as long as a tensor refers to them.
class ForeignBuffer : public tensorflow::TensorBuffer {
 public:
  ForeignBuffer(const void* data, size_t size)
      : TensorBuffer(const_cast<void*>(data)), size_(size) {}

  size_t size() const override { return size_; }
  TensorBuffer* root_buffer() override { return this; }
  void FillAllocationDescription(
      tensorflow::AllocationDescription* description) const override {
    description->set_requested_bytes(size_);
  }
  // Prevents kernels from reusing the buffer for their output.
  bool OwnsMemory() const override { return false; }

 private:
  const size_t size_;
};

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_MODELS_FOREIGN_BUFFER_H_
