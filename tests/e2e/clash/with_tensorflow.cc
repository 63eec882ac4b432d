// An app that links full TensorFlow, with another version of protobuf, in
// addition to the carved library.
//
// Prints the app's protobuf version, whether reflection works, whether full
// TensorFlow has an op, whether the carved library has it, and an output of the
// carved library.

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "tensorflow/core/framework/graph.pb.h"
#include "tensorflow/core/framework/op.h"
#include "tfcarve_c_api.h"

int main(int, char** argv) {
  std::ifstream file(argv[1], std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});

  // The app's own protobuf, with reflection, on the same model.
  GOOGLE_PROTOBUF_VERIFY_VERSION;
  tensorflow::GraphDef graph;
  if (!graph.ParseFromString(bytes)) return 1;
  const std::string text = graph.node(0).DebugString();
  const tensorflow::OpRegistrationData* op = nullptr;
  const bool full_has =
      tensorflow::OpRegistry::Global()->LookUp("Conv3D", &op).ok();

  tfcarve_session* session =
      tfcarve_session_new(bytes.data(), bytes.size(), nullptr);
  if (const char* error = tfcarve_session_error(session)) {
    std::fprintf(stderr, "%s\n", error);
    return 1;
  }
  const float values[] = {1, 2, 3, 4};
  const int64_t dims[] = {1, 4};
  const tfcarve_tensor input = {"input", TFCARVE_FLOAT, 2,
                                dims,    values,        sizeof(values)};
  const char* const name = "output";
  tfcarve_result* result =
      tfcarve_session_run(session, &input, 1, &name, 1, nullptr);
  tfcarve_tensor output;
  if (tfcarve_result_get(result, 0, &output) != 0) return 1;
  std::printf("%d %d %d %d %g\n", GOOGLE_PROTOBUF_VERSION,
              text.find("name:") != std::string::npos, full_has,
              tfcarve_has_op("Conv3D"),
              static_cast<const float*>(output.data)[2]);
  tfcarve_result_free(result);
  tfcarve_session_free(session);
  return 0;
}
