// A model in mapped memory: that of a file, or memory that an app fills.

#ifndef TFCARVE_TOOLS_RUNTIME_MODELS_MAPPED_FILE_H_
#define TFCARVE_TOOLS_RUNTIME_MODELS_MAPPED_FILE_H_

#include <sys/stat.h>

#include <string_view>

#include "tensorflow/core/lib/core/refcount.h"
#include "tensorflow/core/platform/status.h"
#include "tools/runtime/include/tfcarve_c_api.h"

namespace tfcarve {

class MappedFile;
using MappedFilePtr = tensorflow::core::RefCountPtr<const MappedFile>;

class MappedFile : public tensorflow::core::RefCounted {
 public:
  // Maps a regular file that is not empty. The file may be deleted while it is
  // mapped.
  static tensorflow::Status Open(const char* path, MappedFilePtr* mapped);

  // Reads a model that is not empty into anonymous memory.
  static tensorflow::Status Read(const tfcarve_reader* reader,
                                 MappedFilePtr* mapped);

  std::string_view bytes() const { return bytes_; }

  // Whether the file's size and modification time are unchanged since it was
  // mapped; true for anonymous memory. Reading beyond the end of a truncated
  // file ends the process (SIGBUS).
  bool IsUnchanged() const;

 private:
  // Maps a file, which it takes over, or memory of `stat.st_size` bytes if
  // `file` is kNoFile.
  static tensorflow::Status Map(int file, const struct stat& stat,
                                MappedFilePtr* mapped);

  static constexpr int kNoFile = -1;

  MappedFile(int file, const struct stat& stat, std::string_view bytes)
      : file_(file), stat_(stat), bytes_(bytes) {}
  ~MappedFile() override;

  const int file_;
  const struct stat stat_;
  const std::string_view bytes_;
};

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_MODELS_MAPPED_FILE_H_
