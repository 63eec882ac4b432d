// Runs a model in a session with two CPU devices, by TensorFlow's C++ API:
//
//   two_devices MODEL.pb INPUT NUMBER OUTPUT DEVICE
//
// The node OUTPUT requests the second device. It must be colocated with the
// node INPUT, which requests DEVICE. Exit status 1 with a message if TensorFlow
// fails.

#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "runtime_rules/read_graph.h"
#include "tensorflow/core/public/session.h"

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  const std::string input_name = argv[2], output_name = argv[4];
  tensorflow::GraphDef graph = ReadGraph(argv[1]);
  for (tensorflow::NodeDef& node : *graph.mutable_node()) {
    if (node.name() == input_name) node.set_device(argv[5]);
    if (node.name() != output_name) continue;
    node.set_device("/cpu:1");
    (*node.mutable_attr())["_class"].mutable_list()->add_s("loc:@" +
                                                           input_name);
  }
  tensorflow::SessionOptions options;
  (*options.config.mutable_device_count())["CPU"] = 2;
  std::unique_ptr<tensorflow::Session> session(tensorflow::NewSession(options));
  Check(session->Create(graph));
  tensorflow::Tensor input(std::strtof(argv[3], nullptr));
  std::vector<tensorflow::Tensor> outputs;
  Check(session->Run({{input_name, input}}, {output_name}, {}, &outputs));
  std::cout << outputs[0].scalar<float>()() << std::endl;
  return 0;
}
