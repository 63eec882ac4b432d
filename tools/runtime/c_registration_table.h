// registration_table.h for sources that register through TensorFlow's C API.
//
// Such a source asks SHOULD_REGISTER_OP and SHOULD_REGISTER_OP_KERNEL in an
// `if` and then calls functions (tensorflow/c/kernels/bitcast_op.cc and its
// like), so the records are left where it asks. The op of a kernel is not known
// there: its field is empty.

#ifndef TFCARVE_TOOLS_RUNTIME_C_REGISTRATION_TABLE_H_
#define TFCARVE_TOOLS_RUNTIME_C_REGISTRATION_TABLE_H_

#include "registration_table.h"

// A static variable within an expression, as g++ and clang know it. Without the
// empty statement clang takes the expression for a constant and drops the
// variable.
#define TFCARVE_ASK_2(id, condition, text) \
  (__extension__({                         \
    TFCARVE_RECORD(id, condition, text)    \
    __asm__ volatile("");                  \
    (condition);                           \
  }))
#define TFCARVE_ASK(id, condition, text) TFCARVE_ASK_2(id, condition, text)

#undef SHOULD_REGISTER_OP
#define SHOULD_REGISTER_OP(op)                                       \
  TFCARVE_ASK(__COUNTER__, ::tfcarve::Contains(::tfcarve::kOps, op), \
              "op\x1f" #op                                           \
              "\x1f"                                                 \
              "false")

#undef SHOULD_REGISTER_OP_KERNEL
#define SHOULD_REGISTER_OP_KERNEL(clz)                             \
  TFCARVE_ASK(__COUNTER__,                                         \
              ::tfcarve::Contains(::tfcarve::kKernelClasses, clz), \
              "kernel\x1f\x1f"                                     \
              "false\x1f" clz)

#endif  // TFCARVE_TOOLS_RUNTIME_C_REGISTRATION_TABLE_H_
