// Overrides TensorFlow's source of the same path: compiles TensorFlow's source
// with an RE2 that accepts TensorFlow's strings.

// clang-format off: the second file uses the class of the first.
#include "tensorflow/core/kernels/re2_of_strings.h"
#include_next <tensorflow/core/kernels/regex_full_match_op.cc>
// clang-format on
