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
#include <string>
#include <vector>

#include "tools/runtime/command_line.h"
#include "tools/runtime/compare.h"
#include "tools/runtime/file_io.h"
#include "tools/runtime/npy.h"
#include "tools/runtime/open_session.h"
#include "tools/runtime/tfcarve_c_api.h"

namespace {

using tfcarve::Binding;
using tfcarve::kBadUse;
using tfcarve::kDone;
using tfcarve::kRefused;

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

// "float32=1e-4"
bool ParseTolerance(const std::string& text, tfcarve::Tolerance* tolerance) {
  Binding binding;
  if (!tfcarve::ParseBinding(text, &binding)) return false;
  char* end = nullptr;
  const double value = std::strtod(binding.value.c_str(), &end);
  return *end == '\0' && value >= 0 && tolerance->Set(binding.name, value);
}

// An option that takes a value.
bool ParseOption(const std::string& option, const std::string& value,
                 Arguments* arguments, std::string* error) {
  Binding binding;
  if (option == "--threads") {
    return tfcarve::ParseThreads(value, &arguments->threads, error);
  }
  if (option == "--tolerance") {
    if (ParseTolerance(value, &arguments->tolerance)) return true;
    *error =
        "--tolerance takes float16=, float32= or float64= and a number, "
        "not '" +
        value + "'";
  } else if (option != "--input" && option != "--output" &&
             option != "--expect") {
    *error = "unknown option '" + option + "'";
  } else if (!tfcarve::ParseBinding(value, &binding)) {
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
  for (const tfcarve::Given& given :
       tfcarve::SplitCommandLine(words, {"--help", "-h", "--time"})) {
    if (given.option == "--help" || given.option == "-h") {
      arguments->help = true;
      return true;
    }
    if (given.option == "--time") {
      arguments->time = true;
    } else if (!given.option.empty()) {
      if (!ParseOption(given.option, given.value, arguments, error)) {
        return false;
      }
    } else if (arguments->model.empty()) {
      arguments->model = given.value;
    } else {
      *error = "one model at a time, not also '" + given.value + "'";
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
    if (!tfcarve::WriteFile(outputs[i].value, header, tensor.data,
                            tensor.size)) {
      return Fail(kBadUse, "can't write " + outputs[i].value);
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
                             " (expected: " + expected[i].value + ")");
    }
  }
  return status;
}

int RunModel(const Arguments& arguments) {
  std::vector<tfcarve::NpyArray> arrays, expected;
  std::string error;
  if (!tfcarve::ReadArrays(arguments.inputs, &arrays, &error) ||
      !tfcarve::ReadArrays(arguments.expected, &expected, &error)) {
    return Fail(kBadUse, error);
  }
  std::vector<tfcarve_tensor> inputs;
  for (size_t i = 0; i < arrays.size(); ++i) {
    inputs.push_back(tfcarve::TensorOf(arguments.inputs[i].name, arrays[i]));
  }
  tfcarve::SessionPtr session(nullptr, &tfcarve_session_free);
  const int opened = tfcarve::OpenSession(arguments.model, arguments.threads,
                                          &session, &error);
  if (opened != kDone) return Fail(opened, error);

  std::vector<const char*> names;
  for (const Binding& output : arguments.outputs) {
    names.push_back(output.name.c_str());
  }
  for (const Binding& output : arguments.expected) {
    names.push_back(output.name.c_str());
  }
  const auto start = std::chrono::steady_clock::now();
  const tfcarve::ResultPtr result(
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
