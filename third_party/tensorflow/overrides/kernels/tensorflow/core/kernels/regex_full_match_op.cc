// In place of TensorFlow's source of this name: the same, with an RE2 that
// takes TensorFlow's strings.

// clang-format off: the second is to find what the first has.
#include "tensorflow/core/kernels/re2_of_strings.h"
#include_next <tensorflow/core/kernels/regex_full_match_op.cc>
// clang-format on
