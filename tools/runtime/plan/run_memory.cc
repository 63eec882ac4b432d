#include "tools/runtime/plan/run_memory.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace tfcarve {
namespace {

using ::tensorflow::Allocator;

// Smaller blocks come from malloc, which is as fast.
constexpr size_t kMinPlannedSize = 4096;
// A run with more allocations has loops; to place its blocks takes too long.
constexpr size_t kMaxBlocks = 2000;
// Programs whose runs differ, because their inputs have other shapes, get no
// further plans.
constexpr int kMaxFailures = 3;
constexpr size_t kUnit = Allocator::kAllocatorAlignment;

// In front of the data of each block.
struct alignas(kUnit) Header {
  Arena* arena;  // null if the block is outside
  RunLog* log;   // null if the block is not recorded
  void* start;   // of a block outside
  int index;     // of the allocation
};
static_assert(sizeof(Header) == kUnit);

Header* HeaderOf(void* data) { return static_cast<Header*>(data) - 1; }

}  // namespace

// What a run allocates. Blocks may be freed by other threads, and after the
// run.
class RunLog : public tensorflow::core::RefCounted {
 public:
  // Returns the number of the block.
  int Add(size_t size) {
    std::lock_guard<std::mutex> lock(mutex_);
    const int index = static_cast<int>(blocks_.size());
    is_full_ |= blocks_.size() == kMaxBlocks;
    if (!is_full_) blocks_.push_back({size, index});
    return index;
  }

  void End(int index) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (static_cast<size_t>(index) == kMaxBlocks) return;
    blocks_[index].end = static_cast<int>(blocks_.size());
  }

  // Whether the run allocated more blocks than the log has.
  bool IsFull() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return is_full_;
  }

  std::vector<UsedBlock> blocks() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return blocks_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<UsedBlock> blocks_;
  bool is_full_ = false;
};

// The memory of a plan. Its owner and each block in use hold a reference.
class Arena : public tensorflow::core::RefCounted {
 public:
  // Returns null if memory is exhausted.
  static Arena* New(std::shared_ptr<const MemoryPlan> plan) {
    void* const memory = ProcessAllocator()->AllocateRaw(kUnit, plan->total);
    return memory == nullptr ? nullptr : new Arena(std::move(plan), memory);
  }

  // Returns the place of an allocation, or null if another block is in it.
  void* Take(int index) {
    const size_t begin = plan_->offsets[index];
    const size_t end = begin + plan_->sizes[index];
    {
      std::lock_guard<std::mutex> lock(mutex_);
      for (const int other : used_) {
        const size_t start = plan_->offsets[other];
        if (begin < start + plan_->sizes[other] && start < end) return nullptr;
      }
      used_.push_back(index);
    }
    Ref();
    return static_cast<char*>(memory_) + begin;
  }

  void Free(int index) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      auto found = std::find(used_.begin(), used_.end(), index);
      *found = used_.back();
      used_.pop_back();
    }
    Unref();
  }

  bool IsFree() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return used_.empty();
  }

 private:
  Arena(std::shared_ptr<const MemoryPlan> plan, void* memory)
      : plan_(std::move(plan)), memory_(memory) {}
  ~Arena() override { ProcessAllocator()->DeallocateRaw(memory_); }

  const std::shared_ptr<const MemoryPlan> plan_;
  void* const memory_;
  mutable std::mutex mutex_;
  std::vector<int> used_;  // allocations whose blocks are in use
};

void* RunAllocator::AllocateRaw(size_t alignment, size_t size) {
  RunMemory* const run = RunMemory::current_;
  void* data = nullptr;
  RunLog* log = nullptr;
  if (run != nullptr && size >= kMinPlannedSize && size <= SIZE_MAX / 2) {
    log = run->log_;
    if (log == nullptr) data = run->Replay(alignment, size);
  }
  if (data == nullptr) data = AllocateOutside(alignment, size, log);
  if (data != nullptr) Ref();
  return data;
}

void* RunAllocator::AllocateOutside(size_t alignment, size_t size,
                                    RunLog* log) {
  const size_t offset = std::max(alignment, sizeof(Header));
  if (size > SIZE_MAX - offset) return nullptr;
  void* const start = ProcessAllocator()->AllocateRaw(offset, size + offset);
  if (start == nullptr) return nullptr;
  char* const data = static_cast<char*>(start) + offset;
  *HeaderOf(data) = {nullptr, log, start, 0};
  if (log != nullptr) {
    log->Ref();
    HeaderOf(data)->index = log->Add(size + sizeof(Header));
  }
  return data;
}

void RunAllocator::DeallocateRaw(void* data) {
  const Header header = *HeaderOf(data);
  if (header.arena != nullptr) {
    header.arena->Free(header.index);
  } else {
    if (header.log != nullptr) {
      header.log->End(header.index);
      header.log->Unref();
    }
    ProcessAllocator()->DeallocateRaw(header.start);
  }
  Unref();
}

ProgramMemory::~ProgramMemory() {
  for (Arena* const arena : idle_) arena->Unref();
}

thread_local RunMemory* RunMemory::current_ = nullptr;

RunMemory::RunMemory(ProgramMemory* program)
    : program_(program), outer_(current_) {
  current_ = nullptr;
  {
    std::lock_guard<std::mutex> lock(program->mutex_);
    if (program->failures_ >= kMaxFailures) return;
    plan_ = program->plan_;
    if (plan_ == nullptr) {
      if (program->is_recording_) return;
      program->is_recording_ = true;
    } else if (!program->idle_.empty()) {
      arena_ = program->idle_.back();
      program->idle_.pop_back();
    }
  }
  if (plan_ == nullptr) {
    log_ = new RunLog;
  } else if (arena_ == nullptr) {
    arena_ = plan_->total == 0 ? nullptr : Arena::New(plan_);
    if (arena_ == nullptr) return;
  }
  current_ = this;
}

RunMemory::~RunMemory() {
  current_ = outer_;
  if (log_ != nullptr) EndRecording();
  if (arena_ != nullptr) EndReplay();
}

void RunMemory::EndRecording() {
  const std::vector<UsedBlock> blocks = log_->blocks();
  const bool has_plan = is_complete_ && !log_->IsFull();
  log_->Unref();
  std::shared_ptr<const MemoryPlan> plan;
  if (has_plan) {
    plan = std::make_shared<const MemoryPlan>(PlaceBlocks(blocks, kUnit));
  }
  {
    std::lock_guard<std::mutex> lock(program_->mutex_);
    program_->is_recording_ = false;
    program_->plan_ = std::move(plan);
    if (is_complete_ && !has_plan) program_->failures_ = kMaxFailures;
  }
  // Runs with a plan do not need the blocks of this run.
  if (has_plan) ReleaseCachedMemory();
}

void RunMemory::EndReplay() {
  differs_ |= is_complete_ && next_ != plan_->sizes.size();
  // A tensor of the run may still be in the arena.
  const bool is_free = arena_->IsFree();
  std::vector<Arena*> dropped;
  {
    std::lock_guard<std::mutex> lock(program_->mutex_);
    const bool is_current = program_->plan_ == plan_;
    if ((differs_ || !is_free) && is_current) {
      ++program_->failures_;
      program_->plan_ = nullptr;
      dropped = std::move(program_->idle_);
      program_->idle_.clear();
    }
    if (differs_ || !is_free || !is_current) {
      dropped.push_back(arena_);
    } else {
      program_->idle_.push_back(arena_);
    }
  }
  for (Arena* const arena : dropped) arena->Unref();
}

void* RunMemory::Replay(size_t alignment, size_t size) {
  const size_t index = next_++;
  if (differs_ || index >= plan_->sizes.size() ||
      plan_->sizes[index] != size + sizeof(Header)) {
    differs_ = true;
    return nullptr;
  }
  if (alignment > kUnit || plan_->offsets[index] == MemoryPlan::kOutside) {
    return nullptr;
  }
  void* const start = arena_->Take(static_cast<int>(index));
  if (start == nullptr) return nullptr;
  Header* const header = static_cast<Header*>(start);
  *header = {arena_, nullptr, nullptr, static_cast<int>(index)};
  return header + 1;
}

}  // namespace tfcarve
