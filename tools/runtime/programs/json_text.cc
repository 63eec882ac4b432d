#include "tools/runtime/programs/json_text.h"

#include <cstdio>

namespace tfcarve {

std::string JsonString(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    } else {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\u%04x", byte);
      quoted += escape;
    }
  }
  return quoted + "\"";
}

std::string JsonNumber(double number) {
  char text[400];
  std::snprintf(text, sizeof(text), "%.6f", number);
  return text;
}

}  // namespace tfcarve
