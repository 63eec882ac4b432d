// Finds faces in a photograph, and prints their boxes.
//
//   find_faces crew.jpg --model model.pb
//
// The model decodes the file, looks for faces at several scales, and removes
// boxes that overlap (non-maximum suppression).

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include "tfcarve.hpp"

namespace {

constexpr int32_t kErrors = 2;

int Refused(const std::string& message) {
  std::fprintf(stderr, "find_faces: %s\n", message.c_str());
  return 2;
}

bool ReadFile(const char* path, std::string* content) {
  std::FILE* file = std::fopen(path, "rb");
  if (file == nullptr) return false;
  char part[1 << 16];
  for (size_t size; (size = std::fread(part, 1, sizeof(part), file)) > 0;) {
    content->append(part, size);
  }
  const bool failed = std::ferror(file) != 0;
  std::fclose(file);
  return !failed;
}

int Main(int argc, char** argv) {
  if (argc != 4 || std::strcmp(argv[2], "--model") != 0) {
    std::fputs("usage: find_faces PHOTOGRAPH --model FILE.pb\n", stderr);
    return 2;
  }
  std::string photograph;
  if (!ReadFile(argv[1], &photograph)) {
    return Refused(std::string(argv[1]) + ": cannot be read");
  }
  // The program prints the errors of its run itself.
  tfcarve_set_log(nullptr, nullptr, kErrors);
  tfcarve::Session session = tfcarve::Session::FromFile(argv[3]);
  if (!session.ok()) return Refused(session.error());
  const tfcarve_string content = {photograph.data(), photograph.size()};
  const tfcarve::Result result = session.Run(
      {tfcarve::Input("photograph", {}, &content, 1)}, {"boxes", "scores"});
  if (!result.ok()) {
    return Refused(std::string(argv[1]) + ": " + result.error());
  }
  const auto* box = result.output(0).data<float>();
  const auto* score = result.output(1).data<float>();
  const size_t count = result.output(1).size<float>();
  if (result.output(0).size<float>() != 4 * count) {
    return Refused(std::string(argv[3]) + ": expected a box for each score");
  }
  for (size_t i = 0; i < count; ++i, box += 4) {
    std::printf("%.4f  left %.1f  upper %.1f  right %.1f  lower %.1f\n",
                score[i], box[0], box[1], box[2], box[3]);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return Main(argc, argv); }
