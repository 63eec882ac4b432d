#include "tools/runtime/engine/limited_allocator.h"

#include <algorithm>
#include <cstdint>

#include "tensorflow/core/common_runtime/process_state.h"
#include "tensorflow/core/platform/numa.h"

namespace tfcarve {
namespace {

// In front of the data.
struct alignas(16) Header {
  void* start;
  size_t size;
};

Header* HeaderOf(void* data) { return static_cast<Header*>(data) - 1; }

}  // namespace

tensorflow::Allocator* ProcessAllocator() {
  return tensorflow::ProcessState::singleton()->GetCPUAllocator(
      tensorflow::port::kNUMANoAffinity);
}

void* LimitedAllocator::AllocateRaw(size_t alignment, size_t size) {
  const size_t offset = std::max(alignment, sizeof(Header));
  if (size > SIZE_MAX - offset || !Reserve(size)) return nullptr;
  void* const start = ProcessAllocator()->AllocateRaw(offset, size + offset);
  if (start == nullptr) {
    used_ -= size;
    return nullptr;
  }
  char* const data = static_cast<char*>(start) + offset;
  *HeaderOf(data) = {start, size};
  Ref();
  return data;
}

void LimitedAllocator::DeallocateRaw(void* data) {
  const Header header = *HeaderOf(data);
  ProcessAllocator()->DeallocateRaw(header.start);
  used_ -= header.size;
  Unref();
}

bool LimitedAllocator::Reserve(size_t size) {
  size_t used = used_;
  do {
    if (size > limit_ - used) return false;
  } while (!used_.compare_exchange_weak(used, used + size));
  return true;
}

LimitedAllocatorPtr NewLimitedAllocator(size_t limit) {
  return LimitedAllocatorPtr(limit == 0 ? nullptr
                                        : new LimitedAllocator(limit));
}

}  // namespace tfcarve
