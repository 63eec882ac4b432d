// Runs a model in a session with an option, by TensorFlow's C++ API, and prints
// the output:
//
//   session_options MODEL.pb INPUT NUMBER OUTPUT OPTION
//
// OPTION is the name of a field: log_device_placement, build_cost_model,
// debug_options or run_handler_pool_options. Exit status 1 with a message if
// TensorFlow fails.

#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "runtime_rules/read_graph.h"
#include "tensorflow/core/public/session.h"

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  const std::string option = argv[5];
  tensorflow::SessionOptions options;
  tensorflow::RunOptions run_options;
  if (option == "log_device_placement") {
    options.config.set_log_device_placement(true);
  } else if (option == "build_cost_model") {
    options.config.mutable_graph_options()->set_build_cost_model(1);
  } else if (option == "debug_options") {
    run_options.mutable_debug_options()->add_debug_tensor_watch_opts();
  } else if (option == "run_handler_pool_options") {
    auto& experimental = *run_options.mutable_experimental();
    experimental.set_use_run_handler_pool(true);
    experimental.mutable_run_handler_pool_options()->set_priority(2);
  } else {
    return 2;
  }
  std::unique_ptr<tensorflow::Session> session(tensorflow::NewSession(options));
  Check(session->Create(ReadGraph(argv[1])));
  tensorflow::Tensor input(std::strtof(argv[3], nullptr));
  std::vector<tensorflow::Tensor> outputs;
  tensorflow::RunMetadata metadata;
  Check(session->Run(run_options, {{argv[2], input}}, {argv[4]}, {}, &outputs,
                     &metadata));
  std::cout << outputs[0].scalar<float>()() << std::endl;
  return 0;
}
