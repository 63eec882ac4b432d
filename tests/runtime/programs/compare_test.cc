// Tests of comparing outputs.

#include "tools/runtime/programs/compare.h"

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "tests/runtime/expecting.h"
#include "tools/runtime/include/tfcarve_c_api.h"
#include "tools/runtime/programs/npy.h"

namespace {

template <typename T>
std::string Compare(int32_t dtype, const std::vector<T>& actual,
                    const std::vector<T>& expected,
                    const tfcarve::Tolerance& tolerance = {}) {
  const int64_t dims[] = {static_cast<int64_t>(actual.size())};
  tfcarve::NpyArray array;
  array.dtype = dtype;
  array.dims = {static_cast<int64_t>(expected.size())};
  array.data.assign(reinterpret_cast<const char*>(expected.data()),
                    expected.size() * sizeof(T));
  const tfcarve_tensor tensor = {
      "y", dtype, 1, dims, actual.data(), actual.size() * sizeof(T)};
  return tfcarve::Difference(tensor, array, tolerance);
}

void ExpectSame(const std::string& difference, const std::string& what) {
  Expect(difference.empty(), what + ": " + difference);
}

void ExpectDifferent(const std::string& difference, const std::string& part) {
  Expect(difference.find(part) != std::string::npos,
         "'" + part + "' in '" + difference + "'");
}

void Floats() {
  const float nan = NAN, inf = INFINITY;
  using F = std::vector<float>;
  ExpectSame(Compare<float>(TFCARVE_FLOAT, F{1, 0, nan, inf, -0.f},
                            F{1, 0, nan, inf, 0}),
             "the same");
  ExpectSame(
      Compare<float>(TFCARVE_FLOAT, F{9e-6f, 1.000019f, 100000.5f, -100000.5f},
                     F{0, 1, 100000, -100000}),
      "within 1e-5 * (1 + |expected|)");
  ExpectDifferent(Compare<float>(TFCARVE_FLOAT, F{1.1e-5f}, F{0}), "1e-05");
  ExpectDifferent(Compare<float>(TFCARVE_FLOAT, F{1, 1.00003f}, F{1, 1}),
                  "differs in 1 of 2 numbers by more than the tolerance, "
                  "1e-05 * (1 + |expected|); element 1 is 1.00003004, not 1");
  ExpectDifferent(
      Compare<float>(TFCARVE_FLOAT, F{1, 2, 5}, F{nan, 2, 4}),
      "in 2 of 3 numbers by more than the tolerance, 1e-05 * (1 + |expected|); "
      "the worst: element 0 is 1, not nan");
  ExpectDifferent(Compare<float>(TFCARVE_FLOAT, F{nan}, F{1}), "is nan, not 1");
  ExpectDifferent(Compare<float>(TFCARVE_FLOAT, F{inf}, F{-inf}),
                  "is inf, not -inf");
  ExpectDifferent(Compare<float>(TFCARVE_FLOAT, F{1}, F{inf}), "not inf");
  ExpectDifferent(
      Compare<float>(TFCARVE_COMPLEX64, F{1, 1, 1, 2}, F{1, 1, 1, 1}),
      "|expected|); element 1 is 2, not 1");
}

void OtherTypes() {
  ExpectSame(Compare<double>(TFCARVE_DOUBLE, {1 + 1e-10}, {1}), "double");
  ExpectDifferent(Compare<double>(TFCARVE_DOUBLE, {1 + 1e-8}, {1}), "1e-09");
  // 1.0 and 1.0009765625; the smallest number above 0; infinity; NaN.
  using H = std::vector<uint16_t>;
  ExpectSame(Compare<uint16_t>(TFCARVE_HALF, H{0x3c01, 1, 0x7c00, 0x7e00},
                               H{0x3c00, 0, 0x7c00, 0x7e01}),
             "half");
  ExpectDifferent(Compare<uint16_t>(TFCARVE_HALF, H{0x4000}, H{0x3c00}),
                  "|expected|); element 0 is 2, not 1");
  ExpectSame(Compare<int32_t>(TFCARVE_INT32, {1, -1}, {1, -1}), "int32");
  ExpectDifferent(Compare<int32_t>(TFCARVE_INT32, {1, 2}, {1, 3}),
                  "differs in 1 of 2 numbers; element 1 is 2, not 3");
  ExpectDifferent(Compare<int8_t>(TFCARVE_INT8, {-1}, {127}),
                  "element 0 is -1, not 127");
  ExpectDifferent(Compare<uint8_t>(TFCARVE_UINT8, {255}, {0}),
                  "element 0 is 255, not 0");
  ExpectDifferent(
      Compare<int64_t>(TFCARVE_INT64, {(1LL << 53) + 1}, {1LL << 53}),
      "element 0 is 9007199254740993, not 9007199254740992");
}

void TypesAndShapes() {
  ExpectDifferent(Compare<float>(TFCARVE_FLOAT, {1, 2}, {1}),
                  "has shape [2], not [1]");
  const tfcarve_tensor tensor = {"y", TFCARVE_INT32, 0, nullptr, "1234", 4};
  tfcarve::NpyArray array;
  array.dtype = TFCARVE_FLOAT;
  array.data = "1234";
  ExpectDifferent(tfcarve::Difference(tensor, array, {}),
                  "has TensorFlow's data type 3, not 1");
}

void Strings() {
  const tfcarve_string wanted[] = {{"a", 1}, {"", 0}, {"b\\\n", 3}};
  tfcarve_string found[] = {{"a", 1}, {nullptr, 0}, {"b\\\n", 3}};
  const int64_t dims[] = {3};
  tfcarve::NpyArray array;
  array.dtype = TFCARVE_STRING;
  array.dims = {3};
  array.strings.assign(wanted, wanted + 3);
  const tfcarve_tensor tensor = {"y",  TFCARVE_STRING, 1,
                                 dims, found,          sizeof(found)};
  ExpectSame(tfcarve::Difference(tensor, array, {}), "strings");
  found[1] = {"\xff", 1};
  found[2].size = 2;
  ExpectDifferent(tfcarve::Difference(tensor, array, {}),
                  "differs in 2 of 3 strings; element 1 is '\\xff', not ''");
  found[1] = {nullptr, 0};
  ExpectDifferent(tfcarve::Difference(tensor, array, {}),
                  "element 2 is 'b\\x5c', not 'b\\x5c\\x0a'");
}

void Tolerances() {
  tfcarve::Tolerance tolerance;
  Expect(tolerance.Set("float32", 0.5), "float32 is a type");
  Expect(!tolerance.Set("int32", 0.5), "integers have no tolerance");
  ExpectSame(Compare<float>(TFCARVE_FLOAT, {1.9f}, {1}, tolerance),
             "0.9 apart");
  ExpectDifferent(Compare<float>(TFCARVE_FLOAT, {2.1f}, {1}, tolerance), "0.5");
  ExpectDifferent(Compare<double>(TFCARVE_DOUBLE, {1.9}, {1}, tolerance),
                  "1e-09");
}

}  // namespace

int main() {
  Floats();
  OtherTypes();
  TypesAndShapes();
  Strings();
  Tolerances();
  return failures == 0 ? 0 : 1;
}
