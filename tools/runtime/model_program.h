// What the programs that run a model share: their command line, their files and
// a session for the model.

#ifndef TFCARVE_TOOLS_RUNTIME_MODEL_PROGRAM_H_
#define TFCARVE_TOOLS_RUNTIME_MODEL_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tools/runtime/npy.h"
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

bool ReadFile(const std::string& path, std::string* bytes);

// Writes a file that appears under its name whole or not at all.
bool WriteFile(const std::string& path, const std::string& header,
               const void* data, size_t size);

// Reads a .npy file for each binding. On failure returns false and fills in
// `error`.
bool ReadArrays(const std::vector<Binding>& bindings,
                std::vector<NpyArray>* arrays, std::string* error);

// A view of the array as the tensor `name`. Both must outlive it.
tfcarve_tensor TensorOf(const std::string& name, const NpyArray& array);

using SessionPtr =
    std::unique_ptr<tfcarve_session, decltype(&tfcarve_session_free)>;
using ResultPtr =
    std::unique_ptr<tfcarve_result, decltype(&tfcarve_result_free)>;

// Loads the model into `session`. Returns kDone, or another status and an
// error.
int OpenSession(const std::string& model, int threads, SessionPtr* session,
                std::string* error);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_MODEL_PROGRAM_H_
