// The instruction set that the environment selects.

#ifndef TFCARVE_TOOLS_RUNTIME_API_CPU_CHOICE_H_
#define TFCARVE_TOOLS_RUNTIME_API_CPU_CHOICE_H_

#include <string>

namespace tfcarve {

// Returns why the instruction set in the environment variable TFCARVE_CPU
// cannot be used; empty if it can, or if the variable is not set.
std::string CpuChoiceError();

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_API_CPU_CHOICE_H_
