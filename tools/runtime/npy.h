// Reads and writes arrays in NumPy's .npy format: versions 1 and 2,
// little-endian, C order.

#ifndef TFCARVE_TOOLS_RUNTIME_NPY_H_
#define TFCARVE_TOOLS_RUNTIME_NPY_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tfcarve {

struct NpyArray {
  int32_t dtype = 0;  // a tfcarve_dtype
  std::vector<int64_t> dims;
  std::string data;
};

// Parses the content of a file. On failure returns false and sets `error`.
bool ParseNpy(std::string_view bytes, NpyArray* array, std::string* error);

// Returns the header of a .npy file with this type and shape, which the
// elements follow; empty if the format does not have the type.
std::string NpyHeader(int32_t dtype, const std::vector<int64_t>& dims);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_NPY_H_
