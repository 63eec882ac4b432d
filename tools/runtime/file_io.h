// The files of the programs that run a model.

#ifndef TFCARVE_TOOLS_RUNTIME_FILE_IO_H_
#define TFCARVE_TOOLS_RUNTIME_FILE_IO_H_

#include <cstddef>
#include <string>
#include <vector>

#include "tools/runtime/command_line.h"
#include "tools/runtime/npy.h"

namespace tfcarve {

bool ReadFile(const std::string& path, std::string* bytes);

// Writes a file that appears under its name whole or not at all.
bool WriteFile(const std::string& path, const std::string& header,
               const void* data, size_t size);

// Reads a .npy file for each binding. On failure returns false and fills in
// `error`.
bool ReadArrays(const std::vector<Binding>& bindings,
                std::vector<NpyArray>* arrays, std::string* error);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_FILE_IO_H_
