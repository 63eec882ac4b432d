// Overrides TensorFlow's source of the same path: omits the registrations for
// scalars in variants, which are only used by TensorFlow's tests. The sources
// of lists, optionals and data sets register their own functions.

#include "tensorflow/core/framework/variant_op_registry.h"

#undef REGISTER_UNARY_VARIANT_DECODE_FUNCTION
#define REGISTER_UNARY_VARIANT_DECODE_FUNCTION(...) static_assert(true)
#undef INTERNAL_REGISTER_UNARY_VARIANT_DEVICE_COPY_FUNCTION
#define INTERNAL_REGISTER_UNARY_VARIANT_DEVICE_COPY_FUNCTION(...) \
  static_assert(true)
#undef REGISTER_UNARY_VARIANT_UNARY_OP_FUNCTION
#define REGISTER_UNARY_VARIANT_UNARY_OP_FUNCTION(...) static_assert(true)
#undef REGISTER_UNARY_VARIANT_BINARY_OP_FUNCTION
#define REGISTER_UNARY_VARIANT_BINARY_OP_FUNCTION(...) static_assert(true)

#include <tensorflow/core/framework/variant_op_registry.cc>
