#include "tools/runtime/math/instruction_sets.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#if defined(__x86_64__) || defined(__i386__)
#include "tools/runtime/math/x86_features.h"
#endif

namespace tfcarve {
namespace math {
namespace {

constexpr int kNone = -1;

// kNone until it is first needed.
std::atomic<int> selected{kNone};

// Returns the best instruction set of this name, or of all if it is empty, or
// kNone if this machine supports none.
int Find(const char* name) {
  int best = kNone;
  for (int i = 0; i < kInstructionSetCount; ++i) {
    const InstructionSet& each = kInstructionSets[i];
    const bool is_named = *name == '\0' || std::strcmp(name, each.name) == 0;
    if (is_named && each.is_supported()) best = i;
  }
  return best;
}

bool Always() { return true; }

}  // namespace

const InstructionSet kInstructionSets[kInstructionSetCount] = {
#if defined(__x86_64__) || defined(__i386__)
    {"baseline", Always}, {"avx2", HasAvx2AndFma}, {"avx512", HasAvx512}
#else
    {"neon", Always}
#endif
};

bool SelectInstructionSet(const char* name) {
  const int found = Find(name);
  if (found != kNone) selected.store(found, std::memory_order_relaxed);
  return found != kNone;
}

int SelectedInstructionSet() {
  int set = selected.load(std::memory_order_relaxed);
  if (set == kNone) {
    const char* name = std::getenv("TFCARVE_CPU");
    const int named = Find(name == nullptr ? "" : name);
    const int first = named == kNone ? Find("") : named;
    // If another thread was faster, sets `set` to that thread's choice.
    if (selected.compare_exchange_strong(set, first,
                                         std::memory_order_relaxed)) {
      set = first;
      if (named == kNone) {
        std::fprintf(
            stderr,
            "tfcarve: TFCARVE_CPU is '%s', which this library does not "
            "have or this CPU does not support; using %s\n",
            name, kInstructionSets[first].name);
      }
    }
  }
  return set;
}

}  // namespace math
}  // namespace tfcarve
