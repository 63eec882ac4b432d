// Reads and writes files of TensorFlow's memmapped format with full
// TensorFlow's own code.
//
//   memmapped_env run PACKAGE INPUT OUTPUT NAME...
//     Runs the graph of a package. INPUT has the float elements of the tensor
//     "input", a square matrix; OUTPUT gets the bytes of the tensors NAME.
//   memmapped_env write GRAPH PACKAGE
//     Writes a GraphDef as a package, with each constant of 1,024 bytes or more
//     as ImmutableConst.

#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "tensorflow/core/framework/node_def_builder.h"
#include "tensorflow/core/public/session.h"
#include "tensorflow/core/util/memmapped_file_system.h"
#include "tensorflow/core/util/memmapped_file_system_writer.h"

namespace {

using tensorflow::MemmappedFileSystem;

void Check(const tensorflow::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::exit(1);
}

std::string Read(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

void Run(const char* package, const char* input, const char* output,
         const std::vector<std::string>& names) {
  tensorflow::MemmappedEnv env(tensorflow::Env::Default());
  Check(env.InitializeFromFile(package));
  tensorflow::GraphDef graph;
  Check(tensorflow::ReadBinaryProto(
      &env, MemmappedFileSystem::kMemmappedPackageDefaultGraphDef, &graph));
  tensorflow::SessionOptions options;
  options.env = &env;
  options.config.set_allow_soft_placement(true);
  tensorflow::GraphOptions& graph_options =
      *options.config.mutable_graph_options();
  // Constant folding would copy the constants.
  graph_options.mutable_optimizer_options()->set_opt_level(
      tensorflow::OptimizerOptions::L0);
  // Grappler's constant folding has no MemmappedEnv, and crashes.
  graph_options.mutable_rewrite_options()->set_disable_meta_optimizer(true);
  std::unique_ptr<tensorflow::Session> session(tensorflow::NewSession(options));
  Check(session->Create(graph));
  const std::string bytes = Read(input);
  const auto side = static_cast<int64_t>(
      std::sqrt(static_cast<double>(bytes.size() / sizeof(float))));
  tensorflow::Tensor fed(tensorflow::DT_FLOAT, {side, side});
  std::memcpy(fed.data(), bytes.data(), fed.TotalBytes());
  std::vector<tensorflow::Tensor> fetched;
  Check(session->Run({{"input", fed}}, names, {}, &fetched));
  std::ofstream file(output, std::ios::binary);
  for (const tensorflow::Tensor& tensor : fetched) file << tensor.tensor_data();
}

void Write(const char* graph_path, const char* package) {
  tensorflow::GraphDef graph;
  if (!graph.ParseFromString(Read(graph_path))) std::exit(1);
  tensorflow::MemmappedFileSystemWriter writer;
  Check(writer.InitializeToFile(tensorflow::Env::Default(), package));
  int count = 0;
  for (tensorflow::NodeDef& node : *graph.mutable_node()) {
    tensorflow::Tensor tensor;
    if (node.op() != "Const" ||
        !tensor.FromProto(node.attr().at("value").tensor()) ||
        tensor.TotalBytes() < 1024) {
      continue;
    }
    const std::string region = tensorflow::strings::StrCat(
        MemmappedFileSystem::kMemmappedPackagePrefix, "tensor_", count++);
    Check(writer.SaveTensor(tensor, region));
    tensorflow::NodeDef changed;
    Check(tensorflow::NodeDefBuilder(node.name(), "ImmutableConst")
              .Attr("dtype", tensor.dtype())
              .Attr("shape", tensor.shape())
              .Attr("memory_region_name", region)
              .Finalize(&changed));
    *changed.mutable_input() = node.input();
    node = changed;
  }
  Check(writer.SaveProtobuf(
      graph, MemmappedFileSystem::kMemmappedPackageDefaultGraphDef));
  Check(writer.FlushAndClose());
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "run" && argc > 5) {
    Run(argv[2], argv[3], argv[4], {argv + 5, argv + argc});
  } else if (mode == "write" && argc == 4) {
    Write(argv[2], argv[3]);
  } else {
    std::fprintf(stderr, "see the comment at the start of this file\n");
    return 2;
  }
  return 0;
}
