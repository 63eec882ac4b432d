#include "tools/runtime/programs/file_io.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>

namespace tfcarve {
namespace {

// As many as Linux follows.
constexpr int kMaxLinks = 40;

// Returns the number of the open file of this process that a path names, or -1.
// Where one is a regular file, it must be written at its position, not
// replaced. /dev/stdout and /dev/stderr are symbolic links to such names.
int Descriptor(const std::string& path) {
  if (path == "-") return STDOUT_FILENO;
  for (const std::string folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (path.compare(0, folder.size(), folder) != 0) continue;
    const std::string number = path.substr(folder.size());
    if (!number.empty() && number.size() < 10 &&
        number.find_first_not_of("0123456789") == std::string::npos) {
      return std::stoi(number);
    }
  }
  return -1;
}

// Returns the path that the symbolic links of a path lead to: of a file, which
// need not exist, or of an open file of this process.
std::string FollowLinks(std::string path) {
  std::vector<char> link(1 << 12);
  for (int i = 0; i < kMaxLinks && Descriptor(path) < 0; ++i) {
    const ssize_t size = readlink(path.c_str(), link.data(), link.size());
    if (size <= 0) break;
    const std::string target(link.data(), size);
    const size_t slash = path.rfind('/');
    const std::string folder =
        slash == std::string::npos ? "./" : path.substr(0, slash + 1);
    path = target[0] == '/' ? target : folder + target;
  }
  return path;
}

// Writes both parts and closes the file, which may be null.
bool WriteAndClose(std::FILE* file, const std::string& header, const void* data,
                   size_t size) {
  if (file == nullptr) return false;
  bool good =
      std::fwrite(header.data(), 1, header.size(), file) == header.size();
  good = std::fwrite(data, 1, size, file) == size && good;
  return std::fclose(file) == 0 && good;
}

}  // namespace

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
  const std::string target = FollowLinks(path);
  const int descriptor = Descriptor(target);
  if (descriptor >= 0) {
    std::fflush(descriptor == STDERR_FILENO ? stderr : stdout);
    const int copy = dup(descriptor);
    return copy >= 0 && WriteAndClose(fdopen(copy, "wb"), header, data, size);
  }
  struct stat status;
  const bool exists = stat(target.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) return false;
  if (exists && !S_ISREG(status.st_mode)) {
    return WriteAndClose(std::fopen(target.c_str(), "wb"), header, data, size);
  }
  const std::string partial = target + ".partial";
  std::FILE* file = std::fopen(partial.c_str(), "wb");
  if (file == nullptr) return false;
  const bool good = WriteAndClose(file, header, data, size) &&
                    std::rename(partial.c_str(), target.c_str()) == 0;
  if (!good) std::remove(partial.c_str());
  return good;
}

std::FILE* TextStream(const std::vector<std::string>& written) {
  for (const std::string& path : written) {
    if (Descriptor(FollowLinks(path)) == STDOUT_FILENO) return stderr;
  }
  return stdout;
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
