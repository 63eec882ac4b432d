// run_model MODEL.pb --input NAME=FILE.npy… --output NAME=FILE.npy…
//           --expect NAME=FILE.npy… [--time]
//
// Runs a frozen graph once through the C interface of a carved library. Exit
// status: 0 done; 1 the library cannot run the model, or an output differs from
// the expected one; 2 invalid arguments, or a file cannot be read or written.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "tools/runtime/include/tfcarve_c_api.h"
#include "tools/runtime/programs/command_line.h"
#include "tools/runtime/programs/compare.h"
#include "tools/runtime/programs/file_io.h"
#include "tools/runtime/programs/npy.h"
#include "tools/runtime/programs/open_session.h"
#include "tools/runtime/programs/program_main.h"
#include "tools/runtime/threads/thread_limit.h"

namespace {

using tfcarve::Binding;
using tfcarve::kCheckFailed;
using tfcarve::kDone;
using tfcarve::kInvalidInput;

constexpr char kUsage[] =
    "usage: run_model MODEL.pb --input NAME=FILE.npy... --output "
    "NAME=FILE.npy...\n"
    "                 --expect NAME=FILE.npy... [--tolerance TYPE=NUMBER]...\n"
    "                 [--threads N] [--time]\n"
    "\n"
    "Runs a frozen TensorFlow graph once.\n"
    "  --input NAME=FILE.npy    feeds the array in FILE to the node NAME\n"
    "  --output NAME=FILE.npy   writes the output of the node NAME to FILE; "
    "-: standard\n"
    "                           output\n"
    "  --expect NAME=FILE.npy   compares the output of the node NAME with the "
    "array in\n"
    "                           FILE\n"
    "  --tolerance TYPE=NUMBER  permitted difference of float16, float32 or "
    "float64\n"
    "                           (default: 1e-2, 1e-5, 1e-9)\n"
    "  --threads N              number of compute threads; 0: one per core "
    "(default: 0)\n"
    "  --time                   prints the duration of the run in "
    "milliseconds, on\n"
    "                           standard error if an output is written to "
    "standard\n"
    "                           output\n"
    "exit status: 0 done, 1 the library cannot run the model or an output "
    "differs\n"
    "             from the expected one, 2 invalid input\n";

struct Arguments : tfcarve::CommandLine {
  std::vector<Binding> inputs;
  std::vector<Binding> outputs;
  std::vector<Binding> expected;
  tfcarve::Tolerance tolerance;
  int threads = 0;
  bool time = false;
};

int Fail(int status, const std::string& message) {
  std::fprintf(stderr, "run_model: %s\n", message.c_str());
  return status;
}

// Parses "float32=1e-4".
bool ParseTolerance(const std::string& text, tfcarve::Tolerance* tolerance) {
  Binding binding;
  if (!tfcarve::ParseBinding(text, &binding)) return false;
  char* end = nullptr;
  const double value = std::strtod(binding.value.c_str(), &end);
  return *end == '\0' && value >= 0 && tolerance->Set(binding.name, value);
}

tfcarve::Option ToleranceOption(tfcarve::Tolerance* tolerance) {
  return {"--tolerance", /*takes_value=*/true,
          [tolerance](const std::string& text) {
            if (ParseTolerance(text, tolerance)) return std::string();
            return "--tolerance takes float16=, float32= or float64= and a "
                   "number, not '" +
                   text + "'";
          }};
}

bool ParseArguments(const std::vector<std::string>& words, Arguments* arguments,
                    std::string* error) {
  const std::string form = "NAME=FILE.npy";
  const std::vector<tfcarve::Option> options = {
      tfcarve::BindingsOption("--input", form, &arguments->inputs),
      tfcarve::BindingsOption("--output", form, &arguments->outputs),
      tfcarve::BindingsOption("--expect", form, &arguments->expected),
      ToleranceOption(&arguments->tolerance),
      tfcarve::NumberOption("--threads", 0, tfcarve::kMaxThreads,
                            &arguments->threads),
      tfcarve::Flag("--time", &arguments->time),
  };
  if (!tfcarve::ReadCommandLine(words, options, arguments, error)) return false;
  if (arguments->help) return true;
  if (arguments->outputs.empty() && arguments->expected.empty()) {
    *error = "no --output or --expect given: see --help";
  }
  return error->empty();
}

int WriteStrings(const Binding& output, const tfcarve_tensor& tensor,
                 const std::vector<int64_t>& dims) {
  std::string file, error;
  if (!tfcarve::StringsToNpy(static_cast<const tfcarve_string*>(tensor.data),
                             tensor.size / sizeof(tfcarve_string), dims, &file,
                             &error)) {
    return Fail(kCheckFailed, "output '" + output.name + "': " + error);
  }
  if (tfcarve::WriteFile(output.value, file, nullptr, 0)) return kDone;
  return Fail(kInvalidInput, "can't write " + output.value);
}

int WriteOutputs(const tfcarve_result* result,
                 const std::vector<Binding>& outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    tfcarve_tensor tensor;
    if (tfcarve_result_get(result, i, &tensor) != 0) {
      return Fail(kCheckFailed, "no output '" + outputs[i].name + "'");
    }
    const std::vector<int64_t> dims(tensor.dims, tensor.dims + tensor.rank);
    if (tensor.dtype == TFCARVE_STRING) {
      const int status = WriteStrings(outputs[i], tensor, dims);
      if (status != kDone) return status;
      continue;
    }
    const std::string header = tfcarve::NpyHeader(tensor.dtype, dims);
    if (header.empty()) {
      return Fail(kCheckFailed,
                  "output '" + outputs[i].name +
                      "': .npy has no type for TensorFlow's data type " +
                      std::to_string(tensor.dtype));
    }
    if (!tfcarve::WriteFile(outputs[i].value, header, tensor.data,
                            tensor.size)) {
      return Fail(kInvalidInput, "can't write " + outputs[i].value);
    }
  }
  return kDone;
}

// Compares the results from index `first` on with the expected arrays; reports
// each difference.
int CheckOutputs(const tfcarve_result* result, size_t first,
                 const std::vector<Binding>& expected,
                 const std::vector<tfcarve::NpyArray>& arrays,
                 const tfcarve::Tolerance& tolerance) {
  int status = kDone;
  for (size_t i = 0; i < expected.size(); ++i) {
    tfcarve_tensor tensor;
    std::string difference = "is missing";
    if (tfcarve_result_get(result, first + i, &tensor) == 0) {
      difference = tfcarve::Difference(tensor, arrays[i], tolerance);
    }
    if (!difference.empty()) {
      status =
          Fail(kCheckFailed, "output '" + expected[i].name + "' " + difference +
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
    return Fail(kInvalidInput, error);
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
                          names.data(), names.size(), /*options=*/nullptr),
      &tfcarve_result_free);
  const std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - start;
  if (const char* error = tfcarve_result_error(result.get())) {
    return Fail(tfcarve::ExitStatusOfRun(tfcarve_result_status(result.get())),
                arguments.model + ": " + error);
  }
  int status = WriteOutputs(result.get(), arguments.outputs);
  if (status == kDone) {
    status = CheckOutputs(result.get(), arguments.outputs.size(),
                          arguments.expected, expected, arguments.tolerance);
  }
  if (status == kDone && arguments.time) {
    std::vector<std::string> written;
    for (const Binding& output : arguments.outputs) {
      written.push_back(output.value);
    }
    std::fprintf(tfcarve::TextStream(written), "%.1f\n", elapsed.count());
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  return tfcarve::ProgramMain<Arguments>(
      {kUsage, ParseArguments, Fail, RunModel}, argc, argv);
}
