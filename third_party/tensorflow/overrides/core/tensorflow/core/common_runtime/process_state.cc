// Replaces TensorFlow's source of the same path: CPU memory comes from an
// allocator that caches large blocks for the next run of a model, and gets
// small blocks from malloc. TensorFlow's allocator pools memory only if the
// environment (TF_CPU_ALLOCATOR_USE_BFC), NUMA or a GPU requires it; otherwise
// each run gets its memory from the system, page by page, which takes up to a
// sixth of its time.

#include "tensorflow/core/common_runtime/process_state.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tensorflow/core/framework/allocator.h"
#include "tensorflow/core/platform/mem.h"
#include "tensorflow/core/platform/mutex.h"
#include "tensorflow/core/public/version.h"

namespace tensorflow {
namespace {

// Each block is preceded by a header.
class CachingAllocator : public Allocator {
 public:
  explicit CachingAllocator(Allocator* system) : system_(system) {}

  std::string Name() override { return system_->Name(); }

  void* AllocateRaw(size_t alignment, size_t size) override {
    if (size < kMinCached && alignment <= kHeader) return AllocateSmall(size);
    // A larger alignment leaves unused bytes before the header.
    const size_t offset = std::max(alignment, kHeader);
    if (size > kMaxSize - offset) return nullptr;
    size_t total = size + offset;
    const bool is_cached = offset == kHeader;
    if (is_cached) {
      total = (total + kUnit - 1) / kUnit * kUnit;
      if (void* cached = Take(total)) return cached;
    }
    char* start = static_cast<char*>(system_->AllocateRaw(offset, total));
    if (start == nullptr && is_cached) {
      Release(0);
      start = static_cast<char*>(system_->AllocateRaw(offset, total));
    }
    if (start == nullptr) return nullptr;
    Block* const block = reinterpret_cast<Block*>(start + offset) - 1;
    *block = {start, is_cached ? total : kNotCached};
    if (is_cached) {
      mutex_lock lock(mutex_);
      Use(total);
    }
    return start + offset;
  }

  // Returns all cached blocks to the system.
  void ReleaseAll() { Release(0); }

  void DeallocateRaw(void* pointer) override {
    if (pointer == nullptr) return;
    const Block block = *(static_cast<Block*>(pointer) - 1);
    if (block.size == kSmall) return port::Free(block.start);
    if (block.size == kNotCached) return system_->DeallocateRaw(block.start);
    size_t limit;
    {
      mutex_lock lock(mutex_);
      used_ -= block.size;
      cached_.push_back(block);
      cached_size_ += block.size;
      limit = max_used_ + max_used_ / 2 - used_;
    }
    Release(limit);
  }

 private:
  struct Block {
    char* start;
    size_t size;  // including the header, or one of the numbers below
  };

  // From malloc, or from the system's allocator and not cached when freed.
  static constexpr size_t kSmall = 0, kNotCached = 1;
  static constexpr size_t kHeader = kAllocatorAlignment;
  static_assert(sizeof(Block) <= kHeader, "the header is too small");
  static constexpr size_t kUnit = 16 * 1024;
  static constexpr size_t kMinCached = 64 * 1024;
  static constexpr size_t kMaxSize = ~size_t{0} / 2;

  // malloc is three to five times as fast as posix_memalign in glibc.
  static void* AllocateSmall(size_t size) {
    char* const start =
        static_cast<char*>(port::Malloc(sizeof(Block) + kHeader + size));
    if (start == nullptr) return nullptr;
    char* const end = start + sizeof(Block) + kHeader;
    char* const data = end - reinterpret_cast<std::uintptr_t>(end) % kHeader;
    *(reinterpret_cast<Block*>(data) - 1) = {start, kSmall};
    return data;
  }

  // Takes the smallest cached block that fits and is not much too large.
  // Returns null if there is none.
  void* Take(size_t size) {
    mutex_lock lock(mutex_);
    auto best = cached_.end();
    for (auto block = cached_.begin(); block != cached_.end(); ++block) {
      if (block->size >= size && block->size <= 4 * size &&
          (best == cached_.end() || block->size < best->size)) {
        best = block;
      }
    }
    if (best == cached_.end()) return nullptr;
    const Block block = *best;
    cached_.erase(best);
    cached_size_ -= block.size;
    Use(block.size);
    return block.start + kHeader;
  }

  void Use(size_t size) TF_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    used_ += size;
    max_used_ = std::max(max_used_, used_);
  }

  // Returns blocks to the system, in the order in which they were freed, until
  // at most `limit` bytes are cached.
  void Release(size_t limit) {
    std::vector<Block> released;
    {
      mutex_lock lock(mutex_);
      auto end = cached_.begin();
      while (end != cached_.end() && cached_size_ > limit) {
        cached_size_ -= end->size;
        ++end;
      }
      released.assign(cached_.begin(), end);
      cached_.erase(cached_.begin(), end);
    }
    for (const Block& block : released) system_->DeallocateRaw(block.start);
  }

  Allocator* const system_;
  mutex mutex_;
  std::vector<Block> cached_ TF_GUARDED_BY(mutex_);
  size_t cached_size_ TF_GUARDED_BY(mutex_) = 0;
  // Bytes of blocks that are cached when they are freed. Used and cached blocks
  // together are at most 1.5 times the maximum that was used at once. Without
  // the additional half, blocks that are too small for the next tensor would be
  // released and allocated in each run.
  size_t used_ TF_GUARDED_BY(mutex_) = 0;
  size_t max_used_ TF_GUARDED_BY(mutex_) = 0;
};

CachingAllocator* SharedAllocator() {
  static auto* const allocator = new CachingAllocator(cpu_allocator_base());
  return allocator;
}

}  // namespace

/*static*/ ProcessState* ProcessState::singleton() {
  static ProcessState* const state = [] {
    auto* created = new ProcessState;
#if TF_MINOR_VERSION >= 16
    AllocatorFactoryRegistry::singleton()->SetProcessState(created);
#else
    AllocatorFactoryRegistry::singleton()->process_state_ = created;
#endif
    return created;
  }();
  return state;
}

ProcessState::ProcessState()
    : numa_enabled_(false), cpu_allocators_cached_(0) {}

ProcessState::MemDesc ProcessState::PtrType(const void*) { return MemDesc(); }

Allocator* ProcessState::GetCPUAllocator(int) { return SharedAllocator(); }

}  // namespace tensorflow

namespace tfcarve {

// Declared in tools/runtime/engine/limited_allocator.h.
void ReleaseCachedMemory() { tensorflow::SharedAllocator()->ReleaseAll(); }

}  // namespace tfcarve
