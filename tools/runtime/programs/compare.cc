#include "tools/runtime/programs/compare.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <vector>

namespace tfcarve {
namespace {

template <typename T>
T At(const void* data, size_t index) {
  T value;
  std::memcpy(&value, static_cast<const char*>(data) + index * sizeof(T),
              sizeof(T));
  return value;
}

// IEEE 754 binary16.
double FromHalf(uint16_t bits) {
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  const int exponent = (bits >> 10) & 0x1f;
  const int fraction = bits & 0x3ff;
  if (exponent == 0x1f) return fraction != 0 ? NAN : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(fraction + 0x400, exponent - 25);
}

// How elements of a type are compared and shown.
enum class Kind { kHalf, kFloat, kDouble, kSigned, kUnsigned };

struct Layout {
  Kind kind;
  size_t size;   // of a number, in bytes
  size_t parts;  // numbers in an element: 2 for complex types
};

Layout LayoutOf(int32_t dtype) {
  switch (dtype) {
    case TFCARVE_HALF:
      return {Kind::kHalf, 2, 1};
    case TFCARVE_FLOAT:
      return {Kind::kFloat, 4, 1};
    case TFCARVE_COMPLEX64:
      return {Kind::kFloat, 4, 2};
    case TFCARVE_DOUBLE:
      return {Kind::kDouble, 8, 1};
    case TFCARVE_COMPLEX128:
      return {Kind::kDouble, 8, 2};
    case TFCARVE_INT8:
      return {Kind::kSigned, 1, 1};
    case TFCARVE_INT16:
      return {Kind::kSigned, 2, 1};
    case TFCARVE_INT32:
      return {Kind::kSigned, 4, 1};
    case TFCARVE_INT64:
      return {Kind::kSigned, 8, 1};
    case TFCARVE_UINT16:
      return {Kind::kUnsigned, 2, 1};
    case TFCARVE_UINT32:
      return {Kind::kUnsigned, 4, 1};
    case TFCARVE_UINT64:
      return {Kind::kUnsigned, 8, 1};
    default:
      return {Kind::kUnsigned, 1, 1};
  }
}

bool IsExact(Kind kind) {
  return kind == Kind::kSigned || kind == Kind::kUnsigned;
}

double NumberAt(const void* data, size_t index, Kind kind) {
  if (kind == Kind::kHalf) return FromHalf(At<uint16_t>(data, index));
  if (kind == Kind::kFloat) return At<float>(data, index);
  return At<double>(data, index);
}

// The distance between two numbers, in units of 1 + |expected|; infinite if
// only one of them is NaN.
double Distance(double actual, double expected) {
  if (actual == expected) return 0;
  if (std::isnan(actual) && std::isnan(expected)) return 0;
  const double distance =
      std::abs(actual - expected) / (1 + std::abs(expected));
  return std::isnan(distance) ? INFINITY : distance;
}

// The distance of a number from the expected one.
double DistanceAt(const void* actual, const void* expected, size_t index,
                  const Layout& layout) {
  if (!IsExact(layout.kind)) {
    return Distance(NumberAt(actual, index, layout.kind),
                    NumberAt(expected, index, layout.kind));
  }
  const size_t at = index * layout.size;
  const bool equal =
      std::memcmp(static_cast<const char*>(actual) + at,
                  static_cast<const char*>(expected) + at, layout.size) == 0;
  return equal ? 0 : INFINITY;
}

std::string ShapeText(const std::vector<int64_t>& dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(dims[i]);
  }
  return text + "]";
}

// In bytes, like the sizes of the C interface.
size_t SizeOf(const NpyArray& array) {
  return array.dtype == TFCARVE_STRING
             ? array.strings.size() * sizeof(tfcarve_string)
             : array.data.size();
}

std::string_view View(const tfcarve_string& string) {
  return {string.size == 0 ? "" : string.data, string.size};
}

// The start of a string, with escapes.
std::string Quoted(const tfcarve_string& string) {
  constexpr size_t kShown = 40;
  std::string text = "'";
  for (const char each : View(string).substr(0, kShown)) {
    const auto byte = static_cast<unsigned char>(each);
    if (byte >= 0x20 && byte < 0x7f && each != '\\') {
      text += each;
      continue;
    }
    char escaped[5];
    std::snprintf(escaped, sizeof(escaped), "\\x%02x", byte);
    text += escaped;
  }
  return text + (string.size > kShown ? "…'" : "'");
}

std::string Text(double value, int digits = 3) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.*g", digits, value);
  return text;
}

// A number with all its digits.
std::string NumberText(const void* data, size_t index, const Layout& layout) {
  switch (layout.kind) {
    case Kind::kHalf:
      return Text(NumberAt(data, index, layout.kind), 5);
    case Kind::kFloat:
      return Text(NumberAt(data, index, layout.kind), 9);
    case Kind::kDouble:
      return Text(NumberAt(data, index, layout.kind), 17);
    default:
      break;
  }
  // The targets are little-endian.
  uint64_t bits = 0;
  std::memcpy(&bits, static_cast<const char*>(data) + index * layout.size,
              layout.size);
  if (layout.kind == Kind::kUnsigned) return std::to_string(bits);
  const int unused = 64 - 8 * static_cast<int>(layout.size);
  return std::to_string(static_cast<int64_t>(bits << unused) >> unused);
}

std::string StringDifference(const tfcarve_tensor& actual,
                             const NpyArray& expected) {
  const auto* const strings = static_cast<const tfcarve_string*>(actual.data);
  size_t wrong = 0, first = 0;
  for (size_t i = 0; i < expected.strings.size(); ++i) {
    if (View(strings[i]) == View(expected.strings[i])) continue;
    if (wrong++ == 0) first = i;
  }
  if (wrong == 0) return "";
  return "differs in " + std::to_string(wrong) + " of " +
         std::to_string(expected.strings.size()) + " strings; element " +
         std::to_string(first) + " is " + Quoted(strings[first]) + ", not " +
         Quoted(expected.strings[first]);
}

}  // namespace

bool Tolerance::Set(const std::string& type, double value) {
  if (type == "float16") {
    float16 = value;
  } else if (type == "float32") {
    float32 = value;
  } else if (type == "float64") {
    float64 = value;
  } else {
    return false;
  }
  return true;
}

double Tolerance::Of(int32_t dtype) const {
  switch (LayoutOf(dtype).kind) {
    case Kind::kHalf:
      return float16;
    case Kind::kFloat:
      return float32;
    case Kind::kDouble:
      return float64;
    default:
      return 0;
  }
}

std::string Difference(const tfcarve_tensor& actual, const NpyArray& expected,
                       const Tolerance& tolerance) {
  if (actual.dtype != expected.dtype) {
    return "has TensorFlow's data type " + std::to_string(actual.dtype) +
           ", not " + std::to_string(expected.dtype);
  }
  const std::vector<int64_t> dims(actual.dims, actual.dims + actual.rank);
  if (dims != expected.dims || actual.size != SizeOf(expected)) {
    return "has shape " + ShapeText(dims) + ", not " + ShapeText(expected.dims);
  }
  if (actual.dtype == TFCARVE_STRING) return StringDifference(actual, expected);
  const Layout layout = LayoutOf(actual.dtype);
  const void* const wanted = expected.data.data();
  const size_t count = actual.size / layout.size;
  const double allowed = tolerance.Of(actual.dtype);
  size_t wrong = 0, worst = 0;
  double largest = 0;
  for (size_t i = 0; i < count; ++i) {
    const double distance = DistanceAt(actual.data, wanted, i, layout);
    if (distance > allowed) ++wrong;
    if (distance > largest) {
      largest = distance;
      worst = i;
    }
  }
  if (wrong == 0) return "";
  std::string text = "differs in " + std::to_string(wrong) + " of " +
                     std::to_string(count) + " numbers";
  const bool is_exact = IsExact(layout.kind);
  if (!is_exact) {
    text +=
        " by more than the tolerance, " + Text(allowed) + " * (1 + |expected|)";
  }
  return text +
         (is_exact || wrong == 1 ? "; element " : "; the worst: element ") +
         std::to_string(worst / layout.parts) + " is " +
         NumberText(actual.data, worst, layout) + ", not " +
         NumberText(wanted, worst, layout);
}

}  // namespace tfcarve
