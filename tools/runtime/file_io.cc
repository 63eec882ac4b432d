#include "tools/runtime/file_io.h"

#include <cstdio>
#include <memory>

namespace tfcarve {

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

}  // namespace tfcarve
