// Trains a classifier on this device: prints the loss, and saves the weights.
//
//   train graph.pb data.raw weights --steps 100
//
// If weights exist, the training continues with them.

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "tfcarve.hpp"

namespace {

constexpr char kUsage[] =
    "usage: train GRAPH.pb DATA.raw WEIGHTS [--steps N]\n";
constexpr int32_t kShown = 10;
constexpr int32_t kErrors = 2;

// Points with two coordinates, and the class of each.
struct Data {
  std::vector<float> points;
  std::vector<int32_t> labels;
};

int Refused(const std::string& message) {
  std::fprintf(stderr, "train: %s\n", message.c_str());
  return 2;
}

// Reads all points, then all labels; false if the file is no such file.
bool ReadData(const char* path, Data* data) {
  std::FILE* file = std::fopen(path, "rb");
  if (file == nullptr) return false;
  std::vector<char> content;
  char part[1 << 16];
  for (size_t size; (size = std::fread(part, 1, sizeof(part), file)) > 0;) {
    content.insert(content.end(), part, part + size);
  }
  const bool failed = std::ferror(file) != 0;
  std::fclose(file);
  constexpr size_t kRow = 2 * sizeof(float) + sizeof(int32_t);
  if (failed || content.empty() || content.size() % kRow != 0) return false;
  const size_t rows = content.size() / kRow;
  data->points.resize(2 * rows);
  data->labels.resize(rows);
  const size_t bytes = data->points.size() * sizeof(float);
  std::memcpy(data->points.data(), content.data(), bytes);
  std::memcpy(data->labels.data(), content.data() + bytes,
              rows * sizeof(int32_t));
  return true;
}

// The share of points whose more probable class is theirs.
double Accuracy(const float* probability, const std::vector<int32_t>& labels) {
  size_t right = 0;
  for (size_t i = 0; i < labels.size(); ++i) {
    right += (probability[2 * i + 1] > probability[2 * i]) == (labels[i] == 1);
  }
  return static_cast<double>(right) / static_cast<double>(labels.size());
}

bool Exists(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file != nullptr) std::fclose(file);
  return file != nullptr;
}

int Main(int argc, char** argv) {
  int32_t steps = 100;
  if (argc == 6) {
    const char* end = argv[5] + std::strlen(argv[5]);
    const auto [rest, error] = std::from_chars(argv[5], end, steps);
    if (std::strcmp(argv[4], "--steps") != 0 || error != std::errc() ||
        rest != end || steps < 0) {
      argc = 0;
    }
  }
  if (argc != 4 && argc != 6) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  Data data;
  if (!ReadData(argv[2], &data)) {
    return Refused(std::string(argv[2]) +
                   ": cannot be read, or is not a file of points and labels");
  }
  // The program prints the errors of its runs itself.
  tfcarve_set_log(nullptr, nullptr, kErrors);
  tfcarve::Session session = tfcarve::Session::FromFile(argv[1]);
  if (!session.ok()) return Refused(session.error());

  const std::string weights = argv[3];
  const tfcarve_string name = {weights.data(), weights.size()};
  const tfcarve::Input file("file", {}, &name, 1);
  const auto rows = static_cast<int64_t>(data.labels.size());
  const tfcarve::Input points("x", {rows, 2}, data.points.data(),
                              data.points.size());
  const tfcarve::Input labels("labels", {rows}, data.labels.data(),
                              data.labels.size());

  // TensorFlow writes WEIGHTS.index and WEIGHTS.data-00000-of-00001.
  const bool goes_on = Exists(weights + ".index");
  const tfcarve::Result ready = goes_on ? session.Run({file}, {"restored"})
                                        : session.Run({}, {"initialized"});
  if (!ready.ok()) return Refused(weights + ": " + ready.error());
  for (int32_t step = 0; step < steps; ++step) {
    const tfcarve::Result trained =
        session.Run({points, labels}, {"trained_loss"});
    if (!trained.ok()) return Refused(trained.error());
    if (step % kShown == 0 || step + 1 == steps) {
      std::printf("step %d  loss %.6f\n", step,
                  trained.output(0).data<float>()[0]);
    }
  }
  const tfcarve::Result tested = session.Run({points}, {"probability"});
  if (!tested.ok()) return Refused(tested.error());
  std::printf("accuracy %.4f\n",
              Accuracy(tested.output(0).data<float>(), data.labels));
  const tfcarve::Result saved = session.Run({file}, {"saved"});
  if (!saved.ok()) return Refused(weights + ": " + saved.error());
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return Main(argc, argv); }
