// Formats JSON values.

#ifndef TFCARVE_TOOLS_RUNTIME_PROGRAMS_JSON_TEXT_H_
#define TFCARVE_TOOLS_RUNTIME_PROGRAMS_JSON_TEXT_H_

#include <string>

namespace tfcarve {

// Returns a quoted string. Bytes that are not printable ASCII are escaped one
// by one: names of nodes do not contain any.
std::string JsonString(const std::string& text);

// Returns a number with six decimals.
std::string JsonNumber(double number);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_PROGRAMS_JSON_TEXT_H_
