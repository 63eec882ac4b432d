// Tests of reading and writing .npy files.

#include "tools/runtime/programs/npy.h"

#include <string>
#include <utility>
#include <vector>

#include "tests/runtime/expecting.h"
#include "tools/runtime/include/tfcarve_c_api.h"

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

// Little-endian UTF-32.
std::string Utf32(const std::u32string& text) {
  std::string bytes;
  for (const char32_t code : text) {
    for (int i = 0; i < 4; ++i) {
      bytes += static_cast<char>((code >> (8 * i)) & 0xff);
    }
  }
  return bytes;
}

std::vector<std::string> Strings(const tfcarve::NpyArray& array) {
  std::vector<std::string> strings;
  for (const tfcarve_string& each : array.strings) {
    strings.emplace_back(each.data, each.size);
  }
  return strings;
}

void StringArrays() {
  const std::string start = "{'descr': '";
  const std::string end = "', 'fortran_order': False, 'shape': (2,)}";
  const struct {
    std::string type, data;
    std::vector<std::string> strings;
  } cases[] = {
      {"|S3", std::string("a\0\0b\0c", 6), {"a", std::string("b\0c", 3)}},
      {"|S1", std::string("\0z", 2), {"", "z"}},
      {"<U2", Utf32(U"aß€𝄞"), {"aß", "€𝄞"}},
      {"<U1", std::string(8, '\0'), {"", ""}},
  };
  for (const auto& c : cases) {
    tfcarve::NpyArray array;
    std::string error;
    Expect(
        tfcarve::ParseNpy(File(start + c.type + end, c.data), &array, &error),
        c.type + error);
    Expect(array.dtype == TFCARVE_STRING, c.type);
    Expect(array.dims == std::vector<int64_t>{2}, c.type);
    const tfcarve::NpyArray moved = std::move(array);
    Expect(Strings(moved) == c.strings, c.type);
  }
  for (const char* type : {"|S0", "|S", "|S-1", "<U0", "|S1x", "<S1", "|U1",
                           "|S4294967297", "<U9999999999"}) {
    Expect(!Parses(File(start + type + end, "ab")), type);
  }
  Expect(!Parses(File(start + "|S3" + end, "abcd")), "too short");
  Expect(!Parses(File(start + "<U1" + end, Utf32({0x110000, 'a'}))),
         "no code point");
  Expect(!Parses(File(start + "<U1" + end, Utf32({0xd800, 'a'}))),
         "a surrogate");
}

void WritesStrings() {
  const std::string zero("b\0c", 3);
  const tfcarve_string strings[] = {
      {"", 0}, {"a", 1}, {zero.data(), 3}, {nullptr, 0}};
  std::string file, error;
  Expect(tfcarve::StringsToNpy(strings, 4, {2, 2}, &file, &error), error);
  tfcarve::NpyArray array;
  Expect(tfcarve::ParseNpy(file, &array, &error), error);
  Expect(array.dims == std::vector<int64_t>{2, 2}, "their shape");
  Expect(Strings(array) == std::vector<std::string>{"", "a", zero, ""},
         "the same strings");
  Expect(tfcarve::StringsToNpy(nullptr, 0, {0}, &file, &error), "none");
  Expect(Parses(file), "a file without strings");
  const tfcarve_string lost = {"a\0", 2};
  Expect(!tfcarve::StringsToNpy(&lost, 1, {}, &file, &error),
         "a zero at the end");
  Expect(error.find("zero byte") != std::string::npos, error);
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
  StringArrays();
  WritesStrings();
  TruncatedFiles();
  return failures == 0 ? 0 : 1;
}
