#include "tools/runtime/plan/memory_plan.h"

#include <algorithm>
#include <numeric>

namespace tfcarve {
namespace {

bool AreUsedAtOnce(const UsedBlock& a, const UsedBlock& b) {
  return a.begin < b.end && b.begin < a.end;
}

}  // namespace

MemoryPlan PlaceBlocks(const std::vector<UsedBlock>& blocks, size_t unit) {
  MemoryPlan plan;
  plan.offsets.assign(blocks.size(), MemoryPlan::kOutside);
  plan.sizes.reserve(blocks.size());
  for (const UsedBlock& block : blocks) plan.sizes.push_back(block.size);

  std::vector<size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return blocks[a].size > blocks[b].size;
  });
  std::vector<size_t> placed;  // by offset
  for (const size_t index : order) {
    const UsedBlock& block = blocks[index];
    if (block.end == UsedBlock::kNever) continue;
    const auto rounded = [&](size_t size) {
      return (size + unit - 1) / unit * unit;
    };
    size_t offset = 0;
    for (const size_t other : placed) {
      if (!AreUsedAtOnce(block, blocks[other])) continue;
      if (plan.offsets[other] >= offset + rounded(block.size)) break;
      offset =
          std::max(offset, plan.offsets[other] + rounded(blocks[other].size));
    }
    plan.offsets[index] = offset;
    plan.total = std::max(plan.total, offset + rounded(block.size));
    placed.insert(std::upper_bound(placed.begin(), placed.end(), index,
                                   [&](size_t a, size_t b) {
                                     return plan.offsets[a] < plan.offsets[b];
                                   }),
                  index);
  }
  return plan;
}

}  // namespace tfcarve
