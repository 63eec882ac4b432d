#include "tools/runtime/programs/command_line.h"

#include <algorithm>
#include <cstddef>

namespace tfcarve {
namespace {

bool ParseNumber(const std::string& text, int low, int high, int* number) {
  if (text.empty() || text.size() > 9) return false;
  if (text.find_first_not_of("0123456789") != std::string::npos) return false;
  const int value = std::stoi(text);
  if (value < low || value > high) return false;
  *number = value;
  return true;
}

}  // namespace

Option Flag(const std::string& name, bool* value) {
  return {name, /*takes_value=*/false, [value](const std::string&) {
            *value = true;
            return std::string();
          }};
}

Option NumberOption(const std::string& name, int low, int high, int* value) {
  return {name, /*takes_value=*/true, [=](const std::string& text) {
            if (ParseNumber(text, low, high, value)) return std::string();
            return name + " takes a number from " + std::to_string(low) +
                   " to " + std::to_string(high) + ", not '" + text + "'";
          }};
}

Option FileOption(const std::string& name, std::string* file) {
  return {name, /*takes_value=*/true, [=](const std::string& text) {
            *file = text;
            return text.empty() ? name + " takes the name of a file" : "";
          }};
}

Option BindingsOption(const std::string& name, const std::string& form,
                      std::vector<Binding>* bindings) {
  return {name, /*takes_value=*/true, [=](const std::string& text) {
            Binding binding;
            if (!ParseBinding(text, &binding)) {
              return name + " takes " + form + ", not '" + text + "'";
            }
            bindings->push_back(binding);
            return std::string();
          }};
}

bool ReadCommandLine(const std::vector<std::string>& words,
                     const std::vector<Option>& options,
                     CommandLine* command_line, std::string* error) {
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--help" || word == "-h") {
      command_line->help = true;
      return true;
    }
    if (word.size() < 2 || word[0] != '-') {
      if (!command_line->model.empty()) {
        *error = "more than one model: '" + word + "'";
        return false;
      }
      command_line->model = word;
      continue;
    }
    const size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const auto option =
        std::find_if(options.begin(), options.end(), [&](const Option& each) {
          return each.name == name &&
                 (each.takes_value || equals == std::string::npos);
        });
    if (option == options.end()) {
      *error = "unknown option '" + name + "'";
      return false;
    }
    std::string value;
    if (equals != std::string::npos) {
      value = word.substr(equals + 1);
    } else if (option->takes_value && ++i < words.size()) {
      value = words[i];
    }
    *error = option->read(value);
    if (!error->empty()) return false;
  }
  if (command_line->model.empty()) *error = "no model given: see --help";
  return error->empty();
}

bool ParseBinding(const std::string& text, Binding* binding) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    return false;
  }
  *binding = {text.substr(0, equals), text.substr(equals + 1)};
  return true;
}

}  // namespace tfcarve
