#include "tools/runtime/programs/random_input.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "tools/runtime/include/tfcarve_c_api.h"

namespace tfcarve {
namespace {

constexpr int64_t kMaxBytes = int64_t{1} << 31;

enum class Values { kHalf, kFloat, kDouble, kByte, kBit };

struct Type {
  const char* name;
  int32_t dtype;
  int64_t size;
  Values values;
};

constexpr Type kTypes[] = {
    {"float16", TFCARVE_HALF, 2, Values::kHalf},
    {"float32", TFCARVE_FLOAT, 4, Values::kFloat},
    {"float64", TFCARVE_DOUBLE, 8, Values::kDouble},
    {"bool", TFCARVE_BOOL, 1, Values::kBit},
    {"int8", TFCARVE_INT8, 1, Values::kBit},
    {"int16", TFCARVE_INT16, 2, Values::kBit},
    {"int32", TFCARVE_INT32, 4, Values::kBit},
    {"int64", TFCARVE_INT64, 8, Values::kBit},
    {"uint8", TFCARVE_UINT8, 1, Values::kByte},
    {"uint16", TFCARVE_UINT16, 2, Values::kBit},
    {"uint32", TFCARVE_UINT32, 4, Values::kBit},
    {"uint64", TFCARVE_UINT64, 8, Values::kBit},
};

const Type* TypeOf(const std::string& name) {
  for (const Type& type : kTypes) {
    if (name == type.name) return &type;
  }
  return nullptr;
}

std::string TypeNames() {
  std::string names;
  for (const Type& type : kTypes) names += std::string(" ") + type.name;
  return names;
}

// Parses "1x299x299x3"; an empty text is a scalar. Returns false if a dimension
// is not a number or the array has more than kMaxBytes.
bool ParseDims(const std::string& text, int64_t element,
               std::vector<int64_t>* dims) {
  int64_t bytes = element;
  size_t start = 0;
  while (!text.empty() && start <= text.size()) {
    const size_t end = std::min(text.find('x', start), text.size());
    const std::string digits = text.substr(start, end - start);
    if (digits.empty() || digits.size() > 10 ||
        digits.find_first_not_of("0123456789") != std::string::npos) {
      return false;
    }
    dims->push_back(std::stoll(digits));
    if (dims->back() > 0 && bytes > kMaxBytes / dims->back()) return false;
    bytes *= dims->back();
    start = end + 1;
  }
  return true;
}

// std::mt19937 is portable; std::uniform_real_distribution is not.
void Fill(Values values, std::mt19937* generator, char* element) {
  const uint32_t random = static_cast<uint32_t>((*generator)());
  if (values == Values::kFloat) {
    const float value = static_cast<float>(random >> 8) / (1 << 24);
    std::memcpy(element, &value, sizeof(value));
  } else if (values == Values::kDouble) {
    const double value = static_cast<double>(random) / 4294967296.0;
    std::memcpy(element, &value, sizeof(value));
  } else if (values == Values::kHalf) {
    // From 0.5 to 1: these numbers have the same exponent.
    const auto value = static_cast<uint16_t>(0x3800 | (random >> 22));
    std::memcpy(element, &value, sizeof(value));
  } else {
    // The lowest byte of a little-endian integer; the other bytes are 0.
    *element = static_cast<char>(random >> (values == Values::kByte ? 24 : 31));
  }
}

}  // namespace

bool RandomInput(const std::string& description, NpyArray* array,
                 std::string* error) {
  const size_t colon = description.find(':');
  const Type* type = TypeOf(description.substr(0, colon));
  if (colon == std::string::npos || type == nullptr) {
    *error = "'" + description +
             "' is not TYPE:DIMS like float32:1x299x299x3; the types are:" +
             TypeNames();
    return false;
  }
  if (!ParseDims(description.substr(colon + 1), type->size, &array->dims)) {
    *error = "'" + description +
             "': dimensions must be numbers separated by x, and the array at "
             "most 2 GB";
    return false;
  }
  array->dtype = type->dtype;
  size_t count = 1;
  for (const int64_t dim : array->dims) count *= static_cast<size_t>(dim);
  array->data.assign(count * static_cast<size_t>(type->size), '\0');
  std::mt19937 generator(1);
  for (size_t i = 0; i < count; ++i) {
    Fill(type->values, &generator,
         &array->data[i * static_cast<size_t>(type->size)]);
  }
  return true;
}

}  // namespace tfcarve
