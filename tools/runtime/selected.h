// What a compilation unit registers, from two macros that it defines before:
//
//   #define TFCARVE_KERNEL_CLASSES "BiasOp<CPUDevice, float>"
//   #define TFCARVE_OPS "BiasAdd", "BiasAddV1"
//   #include "selected.h"
//   #include "tensorflow/core/kernels/bias_op.cc"
//
// Both are lists of string literals with commas between them. A macro that is
// not defined, or is empty, selects nothing: so the core's sources, which have
// this header included without macros, register only what TensorFlow always
// registers (REGISTER_SYSTEM_OP, REGISTER_SYSTEM_KERNEL_BUILDER).
//
// A changed model changes the lists of some units and recompiles these.

#ifndef TFCARVE_TOOLS_RUNTIME_SELECTED_H_
#define TFCARVE_TOOLS_RUNTIME_SELECTED_H_

// Kernels of lists ask for XLA's header of plug-in devices, which no carved
// library has, but on systems that have none (core/kernels/list_kernels.h).
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

// Unnamed, since the lists differ from unit to unit.
namespace {

constexpr const char* kKernelClasses[] = {"", TFCARVE_KERNEL_CLASSES};
constexpr const char* kOps[] = {"", TFCARVE_OPS};

}  // namespace
}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_SELECTED_H_
