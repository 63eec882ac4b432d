// File access of the programs that run a model.

#ifndef TFCARVE_TOOLS_RUNTIME_PROGRAMS_FILE_IO_H_
#define TFCARVE_TOOLS_RUNTIME_PROGRAMS_FILE_IO_H_

#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "tools/runtime/programs/command_line.h"
#include "tools/runtime/programs/npy.h"

namespace tfcarve {

// Appends the content of a file to `bytes`. Returns false if it cannot be read.
bool ReadFile(const std::string& path, std::string* bytes);

// Writes a file, `header` and then `data`, atomically: through a temporary file
// that is renamed. A symbolic link stays, and the file that it names is
// written. Pipes, devices and open files of this process ("/dev/stdout") are
// written in place; "-" is the standard output. Returns false if it cannot be
// written.
bool WriteFile(const std::string& path, const std::string& header,
               const void* data, size_t size);

// Returns the stream for a program's text, so that it does not mix with the
// files that WriteFile writes: the standard error stream if one of them is the
// standard output, which otherwise is the stream.
std::FILE* TextStream(const std::vector<std::string>& written);

// Reads a .npy file for each binding. On failure returns false and sets
// `error`.
bool ReadArrays(const std::vector<Binding>& bindings,
                std::vector<NpyArray>* arrays, std::string* error);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_PROGRAMS_FILE_IO_H_
