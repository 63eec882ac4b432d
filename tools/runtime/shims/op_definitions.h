// Op definitions as data, for libraries that run plans: they need no functions
// that compute shapes, so they do not compile the sources that define ops.
//
// A unit defines TFCARVE_UNIT, the source that has the definitions in
// TensorFlow, includes this file, and has a TFCARVE_DEFINE_OP for each op:
//
//   TFCARVE_DEFINE_OP("Relu", false, "\012\004Relu…")

#ifndef TFCARVE_TOOLS_RUNTIME_SHIMS_OP_DEFINITIONS_H_
#define TFCARVE_TOOLS_RUNTIME_SHIMS_OP_DEFINITIONS_H_

#include <cstddef>

#include "registration_table.h"

namespace tfcarve {

// Registers an op when the library is loaded.
class OpDefinition {
 public:
  // `bytes`: a message OpDef in binary form, which must live forever.
  OpDefinition(const char* bytes, size_t size);
};

}  // namespace tfcarve

// `is_system`: whether TensorFlow always registers the op.
#define TFCARVE_DEFINE_OP(name, is_system, bytes) \
  TFCARVE_DEFINE_OP_1(__COUNTER__, name, is_system, bytes)
#define TFCARVE_DEFINE_OP_1(id, name, is_system, bytes) \
  TFCARVE_DEFINE_OP_2(id, name, is_system, bytes)
#define TFCARVE_DEFINE_OP_2(id, name, is_system, bytes)            \
  TFCARVE_RECORD(id, true, "op\x1f" #name "\x1f" #is_system)       \
  static const ::tfcarve::OpDefinition tfcarve_op_definition_##id( \
      bytes, sizeof(bytes) - 1);

#endif  // TFCARVE_TOOLS_RUNTIME_SHIMS_OP_DEFINITIONS_H_
