// The command lines of the programs that run a model.

#ifndef TFCARVE_TOOLS_RUNTIME_COMMAND_LINE_H_
#define TFCARVE_TOOLS_RUNTIME_COMMAND_LINE_H_

#include <string>
#include <vector>

#include "tools/runtime/tfcarve_c_api.h"

namespace tfcarve {

// The exit statuses are tfcarve_status.
constexpr int kDone = TFCARVE_OK;
constexpr int kRefused = TFCARVE_REFUSED;
constexpr int kBadUse = TFCARVE_BAD_INPUT;

// More threads than this are a mistake.
constexpr int kMostThreads = 1024;

// A tensor's name and what it is bound to: a file that it is read from or
// written to, or a description of its values.
struct Binding {
  std::string name;
  std::string value;
};

// A part of a command line: an option with its value, or, where `option` is
// empty, a plain word.
struct Given {
  std::string option;
  std::string value;
};

// Splits a command line. An option is given as --option=value or as --option
// value; those in `flags` take no value.
std::vector<Given> SplitCommandLine(const std::vector<std::string>& words,
                                    const std::vector<std::string>& flags);

// Reads "NAME=VALUE", neither of which is empty.
bool ParseBinding(const std::string& text, Binding* binding);

// Reads an unsigned decimal number that is `most` at most.
bool ParseCount(const std::string& text, int most, int* count);

// Reads the value of --threads. On failure returns false and fills in `error`.
bool ParseThreads(const std::string& text, int* threads, std::string* error);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_COMMAND_LINE_H_
