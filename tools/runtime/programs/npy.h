// Reads and writes arrays in NumPy's .npy format: versions 1 and 2,
// little-endian, C order. Strings are of NumPy's types S and U; both omit zeros
// at the end of a string, so such a string cannot be written.

#ifndef TFCARVE_TOOLS_RUNTIME_PROGRAMS_NPY_H_
#define TFCARVE_TOOLS_RUNTIME_PROGRAMS_NPY_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/runtime/include/tfcarve_c_api.h"

namespace tfcarve {

// Movable but not copyable: `strings` points into `text`.
struct NpyArray {
  NpyArray() = default;
  NpyArray(NpyArray&&) = default;
  NpyArray& operator=(NpyArray&&) = default;

  int32_t dtype = 0;  // a tfcarve_dtype
  std::vector<int64_t> dims;
  std::string data;                     // the elements, unless they are strings
  std::vector<tfcarve_string> strings;  // the elements of TFCARVE_STRING
  std::vector<char> text;
};

// Parses the content of a file. On failure returns false and sets `error`.
bool ParseNpy(std::string_view bytes, NpyArray* array, std::string* error);

// Returns the header of a .npy file with this type of numbers and this shape,
// which the elements follow; empty if the format does not have the type.
std::string NpyHeader(int32_t dtype, const std::vector<int64_t>& dims);

// Sets `file` to the content of a .npy file with `count` strings of this shape.
// Returns false and sets `error` if the format cannot store them.
bool StringsToNpy(const tfcarve_string* strings, size_t count,
                  const std::vector<int64_t>& dims, std::string* file,
                  std::string* error);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_PROGRAMS_NPY_H_
