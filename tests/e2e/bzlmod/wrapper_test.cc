// The app's model, run with the C++ classes of tfcarve.hpp.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "tfcarve.hpp"

namespace {

const float kInput[] = {1, 2, 3, 4, -1, 0, 1, 2};
const float kExpected[] = {0, 30, 60, 36, 42, 48};

void Check(bool good, const char* what, const char* error) {
  if (good) return;
  std::fprintf(stderr, "wrapper_test: %s: %s\n", what, error ? error : "wrong");
  std::exit(1);
}

tfcarve::Input X() { return tfcarve::Input("input", {2, 4}, kInput, 8); }

void CheckOutput(const tfcarve::Result& result) {
  Check(result.ok(), "a run", result.error());
  Check(result.size() == 1, "one output", nullptr);
  const tfcarve::Output output = result.output(0);
  Check(std::strcmp(output.name(), "output") == 0, "its name", output.name());
  Check(output.dims() == std::vector<int64_t>{2, 3}, "its shape", nullptr);
  Check(output.data<double>() == nullptr, "no data of another type", nullptr);
  Check(output.size<double>() == 0, "no size of another type", nullptr);
  Check(output.size<float>() == 6, "its size", nullptr);
  Check(std::memcmp(output.data<float>(), kExpected, sizeof(kExpected)) == 0,
        "its elements", nullptr);
  Check(result.output(1).size<float>() == 0, "no other output", nullptr);
}

void CheckErrors(const std::string& path) {
  const auto absent = tfcarve::Session::FromFile(path + ".absent");
  Check(absent.status() == TFCARVE_NOT_FOUND, "no file", absent.error());
  const auto garbage = tfcarve::Session::FromMemory("\xff", 1);
  Check(garbage.status() == TFCARVE_INVALID_ARGUMENT, "no graph",
        garbage.error());
  Check(!tfcarve::Threads(-1).ok(), "a number of threads", nullptr);
}

void CheckRunOptions(tfcarve::Session* session) {
  tfcarve::RunOptions options;
  float memory[6] = {};
  options.output_buffers = {{memory, sizeof(memory)}};
  options.timeout = std::chrono::minutes(1);
  options.trace = true;
  const tfcarve::Result result = session->Run({X()}, {"output"}, options);
  CheckOutput(result);
  Check(result.output(0).view().data == memory, "its buffer", nullptr);
  Check(tfcarve_result_trace_count(result.get()) > 0, "a trace", nullptr);

  tfcarve::Cancellation cancellation;
  options.cancellation = &cancellation;
  CheckOutput(session->Run({X()}, {"output"}, options));
  cancellation.Cancel();
  const tfcarve::Result stopped = session->Run({X()}, {"output"}, options);
  Check(stopped.status() == TFCARVE_CANCELLED, "cancelled", stopped.error());
  Check(stopped.error_node() == nullptr, "no node", stopped.error_node());

  const tfcarve::Result refused =
      session->Run({tfcarve::Input("input", {1, 2}, kInput, 2)}, {"output"});
  Check(refused.status() == TFCARVE_INVALID_ARGUMENT, "a wrong shape",
        refused.error());
  Check(std::strcmp(refused.error_node(), "dense") == 0, "its node",
        refused.error_node());
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = argc > 1 ? argv[1] : "tiny.pb";
  const tfcarve::Threads threads(2);
  tfcarve::SessionOptions options;
  options.shared_threads = &threads;
  options.memory_limit = 1 << 20;
  tfcarve::Session session = tfcarve::Session::FromFile(path, options);
  Check(session.ok(), "loading the model", session.error());
  Check(session.inputs().size() == 1 && session.outputs().size() == 1,
        "an input and an output", nullptr);
  Check(std::strcmp(session.inputs()[0].name, "input") == 0, "its name",
        session.inputs()[0].name);
  CheckRunOptions(&session);
  CheckErrors(path);

  // Objects can be moved; a result outlives its session.
  tfcarve::Session moved = std::move(session);
  Check(session.status() == TFCARVE_INVALID_ARGUMENT, "a moved session",
        session.error());
  const tfcarve::Result result = moved.Run({X()}, {"output"});
  moved = tfcarve::Session::FromFile(path);
  CheckOutput(result);
  return 0;
}
