// The main function of the programs that run a model.

#ifndef TFCARVE_TOOLS_RUNTIME_PROGRAMS_PROGRAM_MAIN_H_
#define TFCARVE_TOOLS_RUNTIME_PROGRAMS_PROGRAM_MAIN_H_

#include <cstdio>
#include <string>
#include <vector>

#include "tools/runtime/programs/command_line.h"

namespace tfcarve {

// A program whose Arguments extend CommandLine.
template <typename Arguments>
struct Program {
  const char* usage;
  // Returns false and sets `error` if the command line is invalid.
  bool (*parse)(const std::vector<std::string>& words, Arguments* arguments,
                std::string* error);
  // Prints the message to stderr and returns `status`.
  int (*fail)(int status, const std::string& message);
  // Does the work and returns the exit status.
  int (*run)(const Arguments& arguments);
};

// Reads the command line and runs the program, or prints its usage for --help.
// Returns the exit status.
template <typename Arguments>
int ProgramMain(const Program<Arguments>& program, int argc, char** argv) {
  Arguments arguments;
  std::string error;
  if (!program.parse({argv + 1, argv + argc}, &arguments, &error)) {
    return program.fail(kInvalidInput, error);
  }
  if (arguments.help) {
    std::fputs(program.usage, stdout);
    return kDone;
  }
  return program.run(arguments);
}

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_PROGRAMS_PROGRAM_MAIN_H_
