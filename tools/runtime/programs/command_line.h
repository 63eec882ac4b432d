// The command lines of the programs that run a model.

#ifndef TFCARVE_TOOLS_RUNTIME_PROGRAMS_COMMAND_LINE_H_
#define TFCARVE_TOOLS_RUNTIME_PROGRAMS_COMMAND_LINE_H_

#include <functional>
#include <string>
#include <vector>

namespace tfcarve {

// The exit statuses: done; the library cannot run the model, or an output
// differs from the expected one; invalid arguments or input.
constexpr int kDone = 0;
constexpr int kCheckFailed = 1;
constexpr int kInvalidInput = 2;

// The name of a tensor, and the file with its values or a description of its
// values.
struct Binding {
  std::string name;
  std::string value;
};

// An option of a program.
struct Option {
  std::string name;  // "--threads"
  bool takes_value = true;
  // Reads the value, which is empty if the option takes none. Returns an error,
  // or an empty string.
  std::function<std::string(const std::string& value)> read;
};

// An option without a value.
Option Flag(const std::string& name, bool* value);

// An option that takes a number from `low` to `high`.
Option NumberOption(const std::string& name, int low, int high, int* value);

// An option that takes the name of a file.
Option FileOption(const std::string& name, std::string* file);

// An option that takes "NAME=VALUE" and may be repeated; `form` describes it in
// messages.
Option BindingsOption(const std::string& name, const std::string& form,
                      std::vector<Binding>* bindings);

// A command line without its options.
struct CommandLine {
  std::string model;
  bool help = false;  // --help or -h: the words after it are ignored
};

// Reads a command line: one model, and options as --name=value or --name value.
// Returns false and sets `error` if it is invalid.
bool ReadCommandLine(const std::vector<std::string>& words,
                     const std::vector<Option>& options,
                     CommandLine* command_line, std::string* error);

// Parses "NAME=VALUE". Neither NAME nor VALUE may be empty.
bool ParseBinding(const std::string& text, Binding* binding);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_PROGRAMS_COMMAND_LINE_H_
