// Runs a model with a scalar input as a partial run, by TensorFlow's C++ API:
//
//   partial_run MODEL.pb INPUT NUMBER OUTPUT
//
// Prints the output. Exit status 1 with a message if TensorFlow fails.

#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "runtime_rules/read_graph.h"
#include "tensorflow/core/public/session.h"

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  tensorflow::GraphDef graph = ReadGraph(argv[1]);
  tensorflow::Tensor input(std::strtof(argv[3], nullptr));

  std::unique_ptr<tensorflow::Session> session(
      tensorflow::NewSession(tensorflow::SessionOptions()));
  Check(session->Create(graph));
  std::string handle;
  Check(session->PRunSetup({argv[2]}, {argv[4]}, {}, &handle));
  std::vector<tensorflow::Tensor> outputs;
  Check(session->PRun(handle, {{argv[2], input}}, {argv[4]}, &outputs));
  std::cout << outputs[0].scalar<float>()() << std::endl;
  return 0;
}
