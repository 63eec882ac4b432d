// A file in memory, read when it is looked at.

#ifndef TFCARVE_TOOLS_RUNTIME_MAPPED_FILE_H_
#define TFCARVE_TOOLS_RUNTIME_MAPPED_FILE_H_

#include <sys/stat.h>

#include <string>
#include <string_view>

#include "tensorflow/core/lib/core/refcount.h"

namespace tfcarve {

class MappedFile : public tensorflow::core::RefCounted {
 public:
  // Maps a regular file that is not empty. Returns nothing, with the reason in
  // `error`, where that is not possible. A file that is deleted stays mapped.
  static tensorflow::core::RefCountPtr<const MappedFile> Open(
      const char* path, std::string* error);

  std::string_view bytes() const { return bytes_; }

  // Whether the file still is as it was when it was mapped, by its size and the
  // time it was written. Reading beyond the end of a file that was cut short
  // ends the process (SIGBUS).
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
