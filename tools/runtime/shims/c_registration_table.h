// registration_table.h for sources that register through TensorFlow's C API.
//
// Such a source (tensorflow/c/kernels/bitcast_op.cc for example) evaluates
// SHOULD_REGISTER_OP and SHOULD_REGISTER_OP_KERNEL in an `if` and then calls
// functions, so these macros emit the records. The op of a kernel is unknown in
// the macro: its field is empty.

#ifndef TFCARVE_TOOLS_RUNTIME_SHIMS_C_REGISTRATION_TABLE_H_
#define TFCARVE_TOOLS_RUNTIME_SHIMS_C_REGISTRATION_TABLE_H_

#include "registration_table.h"

// A static variable in a statement expression (g++ and clang). Without the
// empty asm statement clang evaluates the expression as a constant and drops
// the variable.
#define TFCARVE_RECORD_IF_2(id, condition, text) \
  (__extension__({                               \
    TFCARVE_RECORD(id, condition, text)          \
    __asm__ volatile("");                        \
    (condition);                                 \
  }))
#define TFCARVE_RECORD_IF(id, condition, text) \
  TFCARVE_RECORD_IF_2(id, condition, text)

#undef SHOULD_REGISTER_OP
#define SHOULD_REGISTER_OP(op)                                             \
  TFCARVE_RECORD_IF(__COUNTER__, ::tfcarve::Contains(::tfcarve::kOps, op), \
                    "op\x1f" #op                                           \
                    "\x1f"                                                 \
                    "false")

#undef SHOULD_REGISTER_OP_KERNEL
#define SHOULD_REGISTER_OP_KERNEL(clz)                                   \
  TFCARVE_RECORD_IF(__COUNTER__,                                         \
                    ::tfcarve::Contains(::tfcarve::kKernelClasses, clz), \
                    "kernel\x1f\x1f"                                     \
                    "false\x1f" clz)

#endif  // TFCARVE_TOOLS_RUNTIME_SHIMS_C_REGISTRATION_TABLE_H_
