// The instruction sets of a CPU that the inner loops are compiled for, and the
// choice of one of them. A library contains this choice even if it contains no
// loops, so it must not refer to them.

#ifndef TFCARVE_TOOLS_RUNTIME_MATH_INSTRUCTION_SETS_H_
#define TFCARVE_TOOLS_RUNTIME_MATH_INSTRUCTION_SETS_H_

namespace tfcarve {
namespace math {

struct InstructionSet {
  const char* name;  // the value of TFCARVE_CPU that selects it
  // Whether this machine supports it.
  bool (*is_supported)();
};

// The instruction sets of this library, the best one last.
#if defined(__x86_64__) || defined(__i386__)
constexpr int kInstructionSetCount = 3;
#else
constexpr int kInstructionSetCount = 1;
#endif
extern const InstructionSet kInstructionSets[kInstructionSetCount];

// Returns the index of the selected instruction set: the one that
// SelectInstructionSet named, otherwise the one that the environment variable
// TFCARVE_CPU names, otherwise the best one that this machine supports.
// Selected at the first call, which writes an error to stderr if TFCARVE_CPU
// names an instruction set that cannot be used.
int SelectedInstructionSet();

// Selects an instruction set by name for subsequent runs; "" selects the best
// one that this machine supports. Returns false and changes nothing if there is
// none of this name or this machine does not support it.
bool SelectInstructionSet(const char* name);

}  // namespace math
}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_MATH_INSTRUCTION_SETS_H_
