// Tests of reading and writing .npy files.

#include "tools/runtime/npy.h"

#include <string>
#include <vector>

#include "tests/runtime/expecting.h"
#include "tools/runtime/tfcarve_c_api.h"

namespace {

// Returns a version 1 file with this header text.
std::string File(const std::string& header, const std::string& data) {
  std::string file = "\x93NUMPY";
  file += '\x01';
  file += '\x00';
  file += static_cast<char>(header.size());
  file += '\x00';
  return file + header + data;
}

bool Parses(const std::string& file) {
  tfcarve::NpyArray array;
  std::string error;
  const bool good = tfcarve::ParseNpy(file, &array, &error);
  Expect(good == error.empty(), "a message if and only if it fails");
  return good;
}

void ReadsWhatItWrites() {
  struct Case {
    int32_t dtype;
    size_t size;
  };
  const Case cases[] = {
      {TFCARVE_FLOAT, 4},     {TFCARVE_DOUBLE, 8},      {TFCARVE_HALF, 2},
      {TFCARVE_BOOL, 1},      {TFCARVE_INT8, 1},        {TFCARVE_INT16, 2},
      {TFCARVE_INT32, 4},     {TFCARVE_INT64, 8},       {TFCARVE_UINT8, 1},
      {TFCARVE_UINT16, 2},    {TFCARVE_UINT32, 4},      {TFCARVE_UINT64, 8},
      {TFCARVE_COMPLEX64, 8}, {TFCARVE_COMPLEX128, 16},
  };
  const std::vector<std::vector<int64_t>> shapes = {{}, {3}, {0}, {2, 3}};
  for (const Case& c : cases) {
    for (const std::vector<int64_t>& dims : shapes) {
      size_t size = c.size;
      for (const int64_t dim : dims) size *= static_cast<size_t>(dim);
      const std::string data(size, 'x');
      const std::string header = tfcarve::NpyHeader(c.dtype, dims);
      Expect(header.size() % 64 == 0, "the elements are aligned");
      tfcarve::NpyArray array;
      std::string error;
      Expect(tfcarve::ParseNpy(header + data, &array, &error), error);
      Expect(array.dtype == c.dtype, "type " + std::to_string(c.dtype));
      Expect(array.dims == dims, "dims");
      Expect(array.data == data, "data");
    }
  }
  Expect(tfcarve::NpyHeader(TFCARVE_STRING, {}).empty(), "no type for strings");
}

void Headers() {
  const std::string good[] = {
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }   \n",
      "{'shape': (1), 'fortran_order': False, 'descr': '<f4'}",
      "{\"descr\":\"<f4\",\"fortran_order\":False,\"shape\":(1,1)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (), }",
  };
  for (const std::string& header : good) {
    Expect(Parses(File(header, "1234")), header);
  }
  const std::string bad[] = {
      "",
      "{",
      "{}",
      "{'descr': '<f4', 'fortran_order': False}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} more",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1}",
      "{'descr': '<f4', 'descr': '<f4', 'shape': (1,)}",
      "{'descr': '<f4, 'fortran_order': False, 'shape': (1,)}",
      "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,)}",
      "{'descr': '<f4', 'fortran_order': True, 'shape': (1,)}",
      "{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}",
      "{'descr': '|O', 'fortran_order': False, 'shape': (1,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1 1)}",
      "{'descr': '<f4', 'fortran_order': False, "
      "'shape': (99999999999999999999,)}",
      "{'descr': '<f4', 'fortran_order': False, "
      "'shape': (4611686018427387904, 4,)}",
  };
  for (const std::string& header : bad) {
    Expect(!Parses(File(header, "1234")), header);
  }
}

void TruncatedFiles() {
  const std::string whole =
      tfcarve::NpyHeader(TFCARVE_FLOAT, {2}) + std::string(8, '\0');
  Expect(Parses(whole), "the whole file");
  for (size_t size = 0; size < whole.size(); ++size) {
    Expect(!Parses(whole.substr(0, size)),
           "truncated at " + std::to_string(size));
  }
  Expect(!Parses(whole + "x"), "an additional byte");
  std::string other = whole;
  other[6] = 3;
  Expect(!Parses(other), "version 3");
}

}  // namespace

int main() {
  ReadsWhatItWrites();
  Headers();
  TruncatedFiles();
  return failures == 0 ? 0 : 1;
}
