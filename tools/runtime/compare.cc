#include "tools/runtime/compare.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
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

// How the elements of a type are told apart.
enum class Kind { kHalf, kFloat, kDouble, kExact };

struct Layout {
  Kind kind;
  size_t size;   // of one number, in bytes
  size_t parts;  // numbers in an element: 2 where they are complex
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
    case TFCARVE_INT16:
    case TFCARVE_UINT16:
      return {Kind::kExact, 2, 1};
    case TFCARVE_INT32:
    case TFCARVE_UINT32:
      return {Kind::kExact, 4, 1};
    case TFCARVE_INT64:
    case TFCARVE_UINT64:
      return {Kind::kExact, 8, 1};
    default:
      return {Kind::kExact, 1, 1};
  }
}

double NumberAt(const void* data, size_t index, Kind kind) {
  if (kind == Kind::kHalf) return FromHalf(At<uint16_t>(data, index));
  if (kind == Kind::kFloat) return At<float>(data, index);
  return At<double>(data, index);
}

// How far apart two numbers are: infinite where only one is a nan.
double Distance(double given, double expected) {
  if (given == expected) return 0;
  if (std::isnan(given) && std::isnan(expected)) return 0;
  const double distance =
      std::abs(given - expected) / std::max(1.0, std::abs(expected));
  return std::isnan(distance) ? INFINITY : distance;
}

std::string ShapeText(const std::vector<int64_t>& dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(dims[i]);
  }
  return text + "]";
}

std::string Text(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g", value);
  return text;
}

}  // namespace

bool Tolerance::Set(const std::string& type, double value) {
  if (type == "float16") {
    half = value;
  } else if (type == "float32") {
    single = value;
  } else if (type == "float64") {
    twice = value;
  } else {
    return false;
  }
  return true;
}

double Tolerance::Of(int32_t dtype) const {
  switch (LayoutOf(dtype).kind) {
    case Kind::kHalf:
      return half;
    case Kind::kFloat:
      return single;
    case Kind::kDouble:
      return twice;
    default:
      return 0;
  }
}

std::string Difference(const tfcarve_tensor& given, const NpyArray& expected,
                       const Tolerance& tolerance) {
  if (given.dtype != expected.dtype) {
    return "is of TensorFlow's type " + std::to_string(given.dtype) + ", not " +
           std::to_string(expected.dtype);
  }
  const std::vector<int64_t> dims(given.dims, given.dims + given.rank);
  if (dims != expected.dims || given.size != expected.data.size()) {
    return "has the shape " + ShapeText(dims) + ", not " +
           ShapeText(expected.dims);
  }
  const Layout layout = LayoutOf(given.dtype);
  const size_t count = given.size / layout.size;
  const double allowed = tolerance.Of(given.dtype);
  size_t wrong = 0, worst = 0;
  double largest = 0;
  for (size_t i = 0; i < count; ++i) {
    double distance;
    if (layout.kind == Kind::kExact) {
      const size_t at = i * layout.size;
      distance = std::memcmp(static_cast<const char*>(given.data) + at,
                             expected.data.data() + at, layout.size) == 0
                     ? 0
                     : INFINITY;
    } else {
      distance = Distance(NumberAt(given.data, i, layout.kind),
                          NumberAt(expected.data.data(), i, layout.kind));
    }
    if (distance > allowed) ++wrong;
    if (distance > largest) {
      largest = distance;
      worst = i / layout.parts;
    }
  }
  if (wrong == 0) return "";
  return "differs in " + std::to_string(wrong) + " of " +
         std::to_string(count) + " numbers by more than " + Text(allowed) +
         ", most in element " + std::to_string(worst) + ": " + Text(largest);
}

}  // namespace tfcarve
