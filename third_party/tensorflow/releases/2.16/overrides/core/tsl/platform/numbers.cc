// Overrides TensorFlow's source of the same path: the C library reads the texts
// of numbers back.

#include "tsl/platform/numbers.h"

// clang-format off: TensorFlow's source is last.
#include "tools/runtime/shims/number_texts.h"
#include <tsl/platform/numbers.cc>
// clang-format on
