#include "tools/runtime/api/cpu_choice.h"

#include <cstdlib>
#include <cstring>

#include "tools/runtime/math/instruction_sets.h"

namespace tfcarve {

std::string CpuChoiceError() {
  const char* const name = std::getenv("TFCARVE_CPU");
  if (name == nullptr || *name == '\0') return "";
  std::string names;
  for (const math::InstructionSet& each : math::kInstructionSets) {
    if (std::strcmp(name, each.name) == 0) {
      if (each.is_supported()) return "";
      return std::string("TFCARVE_CPU is ") + name +
             ", which this CPU does not support";
    }
    names += std::string(names.empty() ? "" : ", ") + each.name;
  }
  return std::string("TFCARVE_CPU is '") + name +
         "', which this library does not have; it has: " + names;
}

}  // namespace tfcarve
