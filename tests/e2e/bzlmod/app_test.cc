// The app: runs its model through the C API of the carved library.

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tfcarve_c_api.h"

namespace {

// tiny.pb: output = AppScale(relu(input x weights)), with factor 3 and weights
// {{-6, -5, -4}, {-3, -2, -1}, {0, 1, 2}, {3, 4, 5}}.
const float kInput[] = {1, 2, 3, 4, -1, 0, 1, 2};
const int64_t kInputDims[] = {2, 4};
const float kExpected[] = {0, 30, 60, 36, 42, 48};

void Check(bool good, const char* what, const char* error) {
  if (good) return;
  std::fprintf(stderr, "app_test: %s: %s\n", what, error ? error : "wrong");
  std::exit(1);
}

// A traced run has a record for each node, with its outputs.
void CheckTrace(tfcarve_session* session, const tfcarve_tensor* input,
                const char* output_name) {
  tfcarve_run_options options = TFCARVE_RUN_OPTIONS_INIT;
  options.trace = 1;
  tfcarve_result* result =
      tfcarve_session_run(session, input, 1, &output_name, 1, &options);
  const char* error = tfcarve_result_error(result);
  Check(error == nullptr, "tracing the model", error);
  tfcarve_node_trace trace;
  int products = 0;
  const size_t count = tfcarve_result_trace_count(result);
  for (size_t i = 0; i < count; ++i) {
    Check(tfcarve_result_trace_get(result, i, &trace) == 0, "a record",
          nullptr);
    Check(trace.start_ns >= 0 && trace.duration_ns >= 0, "times", trace.node);
    if (std::strcmp(trace.op, "MatMul") != 0) continue;
    ++products;
    Check(std::strcmp(trace.node, "dense") == 0, "its name", trace.node);
    Check(trace.output_count == 1, "its output", nullptr);
    const tfcarve_tensor& output = trace.outputs[0];
    Check(output.dtype == TFCARVE_FLOAT && output.rank == 2 &&
              output.dims[0] == 2 && output.dims[1] == 3,
          "its output's type and shape", nullptr);
    Check(output.data == nullptr && output.name == nullptr, "a view of nothing",
          nullptr);
    Check(std::strstr(trace.inputs, ", ") != nullptr, "two inputs",
          trace.inputs);
  }
  Check(products == 1, "a record of the product", nullptr);
  Check(tfcarve_result_trace_get(result, count, &trace) == 1, "no more records",
        nullptr);
  tfcarve_tensor output;
  Check(tfcarve_result_get(result, 0, &output) == 0 &&
            std::memcmp(output.data, kExpected, sizeof(kExpected)) == 0,
        "the output of a traced run", nullptr);
  tfcarve_result_free(result);

  const char* const missing = "missing";
  result = tfcarve_session_run(session, input, 1, &missing, 1, &options);
  Check(tfcarve_result_status(result) == TFCARVE_INVALID_ARGUMENT,
        "a refused run", tfcarve_result_error(result));
  Check(tfcarve_result_trace_count(result) == 0, "no trace of it", nullptr);
  tfcarve_result_free(result);
}

}  // namespace

int main(int argc, char** argv) {
  const char* const path = argc > 1 ? argv[1] : "tiny.pb";
  tfcarve_session* session = tfcarve_session_new_from_file(path, nullptr);
  const char* error = tfcarve_session_error(session);
  Check(error == nullptr, "loading the model", error);

  const tfcarve_tensor input = {"input",    TFCARVE_FLOAT, 2,
                                kInputDims, kInput,        sizeof(kInput)};
  const char* const output_name = "output";
  tfcarve_result* result =
      tfcarve_session_run(session, &input, 1, &output_name, 1, nullptr);
  error = tfcarve_result_error(result);
  Check(error == nullptr, "running the model", error);

  tfcarve_tensor output;
  Check(tfcarve_result_get(result, 0, &output) == 0, "the output", nullptr);
  Check(output.size == sizeof(kExpected), "the output's size", nullptr);
  const float* values = static_cast<const float*>(output.data);
  for (int i = 0; i < 6; ++i) {
    Check(values[i] == kExpected[i], "a value of the output", nullptr);
  }
  Check(tfcarve_result_trace_count(result) == 0, "no trace of a plain run",
        nullptr);
  CheckTrace(session, &input, output_name);
  Check(!tfcarve_has_op("Relu6"), "an op that no model needs", nullptr);
  tfcarve_result_free(result);
  tfcarve_session_free(session);
  return 0;
}
