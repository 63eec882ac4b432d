// Tests of writing files: regular files, symbolic links, pipes, open files.

#include "tools/runtime/programs/file_io.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/runtime/expecting.h"

namespace {

// An empty folder for this process.
std::string NewFolder() {
  const char* root = std::getenv("TEST_TMPDIR");
  std::string folder = std::string(root ? root : "/tmp") + "/file_io.XXXXXX";
  Expect(mkdtemp(&folder[0]) != nullptr, "a folder");
  return folder + "/";
}

std::string Content(const std::string& path) {
  std::string bytes;
  Expect(tfcarve::ReadFile(path, &bytes), "can read " + path);
  return bytes;
}

bool Write(const std::string& path, const std::string& data) {
  return tfcarve::WriteFile(path, "head ", data.data(), data.size());
}

// The type of a file itself, which may be a link; 0 if there is none.
mode_t Type(const std::string& path) {
  struct stat status;
  return lstat(path.c_str(), &status) == 0 ? status.st_mode & S_IFMT : 0;
}

void RegularFiles() {
  const std::string path = NewFolder() + "file";
  for (const std::string data : {"longer than the next", "new"}) {
    Expect(Write(path, data), path);
    Expect(Content(path) == "head " + data, data);
  }
  Expect(Type(path + ".partial") == 0, "no partial file");
}

void ReadersOfAReplacedFileKeepIt() {
  const std::string path = NewFolder() + "file";
  Expect(Write(path, "old"), path);
  const int reader = open(path.c_str(), O_RDONLY);
  Expect(Write(path, "new"), path);
  char bytes[100];
  const ssize_t size = read(reader, bytes, sizeof(bytes));
  Expect(std::string(bytes, size > 0 ? size : 0) == "head old", "the old file");
  close(reader);
}

void LinksStay() {
  const std::string folder = NewFolder();
  Expect(mkdir((folder + "deep").c_str(), 0777) == 0, "a folder");
  // link -> deep/link -> file, which does not exist at first.
  Expect(symlink("deep/link", (folder + "link").c_str()) == 0, "a link");
  Expect(symlink("file", (folder + "deep/link").c_str()) == 0, "a link");
  const std::string absolute = folder + "absolute";
  Expect(symlink((folder + "link").c_str(), absolute.c_str()) == 0, "a link");
  for (const std::string& path : {folder + "link", absolute}) {
    Expect(Write(path, path), path);
    Expect(Content(folder + "deep/file") == "head " + path, path);
    Expect(Type(path) == S_IFLNK, "still a link");
    Expect(Type(folder + "deep/link") == S_IFLNK, "still a link");
  }
}

void PipesStay() {
  const std::string pipe = NewFolder() + "pipe";
  Expect(mkfifo(pipe.c_str(), 0666) == 0, "a pipe");
  const std::string link = pipe + ".link";
  Expect(symlink(pipe.c_str(), link.c_str()) == 0, "a link");
  const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  for (const std::string& path : {pipe, link}) {
    Expect(Write(path, "data"), path);
    char bytes[100];
    const ssize_t size = read(reader, bytes, sizeof(bytes));
    Expect(std::string(bytes, size > 0 ? size : 0) == "head data", path);
  }
  close(reader);
  Expect(Type(pipe) == S_IFIFO, "still a pipe");
  Expect(Type(pipe + ".partial") == 0, "no partial file");
}

void DevicesStay() {
  // By a link, because a wrong WriteFile of root would replace the device.
  const std::string link = NewFolder() + "null";
  Expect(symlink("/dev/null", link.c_str()) == 0, "a link");
  Expect(Write(link, "data"), "a device");
  Expect(Type("/dev/null") == S_IFCHR, "still a device");
  Expect(Type(link) == S_IFLNK, "still a link");
}

// Redirects the standard output to an open file.
class Redirected {
 public:
  explicit Redirected(int to) : saved_(dup(STDOUT_FILENO)) {
    std::fflush(stdout);
    dup2(to, STDOUT_FILENO);
  }
  ~Redirected() {
    std::fflush(stdout);
    dup2(saved_, STDOUT_FILENO);
    close(saved_);
  }

 private:
  int saved_;
};

void StandardOutputIsWrittenAtItsPosition() {
  // By a link, because a wrong WriteFile of root would replace /dev/stdout.
  const std::string folder = NewFolder(), link = folder + "link";
  Expect(symlink("/dev/stdout", link.c_str()) == 0, "a link");
  for (const std::string& path : {std::string("-"), std::string("/dev/fd/1"),
                                  std::string("/proc/self/fd/1"), link}) {
    int pipe_ends[2];
    Expect(pipe(pipe_ends) == 0, "a pipe");
    const int file =
        open((folder + "file").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    for (const int to : {pipe_ends[1], file}) {
      const Redirected redirected(to);
      std::fputs("before ", stdout);
      Expect(Write(path, "data"), path);
      std::fputs(" after", stdout);
    }
    close(file);
    const std::string expected = "before head data after";
    char bytes[100];
    const ssize_t size = read(pipe_ends[0], bytes, sizeof(bytes));
    Expect(std::string(bytes, size > 0 ? size : 0) == expected, path);
    Expect(Content(folder + "file") == expected, path);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    Expect(tfcarve::TextStream({"a", path}) == stderr, path);
  }
  Expect(tfcarve::TextStream({"/dev/stdout"}) == stderr, "/dev/stdout");
  Expect(tfcarve::TextStream({"", "a", "./-", "/dev/stderr", "/dev/fd/10"}) ==
             stdout,
         "none is the standard output");
}

void FilesThatCannotBeWritten() {
  const std::string folder = NewFolder();
  Expect(symlink("loop", (folder + "loop").c_str()) == 0, "a link");
  for (const std::string& path :
       {folder, folder + "none/file", folder + "loop",
        std::string("/dev/fd/999"), std::string("/dev/fd/9999999999"),
        std::string("/dev/fd/1x"), std::string()}) {
    Expect(!Write(path, "data"), path);
  }
  Expect(Type(folder + "loop") == S_IFLNK, "still a link");
  Expect(Type(folder + "none") == 0, "no folder");
  Expect(Type(folder + "loop.partial") == 0, "no partial file");
}

}  // namespace

int main() {
  RegularFiles();
  ReadersOfAReplacedFileKeepIt();
  LinksStay();
  PipesStay();
  DevicesStay();
  StandardOutputIsWrittenAtItsPosition();
  FilesThatCannotBeWritten();
  return failures == 0 ? 0 : 1;
}
