#include "tools/runtime/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
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

// Returns why a file cannot be mapped, or null.
const char* WhyNotMappable(const struct stat& stat) {
  if (S_ISDIR(stat.st_mode)) return "it is a directory";
  if (!S_ISREG(stat.st_mode)) return "it is not a regular file";
  if (stat.st_size == 0) return "it is empty";
  if (stat.st_size > std::numeric_limits<int>::max()) {
    return "it is larger than 2 GB";
  }
  return nullptr;
}

// The largest part of a model that a reader is asked for, in bytes.
constexpr size_t kMaxPart = 1 << 20;

void SetError(const char* why, std::string* error) {
  *error = "can't be read: ";
  *error += why;
}

}  // namespace

tensorflow::core::RefCountPtr<const MappedFile> MappedFile::Map(
    int file, const struct stat& stat, std::string* error) {
  const char* why = WhyNotMappable(stat);
  if (why == nullptr) {
    const auto size = static_cast<size_t>(stat.st_size);
    // Writable, because some kernels write into their inputs (InplaceUpdate):
    // the process gets a private copy of such a page, the file does not change.
    void* const address = mmap(
        nullptr, size, PROT_READ | PROT_WRITE,
        file == kNoFile ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_PRIVATE, file, 0);
    if (address != MAP_FAILED) {
      return tensorflow::core::RefCountPtr<const MappedFile>(new MappedFile(
          file, stat, {static_cast<const char*>(address), size}));
    }
    why = std::strerror(errno);
  }
  if (file != kNoFile) close(file);
  SetError(why, error);
  return nullptr;
}

tensorflow::core::RefCountPtr<const MappedFile> MappedFile::Open(
    const char* path, std::string* error) {
  // O_NONBLOCK: opening a pipe must not wait for its writer.
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat stat;
  if (file >= 0 && fstat(file, &stat) == 0) return Map(file, stat, error);
  SetError(std::strerror(errno), error);
  if (file >= 0) close(file);
  return nullptr;
}

tensorflow::core::RefCountPtr<const MappedFile> MappedFile::Read(
    const tfcarve_reader* reader, std::string* error) {
  if (reader == nullptr || reader->read == nullptr) {
    SetError("no function reads it", error);
    return nullptr;
  }
  struct stat stat = {};
  stat.st_mode = S_IFREG;
  stat.st_size = static_cast<off_t>(reader->size);
  auto memory = Map(kNoFile, stat, error);
  if (memory == nullptr) return nullptr;
  for (size_t offset = 0; offset < reader->size; offset += kMaxPart) {
    const char* const why =
        reader->read(reader->context, offset,
                     const_cast<char*>(memory->bytes_.data()) + offset,
                     std::min(kMaxPart, reader->size - offset));
    if (why != nullptr) {
      SetError(why, error);
      return nullptr;
    }
  }
  return memory;
}

MappedFile::~MappedFile() {
  munmap(const_cast<char*>(bytes_.data()), bytes_.size());
  if (file_ != kNoFile) close(file_);
}

bool MappedFile::IsUnchanged() const {
  if (file_ == kNoFile) return true;
  struct stat now;
  return fstat(file_, &now) == 0 && now.st_size == stat_.st_size &&
         ModifiedAt(now).tv_sec == ModifiedAt(stat_).tv_sec &&
         ModifiedAt(now).tv_nsec == ModifiedAt(stat_).tv_nsec;
}

}  // namespace tfcarve
