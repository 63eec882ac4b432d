// The memory of runs: what the first run of a program allocates is placed in
// one piece of memory, which later runs use without asking an allocator.

#ifndef TFCARVE_TOOLS_RUNTIME_PLAN_RUN_MEMORY_H_
#define TFCARVE_TOOLS_RUNTIME_PLAN_RUN_MEMORY_H_

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tensorflow/core/framework/allocator.h"
#include "tensorflow/core/lib/core/refcount.h"
#include "tools/runtime/engine/limited_allocator.h"
#include "tools/runtime/plan/memory_plan.h"

namespace tfcarve {

class Arena;
class RunLog;

// Allocates for the run of the current thread. Tensors may outlive their
// session: each holds a reference.
class RunAllocator final : public tensorflow::Allocator,
                           public tensorflow::core::RefCounted {
 public:
  std::string Name() override { return ProcessAllocator()->Name(); }
  void* AllocateRaw(size_t alignment, size_t size) override;
  void DeallocateRaw(void* data) override;

 private:
  // Allocates outside of an arena. `log` records the block, if it is not null.
  void* AllocateOutside(size_t alignment, size_t size, RunLog* log);
};

// What the runs of a program know of its allocations. Several threads may run
// the program at once: each has an arena of its own.
class ProgramMemory {
 public:
  ProgramMemory() = default;
  ~ProgramMemory();
  ProgramMemory(const ProgramMemory&) = delete;
  ProgramMemory& operator=(const ProgramMemory&) = delete;

 private:
  friend class RunMemory;

  std::mutex mutex_;
  std::shared_ptr<const MemoryPlan> plan_;
  std::vector<Arena*> idle_;
  bool is_recording_ = false;
  int failures_ = 0;  // runs that allocated other blocks than the plan has
};

// The memory of the current thread's run, for as long as the object exists.
class RunMemory {
 public:
  explicit RunMemory(ProgramMemory* program);
  ~RunMemory();
  RunMemory(const RunMemory&) = delete;
  RunMemory& operator=(const RunMemory&) = delete;

  // The run has computed its results. Other runs do not show what the program
  // allocates.
  void set_complete() { is_complete_ = true; }

  // Whether allocations of the current thread belong to a run that records them
  // or has a plan.
  static bool IsActive() { return current_ != nullptr; }

 private:
  friend class RunAllocator;

  void EndRecording();
  void EndReplay();
  // Returns the block for the next allocation, or null if it has none.
  void* Replay(size_t alignment, size_t size);

  static thread_local RunMemory* current_;

  ProgramMemory* const program_;
  RunMemory* const outer_;
  std::shared_ptr<const MemoryPlan> plan_;
  Arena* arena_ = nullptr;
  RunLog* log_ = nullptr;
  size_t next_ = 0;  // number of the next allocation
  bool differs_ = false;
  bool is_complete_ = false;
};

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_PLAN_RUN_MEMORY_H_
