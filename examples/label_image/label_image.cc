// Labels a photograph: prints the most probable labels.
//
//   label_image cat.jpg --model model.pb --labels labels.txt
//
// The model takes the content of a file, because it has the decoder of JPEG
// and PNG itself, and returns the probability of each label.

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tfcarve.hpp"

namespace {

constexpr size_t kShown = 5;
constexpr int32_t kErrors = 2;
constexpr char kUsage[] =
    "usage: label_image PHOTOGRAPH --model FILE.pb --labels FILE.txt "
    "[--threads N] [--benchmark RUNS]\n";

struct Options {
  std::string photograph;
  std::string model;
  std::string labels;
  int32_t threads = 1;
  int32_t runs = 0;
};

// Prints a message, and returns the exit status for invalid input.
int Refused(const std::string& message) {
  std::fprintf(stderr, "label_image: %s\n", message.c_str());
  return 2;
}

bool ReadNumber(const char* text, int32_t* number) {
  const char* end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, *number);
  return error == std::errc() && rest == end && *number >= 0;
}

std::optional<Options> ReadOptions(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : nullptr;
    if (word.rfind("--", 0) != 0) {
      if (!options.photograph.empty()) return std::nullopt;
      options.photograph = word;
      continue;
    }
    if (value == nullptr) return std::nullopt;
    if (word == "--model") {
      options.model = value;
    } else if (word == "--labels") {
      options.labels = value;
    } else if (word == "--threads") {
      if (!ReadNumber(value, &options.threads)) return std::nullopt;
    } else if (word == "--benchmark") {
      if (!ReadNumber(value, &options.runs)) return std::nullopt;
    } else {
      return std::nullopt;
    }
    ++i;
  }
  const bool complete = !options.photograph.empty() && !options.model.empty() &&
                        !options.labels.empty();
  return complete ? std::optional(options) : std::nullopt;
}

std::optional<std::string> ReadFile(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return std::nullopt;
  std::string content;
  char part[1 << 16];
  for (size_t size; (size = std::fread(part, 1, sizeof(part), file)) > 0;) {
    content.append(part, size);
  }
  const bool failed = std::ferror(file) != 0;  // for example, it is a folder
  std::fclose(file);
  return failed ? std::nullopt : std::optional(std::move(content));
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const bool has_return = end > begin && text[end - 1] == '\r';
    lines.push_back(text.substr(begin, end - begin - has_return));
    begin = end + 1;
  }
  return lines;
}

double Milliseconds(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

void PrintLabels(const float* probabilities,
                 const std::vector<std::string>& labels) {
  std::vector<size_t> order(labels.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const size_t shown = std::min(kShown, order.size());
  std::partial_sort(
      order.begin(), order.begin() + shown, order.end(),
      [&](size_t a, size_t b) { return probabilities[a] > probabilities[b]; });
  for (size_t i = 0; i < shown; ++i) {
    std::printf("%.4f  %s\n", probabilities[order[i]],
                labels[order[i]].c_str());
  }
}

int Main(int argc, char** argv) {
  const std::optional<Options> options = ReadOptions(argc, argv);
  if (!options) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  const std::optional<std::string> label_text = ReadFile(options->labels);
  if (!label_text) return Refused(options->labels + ": cannot be read");
  const std::vector<std::string> labels = Lines(*label_text);
  const std::optional<std::string> photograph = ReadFile(options->photograph);
  if (!photograph) return Refused(options->photograph + ": cannot be read");

  // TensorFlow warns about color profiles of photographs.
  tfcarve_set_log(nullptr, nullptr, kErrors);
  tfcarve::SessionOptions session_options;
  session_options.threads = options->threads;
  const auto start = std::chrono::steady_clock::now();
  tfcarve::Session session =
      tfcarve::Session::FromFile(options->model, session_options);
  if (!session.ok()) return Refused(session.error());
  const std::vector<tfcarve_tensor_info> inputs = session.inputs();
  const std::vector<tfcarve_tensor_info> outputs = session.outputs();
  if (inputs.size() != 1 || outputs.size() != 1 ||
      inputs[0].dtype != TFCARVE_STRING) {
    return Refused(options->model +
                   ": expected one input, the content of a file (a string), "
                   "and one output: make_model.py shows how to add the decoder "
                   "to a classifier");
  }

  const tfcarve_string content = {photograph->data(), photograph->size()};
  const std::vector<tfcarve::Input> feeds = {
      tfcarve::Input(inputs[0].name, {}, &content, 1)};
  const std::vector<std::string> fetches = {outputs[0].name};
  const tfcarve::Result result = session.Run(feeds, fetches);
  if (!result.ok()) {
    return Refused(options->photograph + ": " + result.error());
  }
  const auto first = std::chrono::steady_clock::now() - start;
  const tfcarve::Output output = result.output(0);
  if (output.size<float>() != labels.size()) {
    return Refused(options->labels + ": has " + std::to_string(labels.size()) +
                   " labels, but the model has " +
                   std::to_string(output.size<float>()));
  }
  PrintLabels(output.data<float>(), labels);

  if (options->runs > 0) {
    std::vector<double> times;
    for (int32_t i = 0; i < options->runs; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      session.Run(feeds, fetches);
      times.push_back(Milliseconds(std::chrono::steady_clock::now() - begin));
    }
    std::sort(times.begin(), times.end());
    std::printf(
        "load and first run %.1f ms; %zu more runs: minimum %.2f ms, median "
        "%.2f ms\n",
        Milliseconds(first), times.size(), times.front(),
        times[times.size() / 2]);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return Main(argc, argv); }
