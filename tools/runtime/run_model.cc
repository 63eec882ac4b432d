// run_model MODEL.pb --input NAME=FILE.npy… --output NAME=FILE.npy…
//           --expect NAME=FILE.npy… [--time]
//
// Runs a frozen graph once through the C interface of a carved library. Exit
// status: 0 done; 1 the library can't run the model, or an output is not as
// expected: the message is on stderr; 2 bad use or a file that can't be read or
// written.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "tools/runtime/compare.h"
#include "tools/runtime/npy.h"
#include "tools/runtime/tfcarve_c_api.h"

namespace {

// The exit statuses are tfcarve_status.
constexpr int kDone = TFCARVE_OK;
constexpr int kRefused = TFCARVE_REFUSED;
constexpr int kBadUse = TFCARVE_BAD_INPUT;

constexpr char kUsage[] =
    "usage: run_model MODEL.pb --input NAME=FILE.npy... --output "
    "NAME=FILE.npy...\n"
    "                 --expect NAME=FILE.npy... [--tolerance TYPE=NUMBER]...\n"
    "                 [--threads N] [--time]\n"
    "\n"
    "Runs a frozen TensorFlow graph once.\n"
    "  --input NAME=FILE.npy   feed the array in FILE to the node NAME\n"
    "  --output NAME=FILE.npy  write what the node NAME gives to FILE\n"
    "  --expect NAME=FILE.npy  compare what the node NAME gives with the array "
    "in FILE\n"
    "  --tolerance TYPE=NUMBER by how much numbers of float16, float32 or "
    "float64\n"
    "                          may differ; else 1e-2, 1e-5, 1e-9\n"
    "  --threads N             threads to compute with; 0, the default: all\n"
    "  --time                  print how many milliseconds the run took\n"
    "exit status: 0 done, 1 the library can't run the model or an output is "
    "not\n"
    "             as expected, 2 bad use\n";

// A tensor's name and the file that it is read from or written to.
struct Binding {
  std::string name;
  std::string path;
};

struct Arguments {
  std::string model;
  std::vector<Binding> inputs;
  std::vector<Binding> outputs;
  std::vector<Binding> expected;
  tfcarve::Tolerance tolerance;
  int threads = 0;
  bool time = false;
  bool help = false;
};

int Fail(int status, const std::string& message) {
  std::fprintf(stderr, "run_model: %s\n", message.c_str());
  return status;
}

bool ParseBinding(const std::string& text, Binding* binding) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    return false;
  }
  *binding = {text.substr(0, equals), text.substr(equals + 1)};
  return true;
}

bool ParseThreads(const std::string& text, int* threads) {
  if (text.empty() || text.size() > 4) return false;
  if (text.find_first_not_of("0123456789") != std::string::npos) return false;
  *threads = std::stoi(text);
  return true;
}

// "float32=1e-4"
bool ParseTolerance(const std::string& text, tfcarve::Tolerance* tolerance) {
  Binding binding;
  if (!ParseBinding(text, &binding)) return false;
  char* end = nullptr;
  const double value = std::strtod(binding.path.c_str(), &end);
  return *end == '\0' && value >= 0 && tolerance->Set(binding.name, value);
}

// An option that takes a value.
bool ParseOption(const std::string& option, const std::string& value,
                 Arguments* arguments, std::string* error) {
  Binding binding;
  if (option == "--threads") {
    if (ParseThreads(value, &arguments->threads)) return true;
    *error = "--threads takes a number, not '" + value + "'";
  } else if (option == "--tolerance") {
    if (ParseTolerance(value, &arguments->tolerance)) return true;
    *error =
        "--tolerance takes float16=, float32= or float64= and a number, "
        "not '" +
        value + "'";
  } else if (option != "--input" && option != "--output" &&
             option != "--expect") {
    *error = "unknown option '" + option + "'";
  } else if (!ParseBinding(value, &binding)) {
    *error = option + " takes NAME=FILE.npy, not '" + value + "'";
  } else {
    std::vector<Binding>& bindings = option == "--input" ? arguments->inputs
                                     : option == "--output"
                                         ? arguments->outputs
                                         : arguments->expected;
    bindings.push_back(binding);
    return true;
  }
  return false;
}

bool ParseArguments(const std::vector<std::string>& words, Arguments* arguments,
                    std::string* error) {
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--help" || word == "-h") {
      arguments->help = true;
      return true;
    }
    if (word == "--time") {
      arguments->time = true;
    } else if (word.size() > 1 && word[0] == '-') {
      // --option=value or --option value
      const size_t equals = word.find('=');
      const bool joined = equals != std::string::npos;
      const std::string next = i + 1 < words.size() ? words[i + 1] : "";
      if (!ParseOption(word.substr(0, equals),
                       joined ? word.substr(equals + 1) : next, arguments,
                       error)) {
        return false;
      }
      if (!joined) ++i;
    } else if (arguments->model.empty()) {
      arguments->model = word;
    } else {
      *error = "one model at a time, not also '" + word + "'";
      return false;
    }
  }
  if (arguments->model.empty()) {
    *error = "which model? See --help";
  } else if (arguments->outputs.empty() && arguments->expected.empty()) {
    *error = "which --output or --expect? See --help";
  }
  return error->empty();
}

bool ReadFile(const std::string& path, std::string* bytes) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      std::fopen(path.c_str(), "rb"), &std::fclose);
  if (file == nullptr) return false;
  std::vector<char> chunk(1 << 20);
  while (true) {
    const size_t got = std::fread(chunk.data(), 1, chunk.size(), file.get());
    bytes->append(chunk.data(), got);
    if (got < chunk.size()) return std::ferror(file.get()) == 0;
  }
}

// Writes beside the file first, so that it is there whole or not at all.
bool WriteFile(const std::string& path, const std::string& header,
               const void* data, size_t size) {
  const std::string partial = path + ".partial";
  std::FILE* file = std::fopen(partial.c_str(), "wb");
  if (file == nullptr) return false;
  bool good =
      std::fwrite(header.data(), 1, header.size(), file) == header.size();
  good = std::fwrite(data, 1, size, file) == size && good;
  good = std::fclose(file) == 0 && good;
  good = good && std::rename(partial.c_str(), path.c_str()) == 0;
  if (!good) std::remove(partial.c_str());
  return good;
}

using SessionPtr =
    std::unique_ptr<tfcarve_session, decltype(&tfcarve_session_free)>;
using ResultPtr =
    std::unique_ptr<tfcarve_result, decltype(&tfcarve_result_free)>;

int WriteOutputs(const tfcarve_result* result,
                 const std::vector<Binding>& outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    tfcarve_tensor tensor;
    if (tfcarve_result_get(result, i, &tensor) != 0) {
      return Fail(kRefused, "no output '" + outputs[i].name + "'");
    }
    const std::vector<int64_t> dims(tensor.dims, tensor.dims + tensor.rank);
    const std::string header = tfcarve::NpyHeader(tensor.dtype, dims);
    if (header.empty()) {
      return Fail(kRefused, "output '" + outputs[i].name +
                                "': .npy has no type for TensorFlow's " +
                                std::to_string(tensor.dtype));
    }
    if (!WriteFile(outputs[i].path, header, tensor.data, tensor.size)) {
      return Fail(kBadUse, "can't write " + outputs[i].path);
    }
  }
  return kDone;
}

// Compares the results from number `first` on with the arrays expected of them;
// tells of each that differs.
int CheckOutputs(const tfcarve_result* result, size_t first,
                 const std::vector<Binding>& expected,
                 const std::vector<tfcarve::NpyArray>& arrays,
                 const tfcarve::Tolerance& tolerance) {
  int status = kDone;
  for (size_t i = 0; i < expected.size(); ++i) {
    tfcarve_tensor tensor;
    std::string difference = "is not there";
    if (tfcarve_result_get(result, first + i, &tensor) == 0) {
      difference = tfcarve::Difference(tensor, arrays[i], tolerance);
    }
    if (!difference.empty()) {
      status =
          Fail(kRefused, "output '" + expected[i].name + "' " + difference +
                             " (expected: " + expected[i].path + ")");
    }
  }
  return status;
}

int ReadArrays(const std::vector<Binding>& bindings,
               std::vector<tfcarve::NpyArray>* arrays) {
  for (const Binding& binding : bindings) {
    std::string bytes, error;
    if (!ReadFile(binding.path, &bytes)) {
      return Fail(kBadUse, "can't read " + binding.path);
    }
    arrays->emplace_back();
    if (!tfcarve::ParseNpy(bytes, &arrays->back(), &error)) {
      return Fail(kBadUse, binding.path + ": " + error);
    }
  }
  return kDone;
}

int RunModel(const Arguments& arguments) {
  std::vector<tfcarve::NpyArray> arrays, expected;
  if (ReadArrays(arguments.inputs, &arrays) != kDone ||
      ReadArrays(arguments.expected, &expected) != kDone) {
    return kBadUse;
  }
  std::vector<tfcarve_tensor> inputs;
  for (size_t i = 0; i < arrays.size(); ++i) {
    const Binding& input = arguments.inputs[i];
    inputs.push_back({input.name.c_str(), arrays[i].dtype,
                      static_cast<int32_t>(arrays[i].dims.size()),
                      arrays[i].dims.data(), arrays[i].data.data(),
                      arrays[i].data.size()});
  }
  const SessionPtr session(
      tfcarve_session_new_from_file(arguments.model.c_str(), arguments.threads),
      &tfcarve_session_free);
  if (const char* error = tfcarve_session_error(session.get())) {
    return Fail(tfcarve_session_status(session.get()), error);
  }

  std::vector<const char*> names;
  for (const Binding& output : arguments.outputs) {
    names.push_back(output.name.c_str());
  }
  for (const Binding& output : arguments.expected) {
    names.push_back(output.name.c_str());
  }
  const auto start = std::chrono::steady_clock::now();
  const ResultPtr result(
      tfcarve_session_run(session.get(), inputs.data(), inputs.size(),
                          names.data(), names.size()),
      &tfcarve_result_free);
  const std::chrono::duration<double, std::milli> took =
      std::chrono::steady_clock::now() - start;
  if (const char* error = tfcarve_result_error(result.get())) {
    return Fail(tfcarve_result_status(result.get()),
                arguments.model + ": " + error);
  }
  int status = WriteOutputs(result.get(), arguments.outputs);
  if (status == kDone) {
    status = CheckOutputs(result.get(), arguments.outputs.size(),
                          arguments.expected, expected, arguments.tolerance);
  }
  if (status == kDone && arguments.time) {
    std::printf("%.1f\n", took.count());
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  std::string error;
  if (!ParseArguments({argv + 1, argv + argc}, &arguments, &error)) {
    return Fail(kBadUse, error);
  }
  if (arguments.help) {
    std::fputs(kUsage, stdout);
    return kDone;
  }
  // TensorFlow's remarks on the CPU are not wanted here; its warnings are.
  setenv("TF_CPP_MIN_LOG_LEVEL", "1", /*overwrite=*/0);
  return RunModel(arguments);
}
