// Pieces of JSON text.

#ifndef TFCARVE_TOOLS_RUNTIME_JSON_TEXT_H_
#define TFCARVE_TOOLS_RUNTIME_JSON_TEXT_H_

#include <string>

namespace tfcarve {

// A string with its quotes. What is not printable ASCII is escaped, byte by
// byte: names of nodes have nothing else.
std::string JsonString(const std::string& text);

// A number with six digits after the point.
std::string JsonNumber(double number);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_JSON_TEXT_H_
