#include "tools/runtime/model_program.h"

#include <algorithm>
#include <cstdio>
#include <utility>

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

bool ReadFile(const std::string& path, std::string* bytes) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      std::fopen(path.c_str(), "rb"), &std::fclose);
  if (file == nullptr) return false;
  std::vector<char> chunk(1 << 20);
  while (true) {
    const size_t got = std::fread(chunk.data(), 1, chunk.size(), file.get());
    bytes->append(chunk.data(), got);
    if (got < chunk.size()) return std::ferror(file.get()) == 0;
  }
}

bool WriteFile(const std::string& path, const std::string& header,
               const void* data, size_t size) {
  const std::string partial = path + ".partial";
  std::FILE* file = std::fopen(partial.c_str(), "wb");
  if (file == nullptr) return false;
  bool good =
      std::fwrite(header.data(), 1, header.size(), file) == header.size();
  good = std::fwrite(data, 1, size, file) == size && good;
  good = std::fclose(file) == 0 && good;
  good = good && std::rename(partial.c_str(), path.c_str()) == 0;
  if (!good) std::remove(partial.c_str());
  return good;
}

bool ReadArrays(const std::vector<Binding>& bindings,
                std::vector<NpyArray>* arrays, std::string* error) {
  for (const Binding& binding : bindings) {
    std::string bytes, why;
    if (!ReadFile(binding.value, &bytes)) {
      *error = "can't read " + binding.value;
      return false;
    }
    arrays->emplace_back();
    if (!ParseNpy(bytes, &arrays->back(), &why)) {
      *error = binding.value + ": " + why;
      return false;
    }
  }
  return true;
}

tfcarve_tensor TensorOf(const std::string& name, const NpyArray& array) {
  return {name.c_str(),
          array.dtype,
          static_cast<int32_t>(array.dims.size()),
          array.dims.data(),
          array.data.data(),
          array.data.size()};
}

int OpenSession(const std::string& model, int threads, SessionPtr* session,
                std::string* error) {
  session->reset(tfcarve_session_new_from_file(model.c_str(), threads));
  if (const char* why = tfcarve_session_error(session->get())) {
    *error = why;
    return tfcarve_session_status(session->get());
  }
  return kDone;
}

}  // namespace tfcarve
