// Reads and writes arrays in NumPy's .npy format (versions 1 and 2, little
// endian, C order): how run_model takes inputs and gives outputs.

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

// Reads an array from the bytes of a file. On failure returns false and says
// in `error` what is wrong.
bool ParseNpy(std::string_view bytes, NpyArray* array, std::string* error);

// The start of a .npy file of that type and shape: its elements follow. Empty
// when the format has no such type.
std::string NpyHeader(int32_t dtype, const std::vector<int64_t>& dims);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_NPY_H_
