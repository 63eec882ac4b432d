#include "tools/runtime/command_line.h"

#include <algorithm>
#include <cstddef>

namespace tfcarve {

std::vector<Given> SplitCommandLine(const std::vector<std::string>& words,
                                    const std::vector<std::string>& flags) {
  std::vector<Given> parts;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const size_t equals = word.find('=');
    if (word.size() < 2 || word[0] != '-') {
      parts.push_back({"", word});
    } else if (std::find(flags.begin(), flags.end(), word) != flags.end()) {
      parts.push_back({word, ""});
    } else if (equals != std::string::npos) {
      parts.push_back({word.substr(0, equals), word.substr(equals + 1)});
    } else {
      ++i;
      parts.push_back({word, i < words.size() ? words[i] : ""});
    }
  }
  return parts;
}

bool ParseBinding(const std::string& text, Binding* binding) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    return false;
  }
  *binding = {text.substr(0, equals), text.substr(equals + 1)};
  return true;
}

bool ParseCount(const std::string& text, int most, int* count) {
  if (text.empty() || text.size() > 9) return false;
  if (text.find_first_not_of("0123456789") != std::string::npos) return false;
  const int value = std::stoi(text);
  if (value > most) return false;
  *count = value;
  return true;
}

bool ParseThreads(const std::string& text, int* threads, std::string* error) {
  if (ParseCount(text, kMostThreads, threads)) return true;
  *error = "--threads takes a number from 0 to " +
           std::to_string(kMostThreads) + ", not '" + text + "'";
  return false;
}

}  // namespace tfcarve
