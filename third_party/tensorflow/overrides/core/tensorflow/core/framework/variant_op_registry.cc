// In place of TensorFlow's source of this name: the same without its
// registrations for plain numbers in variants, which TensorFlow's tests are
// for. The sources of lists, optionals and data sets register their own.

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
