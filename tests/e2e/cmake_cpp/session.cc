// An app that uses TensorFlow's C++ API: tensorflow::Session.

#include "tensorflow/core/public/session.h"

#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace {

void Check(const tensorflow::Status& status) {
  if (status.ok()) return;
  std::cerr << status.ToString() << std::endl;
  std::exit(1);
}

}  // namespace

int main(int, char** argv) {
  std::ifstream file(argv[1], std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  tensorflow::GraphDef graph;
  if (!graph.ParseFromString(bytes)) return 2;

  std::unique_ptr<tensorflow::Session> session(
      tensorflow::NewSession(tensorflow::SessionOptions()));
  Check(session->Create(graph));
  tensorflow::Tensor input(tensorflow::DT_FLOAT, {3});
  for (int i = 0; i < 3; ++i) input.flat<float>()(i) = i + 1;
  std::vector<tensorflow::Tensor> outputs;
  Check(session->Run({{"input", input}}, {"output"}, {}, &outputs));
  for (int i = 0; i < 3; ++i) std::cout << outputs[0].flat<float>()(i) << " ";
  std::cout << std::endl;
  return 0;
}
