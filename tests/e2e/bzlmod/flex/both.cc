// An app that links a carved library and a Flex delegate: runs the graph of a
// session, and creates a delegate. Usage: both MODEL.

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string>

#include "tfcarve.hpp"

struct TfLiteDelegate;

extern "C" {

TfLiteDelegate* tflite_plugin_create_delegate(const char* const* keys,
                                              const char* const* values,
                                              size_t count,
                                              void (*report)(const char*));
void tflite_plugin_destroy_delegate(TfLiteDelegate* delegate);

}  // extern "C"

namespace {

const float kInput[] = {1, 2, 3, 4, -1, 0, 1, 2};
const float kExpected[] = {0, 30, 60, 36, 42, 48};

std::string reported;

void Report(const char* message) { reported = message; }

bool Fail(const char* what) {
  std::fprintf(stderr, "%s\n", what);
  return false;
}

bool RunGraph(const char* path) {
  tfcarve::Session session = tfcarve::Session::FromFile(path);
  if (!session.ok()) return Fail(session.error());
  const tfcarve::Result result =
      session.Run({tfcarve::Input("input", {2, 4}, kInput, 8)}, {"output"});
  if (!result.ok()) return Fail(result.error());
  const tfcarve::Output output = result.output(0);
  if (output.size<float>() != 6) return Fail("the output has no 6 floats");
  return std::memcmp(output.data<float>(), kExpected, sizeof(kExpected)) == 0 ||
         Fail("the output is wrong");
}

bool CreateDelegate() {
  TfLiteDelegate* delegate =
      tflite_plugin_create_delegate(nullptr, nullptr, 0, Report);
  if (delegate == nullptr) return Fail("there is no delegate");
  tflite_plugin_destroy_delegate(delegate);
  const char* const keys[] = {"threads"};
  const char* const values[] = {"2"};
  if (tflite_plugin_create_delegate(keys, values, 1, Report) != nullptr) {
    return Fail("the delegate accepts an option");
  }
  return reported == "a Flex delegate has no options: remove threads" ||
         Fail(reported.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  return argc == 2 && RunGraph(argv[1]) && CreateDelegate() ? 0 : 1;
}
