// Replaces TensorFlow's source of the same path: does not log the memory of
// tensors, which TensorFlow does at VLOG(2), a level that mobile builds do not
// have.

#include "tensorflow/core/framework/log_memory.h"

namespace tensorflow {

const string LogMemory::kLogMemoryLabel = "__LOG_MEMORY__";

bool LogMemory::IsEnabled() { return false; }

void LogMemory::RecordStep(int64_t, const string&) {}

void LogMemory::RecordTensorAllocation(const string&, int64_t, const Tensor&) {}

void LogMemory::RecordTensorDeallocation(int64_t, const string&) {}

void LogMemory::RecordTensorOutput(const string&, int64_t, int, const Tensor&) {
}

void LogMemory::RecordRawAllocation(const string&, int64_t, size_t, void*,
                                    Allocator*) {}

void LogMemory::RecordRawDeallocation(const string&, int64_t, void*, Allocator*,
                                      bool) {}

}  // namespace tensorflow
