// Random inputs, for models whose speed does not depend on their inputs.

#ifndef TFCARVE_TOOLS_RUNTIME_PROGRAMS_RANDOM_INPUT_H_
#define TFCARVE_TOOLS_RUNTIME_PROGRAMS_RANDOM_INPUT_H_

#include <string>

#include "tools/runtime/programs/npy.h"

namespace tfcarve {

// Creates an array from a description like "float32:1x299x299x3"; "int32:" is a
// scalar. Floats are from 0 to 1, uint8 from 0 to 255, other integers 0 or 1.
// A description gives equal values on every machine. On failure returns false
// and sets `error`.
bool RandomInput(const std::string& description, NpyArray* array,
                 std::string* error);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_PROGRAMS_RANDOM_INPUT_H_
