// protoc with the C++ generator only: an eighth of the code to compile.

#include <google/protobuf/compiler/command_line_interface.h>
#include <google/protobuf/compiler/cpp/generator.h>

int main(int argc, char** argv) {
  google::protobuf::compiler::CommandLineInterface command_line;
  google::protobuf::compiler::cpp::CppGenerator generator;
  command_line.RegisterGenerator("--cpp_out", &generator, "C++ source.");
  return command_line.Run(argc, argv);
}
