// Overrides TensorFlow's source of the same path: compiles TensorFlow's source
// with an RE2 that accepts Abseil's views of strings.

// clang-format off: the second file uses the class of the first.
#include "tensorflow/core/kernels/re2_of_strings.h"
#include_next <tensorflow/core/kernels/checkpoint_callback_manager.cc>
// clang-format on
