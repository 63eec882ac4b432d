// Places of blocks in one piece of memory.

#ifndef TFCARVE_TOOLS_RUNTIME_PLAN_MEMORY_PLAN_H_
#define TFCARVE_TOOLS_RUNTIME_PLAN_MEMORY_PLAN_H_

#include <cstddef>
#include <vector>

namespace tfcarve {

// A block that a run allocated. The run's allocations are counted: the block is
// in use from the allocation `begin` on, and free at the allocation `end`.
struct UsedBlock {
  size_t size = 0;
  int begin = 0;
  int end = kNever;  // kNever: it was in use when the run ended

  static constexpr int kNever = -1;
};

struct MemoryPlan {
  // For each allocation of a run; kOutside for blocks that have no place.
  std::vector<size_t> sizes;
  std::vector<size_t> offsets;
  size_t total = 0;

  static constexpr size_t kOutside = ~size_t{0};
};

// Places blocks so that blocks which are in use at the same time do not
// overlap: the largest first, each at the lowest free place. The sizes are
// rounded up to multiples of `unit`, which the offsets are multiples of.
//
// Source: "greedy by size" in Pisarchyk and Lee, Efficient Memory Management
// for Deep Neural Net Inference, 2020, arXiv:2001.03288.
MemoryPlan PlaceBlocks(const std::vector<UsedBlock>& blocks, size_t unit);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_PLAN_MEMORY_PLAN_H_
