// Tests of descriptions of random inputs and of their values.

#include "tools/runtime/programs/random_input.h"

#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "tests/runtime/expecting.h"
#include "tools/runtime/include/tfcarve_c_api.h"

namespace {

tfcarve::NpyArray Input(const std::string& description) {
  tfcarve::NpyArray array;
  std::string error;
  Expect(tfcarve::RandomInput(description, &array, &error),
         description + ": " + error);
  return array;
}

void TypesAndShapes() {
  struct Case {
    std::string description;
    int32_t dtype;
    std::vector<int64_t> dims;
    size_t size;
  };
  const Case cases[] = {
      {"float32:1x2x3", TFCARVE_FLOAT, {1, 2, 3}, 24},
      {"float64:2", TFCARVE_DOUBLE, {2}, 16},
      {"float16:", TFCARVE_HALF, {}, 2},
      {"int32:", TFCARVE_INT32, {}, 4},
      {"int64:0x5", TFCARVE_INT64, {0, 5}, 0},
      {"bool:3", TFCARVE_BOOL, {3}, 3},
      {"uint8:4x4", TFCARVE_UINT8, {4, 4}, 16},
  };
  for (const Case& c : cases) {
    const tfcarve::NpyArray array = Input(c.description);
    Expect(array.dtype == c.dtype, "type of " + c.description);
    Expect(array.dims == c.dims, "dims of " + c.description);
    Expect(array.data.size() == c.size, "size of " + c.description);
  }
}

template <typename T>
std::vector<T> Values(const std::string& description) {
  const tfcarve::NpyArray array = Input(description);
  std::vector<T> values(array.data.size() / sizeof(T));
  std::memcpy(values.data(), array.data.data(), array.data.size());
  return values;
}

template <typename T>
void ExpectSpread(const std::string& description, T least, T most,
                  size_t different) {
  const std::vector<T> values = Values<T>(description);
  const std::set<T> distinct(values.begin(), values.end());
  Expect(*distinct.begin() >= least && *distinct.rbegin() <= most,
         description + ": in range");
  Expect(distinct.size() >= different, description + ": they differ");
}

void TheValuesAreInRange() {
  ExpectSpread<float>("float32:1000", 0.f, 1.f, 900);
  ExpectSpread<double>("float64:1000", 0., 1., 900);
  ExpectSpread<uint16_t>("float16:1000", 0x3800, 0x3bff, 500);  // 0.5 to 1
  ExpectSpread<uint8_t>("uint8:1000", 0, 255, 200);
  ExpectSpread<int32_t>("int32:1000", 0, 1, 2);
  ExpectSpread<int64_t>("int64:1000", 0, 1, 2);
  ExpectSpread<uint8_t>("bool:1000", 0, 1, 2);
}

void TheValuesAreTheSameEachTime() {
  Expect(Input("float32:1000").data == Input("float32:1000").data, "one seed");
  // The first number of std::mt19937(1) is 1791095845.
  Expect(Values<float>("float32:1")[0] ==
             static_cast<float>(1791095845u >> 8) / (1 << 24),
         "std::mt19937");
}

void BadDescriptions() {
  const std::string bad[] = {
      "",
      "float32",
      "1x2",
      "float:1",
      "string:1",
      ":1",
      "float32:1x",
      "float32:x1",
      "float32:1xx1",
      "float32:-1",
      "float32:1,2",
      "float32: 1",
      "float32:99999999999",
      "float32:536870913",
      "float64:65536x65536x65536",
  };
  for (const std::string& description : bad) {
    tfcarve::NpyArray array;
    std::string error;
    Expect(!tfcarve::RandomInput(description, &array, &error),
           "rejected: '" + description + "'");
    Expect(error.find("'" + description + "'") == 0,
           "the message has the description: " + error);
    Expect(array.data.empty(), "no data");
  }
}

}  // namespace

int main() {
  TypesAndShapes();
  TheValuesAreInRange();
  TheValuesAreTheSameEachTime();
  BadDescriptions();
  return failures == 0 ? 0 : 1;
}
