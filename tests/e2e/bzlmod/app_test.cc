// The app: runs its model through the C interface of the carved library.

#include <cstdio>
#include <cstdlib>

#include "tfcarve_c_api.h"

namespace {

// tiny.pb: output = AppScale(relu(input x weights)), with factor 3 and weights
// {{-6, -5, -4}, {-3, -2, -1}, {0, 1, 2}, {3, 4, 5}}.
const float kInput[] = {1, 2, 3, 4, -1, 0, 1, 2};
const int64_t kInputDims[] = {2, 4};
const float kExpected[] = {0, 30, 60, 36, 42, 48};

void Check(bool good, const char* what, const char* error) {
  if (good) return;
  std::fprintf(stderr, "app_test: %s: %s\n", what, error ? error : "no");
  std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  const char* const path = argc > 1 ? argv[1] : "tiny.pb";
  tfcarve_session* session = tfcarve_session_new_from_file(path, 0);
  const char* error = tfcarve_session_error(session);
  Check(error == nullptr, "loading the model", error);

  const tfcarve_tensor input = {"input",    TFCARVE_FLOAT, 2,
                                kInputDims, kInput,        sizeof(kInput)};
  const char* const output_name = "output";
  tfcarve_result* result =
      tfcarve_session_run(session, &input, 1, &output_name, 1);
  error = tfcarve_result_error(result);
  Check(error == nullptr, "running the model", error);

  tfcarve_tensor output;
  Check(tfcarve_result_get(result, 0, &output) == 0, "the output", nullptr);
  Check(output.size == sizeof(kExpected), "the output's size", nullptr);
  const float* values = static_cast<const float*>(output.data);
  for (int i = 0; i < 6; ++i) {
    Check(values[i] == kExpected[i], "a value of the output", nullptr);
  }
  Check(!tfcarve_has_op("Relu6"), "an op that no model needs", nullptr);
  tfcarve_result_free(result);
  tfcarve_session_free(session);
  return 0;
}
