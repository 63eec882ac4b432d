// File access of the programs that run a model.

#ifndef TFCARVE_TOOLS_RUNTIME_FILE_IO_H_
#define TFCARVE_TOOLS_RUNTIME_FILE_IO_H_

#include <cstddef>
#include <string>
#include <vector>

#include "tools/runtime/command_line.h"
#include "tools/runtime/npy.h"

namespace tfcarve {

// Appends the content of a file to `bytes`. Returns false if it cannot be read.
bool ReadFile(const std::string& path, std::string* bytes);

// Writes a file, `header` and then `data`, atomically: through a temporary file
// that is renamed. Returns false if it cannot be written.
bool WriteFile(const std::string& path, const std::string& header,
               const void* data, size_t size);

// Reads a .npy file for each binding. On failure returns false and sets
// `error`.
bool ReadArrays(const std::vector<Binding>& bindings,
                std::vector<NpyArray>* arrays, std::string* error);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_FILE_IO_H_
