// Prints which digit an image shows: app MODEL IMAGE. IMAGE has 28 x 28 floats.

#include <algorithm>
#include <cstdio>
#include <iterator>

#include "tfcarve_c_api.h"

namespace {

int Fail(const char* what) {
  std::fprintf(stderr, "app: %s\n", what);
  return 1;
}

// Runs the model and prints the result.
int Classify(tfcarve_session* session, const float* image, size_t bytes) {
  const int64_t dims[] = {1, 28, 28, 1};
  const tfcarve_tensor input = {"image", TFCARVE_FLOAT, 4, dims, image, bytes};
  const char* const output = "digit";
  tfcarve_result* result =
      tfcarve_session_run(session, &input, 1, &output, 1, nullptr);
  const char* const error = tfcarve_result_error(result);
  int status = 0;
  tfcarve_tensor scores;
  if (error != nullptr) {
    status = Fail(error);
  } else if (tfcarve_result_get(result, 0, &scores) != 0 ||
             scores.size != 10 * sizeof(float)) {
    status = Fail("the model's output is not ten scores");
  } else {
    const float* const first = static_cast<const float*>(scores.data);
    const float* const best = std::max_element(first, first + 10);
    std::printf("digit %td, score %.3f\n", best - first, *best);
  }
  tfcarve_result_free(result);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return Fail("usage: app MODEL IMAGE");
  float image[28 * 28];
  std::FILE* const file = std::fopen(argv[2], "rb");
  if (file == nullptr) return Fail("can't open the image");
  const size_t count = std::fread(image, sizeof(float), std::size(image), file);
  std::fclose(file);
  if (count != std::size(image)) return Fail("the image has too few pixels");

  tfcarve_session* session = tfcarve_session_new_from_file(argv[1], nullptr);
  const char* const error = tfcarve_session_error(session);
  const int status =
      error != nullptr ? Fail(error) : Classify(session, image, sizeof(image));
  tfcarve_session_free(session);
  return status;
}
