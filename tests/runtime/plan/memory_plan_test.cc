// Tests of the places of blocks: blocks that are in use at the same time never
// overlap.

#include "tools/runtime/plan/memory_plan.h"

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "tests/runtime/expecting.h"

namespace {

using tfcarve::MemoryPlan;
using tfcarve::UsedBlock;

constexpr size_t kUnit = 64;

size_t Rounded(size_t size) { return (size + kUnit - 1) / kUnit * kUnit; }

// Returns what is wrong with a plan; empty if it is valid.
std::string Fault(const std::vector<UsedBlock>& blocks,
                  const MemoryPlan& plan) {
  for (size_t i = 0; i < blocks.size(); ++i) {
    const bool is_outside = plan.offsets[i] == MemoryPlan::kOutside;
    if (is_outside != (blocks[i].end == UsedBlock::kNever)) return "outside";
    if (is_outside) continue;
    if (plan.offsets[i] % kUnit != 0) return "alignment";
    if (plan.offsets[i] + blocks[i].size > plan.total) return "total";
    for (size_t j = 0; j < i; ++j) {
      if (plan.offsets[j] == MemoryPlan::kOutside) continue;
      const bool at_once =
          blocks[i].begin < blocks[j].end && blocks[j].begin < blocks[i].end;
      const bool overlap = plan.offsets[i] < plan.offsets[j] + blocks[j].size &&
                           plan.offsets[j] < plan.offsets[i] + blocks[i].size;
      if (at_once && overlap) return "overlap";
    }
  }
  return "";
}

// The most bytes that are in use at once: no plan has fewer.
size_t Peak(const std::vector<UsedBlock>& blocks) {
  size_t peak = 0;
  for (size_t i = 0; i < blocks.size(); ++i) {
    size_t used = 0;
    for (const UsedBlock& block : blocks) {
      const int now = static_cast<int>(i);
      if (block.begin <= now && now < block.end) used += Rounded(block.size);
    }
    peak = std::max(peak, used);
  }
  return peak;
}

void RandomBlocks() {
  std::mt19937 random(1);
  size_t sum_of_totals = 0, sum_of_peaks = 0;
  for (int round = 0; round < 500; ++round) {
    std::vector<UsedBlock> blocks(random() % 60);
    for (size_t i = 0; i < blocks.size(); ++i) {
      blocks[i].begin = static_cast<int>(i);
      blocks[i].size = 1 + random() % (round % 2 == 0 ? 100 : 100000);
      const bool is_free = random() % 10 != 0;
      if (is_free) {
        blocks[i].end = static_cast<int>(i + 1 + random() % 8);
      }
    }
    const MemoryPlan plan = tfcarve::PlaceBlocks(blocks, kUnit);
    const std::string fault = Fault(blocks, plan);
    Expect(fault.empty(), "round " + std::to_string(round) + ": " + fault);
    sum_of_totals += plan.total;
    sum_of_peaks += Peak(blocks);
    Expect(plan.total >= Peak(blocks), "a total below the peak");
  }
  Expect(sum_of_totals < sum_of_peaks * 1.1, "the plans are too large");
}

// The control: the check finds a plan with an overlap.
void AnOverlapIsFound() {
  const std::vector<UsedBlock> blocks = {{64, 0, 2}, {64, 1, 2}, {64, 2, 3}};
  MemoryPlan plan = tfcarve::PlaceBlocks(blocks, kUnit);
  Expect(Fault(blocks, plan).empty() && plan.total == 128, "three blocks");
  plan.offsets[1] = plan.offsets[0];
  Expect(Fault(blocks, plan) == "overlap", "the overlap is not found");
}

}  // namespace

int main() {
  RandomBlocks();
  AnOverlapIsFound();
  return failures == 0 ? 0 : 1;
}
