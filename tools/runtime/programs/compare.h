// Compares an output with the expected one.

#ifndef TFCARVE_TOOLS_RUNTIME_PROGRAMS_COMPARE_H_
#define TFCARVE_TOOLS_RUNTIME_PROGRAMS_COMPARE_H_

#include <cstdint>
#include <string>

#include "tools/runtime/include/tfcarve_c_api.h"
#include "tools/runtime/programs/npy.h"

namespace tfcarve {

// The permitted difference of elements, times 1 + |expected|: the absolute and
// the relative tolerance of numpy.isclose. Elements of other types must be
// equal.
struct Tolerance {
  double float16 = 1e-2;
  double float32 = 1e-5;  // float and complex64
  double float64 = 1e-9;  // double and complex128

  // Sets the tolerance of a type by NumPy's name: "float16", "float32" or
  // "float64". Returns false for other names.
  bool Set(const std::string& type, double value);

  // Returns the tolerance of a tfcarve_dtype.
  double Of(int32_t dtype) const;
};

// Compares a tensor with the expected array.
//
// Returns an empty string if the types, the shapes and, within `tolerance`, all
// elements are equal (NaN equals NaN). Otherwise returns the number
// of different elements, and the position and both numbers of the largest
// difference.
std::string Difference(const tfcarve_tensor& actual, const NpyArray& expected,
                       const Tolerance& tolerance);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_PROGRAMS_COMPARE_H_
