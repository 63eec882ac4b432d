// Prints a model as text, parses the text and runs the result.

#include <google/protobuf/text_format.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "tensorflow/core/public/session.h"

int main(int, char** argv) {
  std::ifstream file(argv[1], std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  tensorflow::GraphDef model, read;
  std::string text;
  if (!model.ParseFromString(bytes)) return 2;
  if (!google::protobuf::TextFormat::PrintToString(model, &text)) return 3;
  if (!google::protobuf::TextFormat::ParseFromString(text, &read)) return 4;

  std::unique_ptr<tensorflow::Session> session(
      tensorflow::NewSession(tensorflow::SessionOptions()));
  tensorflow::Status status = session->Create(read);
  tensorflow::Tensor input(tensorflow::DT_FLOAT, {1, 4});
  for (int i = 0; i < 4; ++i) input.flat<float>()(i) = i + 1;
  std::vector<tensorflow::Tensor> outputs;
  if (status.ok()) {
    status = session->Run({{"input", input}}, {"output"}, {}, &outputs);
  }
  if (!status.ok()) {
    std::cerr << status.ToString() << std::endl;
    return 1;
  }
  std::cout << read.GetDescriptor()->full_name();
  for (int i = 0; i < 3; ++i) std::cout << " " << outputs[0].flat<float>()(i);
  std::cout << std::endl;
  return 0;
}
