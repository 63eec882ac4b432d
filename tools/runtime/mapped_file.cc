#include "tools/runtime/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>

namespace tfcarve {
namespace {

#if defined(__APPLE__)
const timespec& ModifiedAt(const struct stat& stat) {
  return stat.st_mtimespec;
}
#else
const timespec& ModifiedAt(const struct stat& stat) { return stat.st_mtim; }
#endif

// Returns why a file cannot be mapped, or an empty string.
std::string WhyNotMappable(const struct stat& stat) {
  if (S_ISDIR(stat.st_mode)) return "it is a directory";
  if (!S_ISREG(stat.st_mode)) return "it is not a regular file";
  if (stat.st_size == 0) return "it is empty";
  if (stat.st_size > std::numeric_limits<int>::max()) {
    return "it is larger than 2 GB";
  }
  return "";
}

}  // namespace

tensorflow::core::RefCountPtr<const MappedFile> MappedFile::Open(
    const char* path, std::string* error) {
  // O_NONBLOCK: opening a pipe must not wait for its writer.
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat stat;
  void* address = MAP_FAILED;
  if (file >= 0 && fstat(file, &stat) == 0) {
    *error = WhyNotMappable(stat);
    // Writable, because some kernels write into their inputs (InplaceUpdate):
    // the process gets a private copy of such a page, the file does not change.
    if (error->empty()) {
      address = mmap(nullptr, static_cast<size_t>(stat.st_size),
                     PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    }
  }
  if (address == MAP_FAILED) {
    *error =
        "can't be read: " + (error->empty() ? std::strerror(errno) : *error);
    if (file >= 0) close(file);
    return nullptr;
  }
  return tensorflow::core::RefCountPtr<const MappedFile>(new MappedFile(
      file, stat,
      {static_cast<const char*>(address), static_cast<size_t>(stat.st_size)}));
}

MappedFile::~MappedFile() {
  munmap(const_cast<char*>(bytes_.data()), bytes_.size());
  close(file_);
}

bool MappedFile::IsUnchanged() const {
  struct stat now;
  return fstat(file_, &now) == 0 && now.st_size == stat_.st_size &&
         ModifiedAt(now).tv_sec == ModifiedAt(stat_).tv_sec &&
         ModifiedAt(now).tv_nsec == ModifiedAt(stat_).tv_nsec;
}

}  // namespace tfcarve
