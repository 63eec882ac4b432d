// Whether an output is what was expected.

#ifndef TFCARVE_TOOLS_RUNTIME_COMPARE_H_
#define TFCARVE_TOOLS_RUNTIME_COMPARE_H_

#include <cstdint>
#include <string>

#include "tools/runtime/npy.h"
#include "tools/runtime/tfcarve_c_api.h"

namespace tfcarve {

// By how much elements may differ, absolutely or, where the expected one is
// larger than 1, relative to it. Elements of all other types must be the same.
struct Tolerance {
  double half = 1e-2;
  double single = 1e-5;  // float and complex64
  double twice = 1e-9;   // double and complex128

  // Sets it for a type by NumPy's name: "float16", "float32" or "float64".
  // False where there is no such type.
  bool Set(const std::string& type, double value);

  // The one for a tfcarve_dtype.
  double Of(int32_t dtype) const;
};

// Compares a tensor with the array that was expected.
//
// Returns an empty string where type, shape and, within `tolerance`, all
// elements are the same (a nan is like a nan), and else what differs: how many
// elements, the largest difference and where it is.
std::string Difference(const tfcarve_tensor& given, const NpyArray& expected,
                       const Tolerance& tolerance);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_COMPARE_H_
