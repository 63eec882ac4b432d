// A file that is mapped into memory.

#ifndef TFCARVE_TOOLS_RUNTIME_MAPPED_FILE_H_
#define TFCARVE_TOOLS_RUNTIME_MAPPED_FILE_H_

#include <sys/stat.h>

#include <string>
#include <string_view>

#include "tensorflow/core/lib/core/refcount.h"

namespace tfcarve {

class MappedFile : public tensorflow::core::RefCounted {
 public:
  // Maps a regular file that is not empty. On failure returns null and sets
  // `error`. The file may be deleted while it is mapped.
  static tensorflow::core::RefCountPtr<const MappedFile> Open(
      const char* path, std::string* error);

  std::string_view bytes() const { return bytes_; }

  // Whether the file's size and modification time are unchanged since it was
  // mapped. Reading beyond the end of a truncated file ends the process
  // (SIGBUS).
  bool IsUnchanged() const;

 private:
  MappedFile(int file, const struct stat& stat, std::string_view bytes)
      : file_(file), stat_(stat), bytes_(bytes) {}
  ~MappedFile() override;

  const int file_;
  const struct stat stat_;
  const std::string_view bytes_;
};

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_MAPPED_FILE_H_
