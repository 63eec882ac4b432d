// Which instruction set the library computes with, as the environment says.

#ifndef TFCARVE_TOOLS_RUNTIME_CPU_CHOICE_H_
#define TFCARVE_TOOLS_RUNTIME_CPU_CHOICE_H_

#include <string>

namespace tfcarve {

// Why the instruction set that the environment variable TFCARVE_CPU names can't
// be used; empty if it can, or if the variable is not set.
std::string CpuChoiceError();

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_CPU_CHOICE_H_
