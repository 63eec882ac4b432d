// Overrides TensorFlow's source of the same path: a short function formats the
// descriptions of handles, in place of Abseil's formatter for all types.

#include "tensorflow/core/framework/resource_handle.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tensorflow/core/framework/resource_handle.pb.h"
#include "tensorflow/core/platform/demangle.h"
#include "tensorflow/core/platform/errors.h"
#include "tensorflow/core/platform/macros.h"

namespace absl {
namespace {

// The value of a conversion: a text, or a number.
struct Value {
  Value(std::string from) : text(std::move(from)) {}  // NOLINT: implicit
  template <typename Number, std::enable_if_t<std::is_integral_v<Number> ||
                                                  std::is_enum_v<Number>,
                                              int> = 0>
  Value(Number from)  // NOLINT: implicit
      : number(static_cast<unsigned long long>(from)) {}
  Value(const void* from)  // NOLINT: implicit
      : number(reinterpret_cast<uintptr_t>(from)) {}

  std::string text;
  unsigned long long number = 0;
};

std::string Formatted(char conversion, const Value& value) {
  if (conversion == 's') return value.text;
  const char* const format = conversion == 'd'   ? "%lld"
                             : conversion == 'X' ? "%llX"
                                                 : "0x%llx";  // %p
  char buffer[32];
  snprintf(buffer, sizeof(buffer), format, value.number);
  return buffer;
}

// Replaces the conversions %s, %d, %X and %p by the values, in order.
std::string FormatWith(std::string_view format,
                       std::initializer_list<Value> values) {
  std::string text;
  for (const Value& value : values) {
    const size_t place = format.find('%');
    text.append(format.substr(0, place));
    text += Formatted(format[place + 1], value);
    format.remove_prefix(place + 2);
  }
  return text.append(format);
}

template <typename... Values>
std::string ShortFormat(std::string_view format, const Values&... values) {
  return FormatWith(format, {values...});
}

}  // namespace
}  // namespace absl

#define StrFormat ShortFormat

#include <tensorflow/core/framework/resource_handle.cc>
