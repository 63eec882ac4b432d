// Replaces TensorFlow's source of the same path: graphs are not written to
// files (TF_DUMP_GRAPH_NAME_FILTER has no effect).

#include "tensorflow/core/util/debug_data_dumper.h"

namespace tensorflow {

DebugDataDumper* DebugDataDumper::Global() {
  static DebugDataDumper* const instance = new DebugDataDumper();
  return instance;
}

DebugDataDumper::DebugDataDumper() = default;

bool DebugDataDumper::ShouldDump(const std::string&, const std::string&) const {
  return false;
}

void DebugDataDumper::DumpOpCreationStackTraces(const std::string&,
                                                const std::string&,
                                                const std::string&,
                                                const Graph*) {}

void DebugDataDumper::DumpGraph(const std::string&, const std::string&,
                                const std::string&, const Graph*,
                                const FunctionLibraryDefinition*, bool) {}

}  // namespace tensorflow
