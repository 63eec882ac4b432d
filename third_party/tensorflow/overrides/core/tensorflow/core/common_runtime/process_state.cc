// In place of TensorFlow's source of this name: CPU memory comes from one
// allocator, which keeps large blocks for the next run of a model. TensorFlow's
// own would pool memory only where the environment (TF_CPU_ALLOCATOR_USE_BFC),
// NUMA or a GPU asks for that: else each run gets its memory from the system
// anew, page by page, which takes up to a sixth of its time.

#include "tensorflow/core/common_runtime/process_state.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "tensorflow/core/framework/allocator.h"
#include "tensorflow/core/platform/mutex.h"

namespace tensorflow {
namespace {

// Before each block lies a header that says how large it is.
class ReusingAllocator : public Allocator {
 public:
  explicit ReusingAllocator(Allocator* system) : system_(system) {}

  std::string Name() override { return system_->Name(); }

  void* AllocateRaw(size_t alignment, size_t size) override {
    // More than the header is unused where a block is to be aligned to more.
    const size_t offset = std::max(alignment, kHeader);
    if (size > kLargest - offset) return nullptr;
    size_t whole = size + offset;
    const bool is_kept = whole >= kSmallestKept && offset == kHeader;
    if (is_kept) {
      whole = (whole + kUnit - 1) / kUnit * kUnit;
      if (void* kept = Take(whole)) return kept;
    }
    char* start = static_cast<char*>(system_->AllocateRaw(offset, whole));
    if (start == nullptr && is_kept) {
      Release(0);
      start = static_cast<char*>(system_->AllocateRaw(offset, whole));
    }
    if (start == nullptr) return nullptr;
    Block* const block = reinterpret_cast<Block*>(start + offset) - 1;
    *block = {start, is_kept ? whole : 0};
    if (is_kept) {
      mutex_lock lock(mutex_);
      Use(whole);
    }
    return start + offset;
  }

  void DeallocateRaw(void* pointer) override {
    if (pointer == nullptr) return;
    const Block block = *(static_cast<Block*>(pointer) - 1);
    if (block.size == 0) {
      system_->DeallocateRaw(block.start);
      return;
    }
    size_t most;
    {
      mutex_lock lock(mutex_);
      used_ -= block.size;
      kept_.push_back(block);
      kept_size_ += block.size;
      most = most_used_ + most_used_ / 2 - used_;
    }
    Release(most);
  }

 private:
  struct Block {
    char* start;
    size_t size;  // with the header; 0 if the block is not to be kept
  };

  static constexpr size_t kHeader = kAllocatorAlignment;
  static_assert(sizeof(Block) <= kHeader, "the header is too small");
  static constexpr size_t kUnit = 16 * 1024;
  static constexpr size_t kSmallestKept = 64 * 1024;
  static constexpr size_t kLargest = ~size_t{0} / 2;

  // The smallest of the blocks kept that is not much too large; or null.
  void* Take(size_t size) {
    mutex_lock lock(mutex_);
    auto best = kept_.end();
    for (auto block = kept_.begin(); block != kept_.end(); ++block) {
      if (block->size >= size && block->size <= 4 * size &&
          (best == kept_.end() || block->size < best->size)) {
        best = block;
      }
    }
    if (best == kept_.end()) return nullptr;
    const Block block = *best;
    kept_.erase(best);
    kept_size_ -= block.size;
    Use(block.size);
    return block.start + kHeader;
  }

  void Use(size_t size) TF_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    used_ += size;
    most_used_ = std::max(most_used_, used_);
  }

  // Gives blocks back to the system, those first that were freed first, until
  // no more than `most` bytes are kept.
  void Release(size_t most) {
    std::vector<Block> released;
    {
      mutex_lock lock(mutex_);
      auto end = kept_.begin();
      while (end != kept_.end() && kept_size_ > most) {
        kept_size_ -= end->size;
        ++end;
      }
      released.assign(kept_.begin(), end);
      kept_.erase(kept_.begin(), end);
    }
    for (const Block& block : released) system_->DeallocateRaw(block.start);
  }

  Allocator* const system_;
  mutex mutex_;
  std::vector<Block> kept_ TF_GUARDED_BY(mutex_);
  size_t kept_size_ TF_GUARDED_BY(mutex_) = 0;
  // Of blocks that are kept when they are freed: never more than half as much
  // again are there as were used at once. Without that half, blocks that are
  // too small for the next tensor would be given back and asked for in each
  // run.
  size_t used_ TF_GUARDED_BY(mutex_) = 0;
  size_t most_used_ TF_GUARDED_BY(mutex_) = 0;
};

}  // namespace

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

Allocator* ProcessState::GetCPUAllocator(int) {
  static Allocator* const allocator =
      new ReusingAllocator(cpu_allocator_base());
  return allocator;
}

}  // namespace tensorflow
