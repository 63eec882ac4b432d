// The registrations of a unit, from two macros that it defines before including
// this file:
//
//   #define TFCARVE_KERNEL_CLASSES "BiasOp<CPUDevice, float>"
//   #define TFCARVE_OPS "BiasAdd", "BiasAddV1"
//   #include "selected.h"
//   #include "tensorflow/core/kernels/bias_op.cc"
//
// Both are lists of string literals, separated by commas. An undefined or empty
// macro selects nothing: the core's sources include this file without macros
// and register only ops and kernels that TensorFlow always registers
// (REGISTER_SYSTEM_OP, REGISTER_SYSTEM_KERNEL_BUILDER).
//
// A changed model changes the lists of some units, and only these units are
// recompiled.

#ifndef TFCARVE_TOOLS_RUNTIME_SHIMS_SELECTED_H_
#define TFCARVE_TOOLS_RUNTIME_SHIMS_SELECTED_H_

// Unless this is defined, list kernels include XLA's header for pluggable
// devices, which carved libraries do not have (core/kernels/list_kernels.h).
#ifndef PLATFORM_CHROMIUMOS
#define PLATFORM_CHROMIUMOS
#endif

#ifndef TFCARVE_KERNEL_CLASSES
#define TFCARVE_KERNEL_CLASSES
#endif
#ifndef TFCARVE_OPS
#define TFCARVE_OPS
#endif

namespace tfcarve {

// Unnamed, because each unit has different lists.
namespace {

constexpr const char* kKernelClasses[] = {"", TFCARVE_KERNEL_CLASSES};
constexpr const char* kOps[] = {"", TFCARVE_OPS};

}  // namespace
}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_SHIMS_SELECTED_H_
