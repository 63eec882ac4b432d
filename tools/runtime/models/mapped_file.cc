#include "tools/runtime/models/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include "tensorflow/core/platform/errors.h"
#include "tensorflow/core/platform/strcat.h"

namespace tfcarve {
namespace {

using ::tensorflow::Status;

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

Status Error(absl::StatusCode code, const char* why) {
  return Status(code, tensorflow::strings::StrCat("can't be read: ", why));
}

// The error of a system call.
Status SystemError(int number) {
  return Error(number == ENOENT   ? absl::StatusCode::kNotFound
               : number == EACCES ? absl::StatusCode::kPermissionDenied
               : number == ENOMEM ? absl::StatusCode::kResourceExhausted
                                  : absl::StatusCode::kInvalidArgument,
               std::strerror(number));
}

}  // namespace

Status MappedFile::Map(int file, const struct stat& stat,
                       MappedFilePtr* mapped) {
  const char* const why = WhyNotMappable(stat);
  Status status = why == nullptr
                      ? tensorflow::OkStatus()
                      : Error(absl::StatusCode::kInvalidArgument, why);
  if (status.ok()) {
    const auto size = static_cast<size_t>(stat.st_size);
    // Writable, because some kernels write into their inputs (InplaceUpdate):
    // the process gets a private copy of such a page, the file does not change.
    void* const address = mmap(
        nullptr, size, PROT_READ | PROT_WRITE,
        file == kNoFile ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_PRIVATE, file, 0);
    if (address != MAP_FAILED) {
      mapped->reset(new MappedFile(file, stat,
                                   {static_cast<const char*>(address), size}));
      return status;
    }
    status = SystemError(errno);
  }
  if (file != kNoFile) close(file);
  return status;
}

Status MappedFile::Open(const char* path, MappedFilePtr* mapped) {
  // O_NONBLOCK: opening a pipe must not wait for its writer.
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat stat;
  if (file >= 0 && fstat(file, &stat) == 0) return Map(file, stat, mapped);
  const Status status = SystemError(errno);
  if (file >= 0) close(file);
  return status;
}

Status MappedFile::Read(const tfcarve_reader* reader, MappedFilePtr* mapped) {
  if (reader == nullptr || reader->read == nullptr) {
    return Error(absl::StatusCode::kInvalidArgument, "no function reads it");
  }
  struct stat stat = {};
  stat.st_mode = S_IFREG;
  stat.st_size = static_cast<off_t>(reader->size);
  MappedFilePtr memory;
  TF_RETURN_IF_ERROR(Map(kNoFile, stat, &memory));
  for (size_t offset = 0; offset < reader->size; offset += kMaxPart) {
    const char* const why =
        reader->read(reader->context, offset,
                     const_cast<char*>(memory->bytes_.data()) + offset,
                     std::min(kMaxPart, reader->size - offset));
    if (why != nullptr) return Error(absl::StatusCode::kAborted, why);
  }
  *mapped = std::move(memory);
  return tensorflow::OkStatus();
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
