// Guesses the programming language of a source file.
//
//   guess_language train.cc --model model.pb
//
// The model takes the text of files, and returns the names of languages and
// their scores.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "tfcarve.hpp"

namespace {

constexpr size_t kShown = 3;
constexpr int32_t kErrors = 2;

int Refused(const std::string& message) {
  std::fprintf(stderr, "guess_language: %s\n", message.c_str());
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

// The output of a type; without elements if the model has none.
tfcarve::Output OfType(const tfcarve::Result& result, tfcarve_dtype dtype) {
  for (size_t i = 0; i < result.size(); ++i) {
    if (result.output(i).dtype() == dtype) return result.output(i);
  }
  return tfcarve::Output();
}

int Main(int argc, char** argv) {
  if (argc != 4 || std::strcmp(argv[2], "--model") != 0) {
    std::fputs("usage: guess_language SOURCE --model FILE.pb\n", stderr);
    return 2;
  }
  std::string source;
  if (!ReadFile(argv[1], &source)) {
    return Refused(std::string(argv[1]) + ": cannot be read");
  }
  // The program prints the errors of its run itself.
  tfcarve_set_log(nullptr, nullptr, kErrors);
  tfcarve::Session session = tfcarve::Session::FromFile(argv[3]);
  if (!session.ok()) return Refused(session.error());
  const std::vector<tfcarve_tensor_info> inputs = session.inputs();
  if (inputs.size() != 1 || inputs[0].dtype != TFCARVE_STRING) {
    return Refused(std::string(argv[3]) + ": expected one input of strings");
  }
  const tfcarve_string text = {source.data(), source.size()};
  std::vector<std::string> outputs;
  for (const tfcarve_tensor_info& output : session.outputs()) {
    outputs.emplace_back(output.name);
  }
  const tfcarve::Result result =
      session.Run({tfcarve::Input(inputs[0].name, {1}, &text, 1)}, outputs);
  if (!result.ok()) return Refused(result.error());
  const tfcarve::Output names = OfType(result, TFCARVE_STRING);
  const tfcarve::Output scores = OfType(result, TFCARVE_FLOAT);
  const size_t count = scores.size<float>();
  if (count == 0 || names.size<tfcarve_string>() != count) {
    return Refused(std::string(argv[3]) +
                   ": expected a name and a score for each language");
  }
  const auto* score = scores.data<float>();
  const auto* name = names.data<tfcarve_string>();
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  const size_t shown = std::min(kShown, count);
  std::partial_sort(order.begin(), order.begin() + shown, order.end(),
                    [&](size_t a, size_t b) { return score[a] > score[b]; });
  for (size_t i = 0; i < shown; ++i) {
    const tfcarve_string& label = name[order[i]];
    std::printf("%.4f  %.*s\n", score[order[i]], static_cast<int>(label.size),
                label.data);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return Main(argc, argv); }
