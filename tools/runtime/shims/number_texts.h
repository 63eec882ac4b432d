// For TSL's numbers.cc, which follows this header: to find the shortest text of
// a number, the C library reads texts back. TensorFlow's source reads them with
// the double-conversion library and with streams, which libraries then contain
// even if no kernel reads numbers.

#ifndef TFCARVE_TOOLS_RUNTIME_SHIMS_NUMBER_TEXTS_H_
#define TFCARVE_TOOLS_RUNTIME_SHIMS_NUMBER_TEXTS_H_

#include <cstddef>
#include <cstdlib>

#include "tensorflow/core/platform/types.h"

namespace tsl {
namespace {

// DoubleToBuffer calls TensorFlow's function of this name with a null pointer.
template <typename T>
T locale_independent_strtonum(const char* text, std::nullptr_t) {
  return std::strtod(text, nullptr);
}

}  // namespace

namespace strings {
namespace {

// FloatToBuffer calls TensorFlow's function of this name with an array of char.
bool safe_strtof(const char* text, float* value) {
  char* end = nullptr;
  *value = std::strtof(text, &end);
  return end != text;
}

}  // namespace
}  // namespace strings
}  // namespace tsl

#endif  // TFCARVE_TOOLS_RUNTIME_SHIMS_NUMBER_TEXTS_H_
