#include "tools/runtime/plan/cycles.h"

#include <vector>

#include "tensorflow/core/platform/errors.h"

namespace tfcarve {

using ::tensorflow::Status;

std::string Named(const BodyNode& node) {
  return node.loop != nullptr ? "a loop" : "node " + node.def().name();
}

Status CycleAt(const BodyNode& node) {
  return tensorflow::errors::InvalidArgument("the graph has a cycle, at ",
                                             Named(node));
}

Status CheckCycles(const Body& body) {
  const size_t count = body.nodes.size();
  std::vector<std::vector<int>> users(count);
  std::vector<int> waiting(count);
  for (size_t i = 0; i < count; ++i) {
    ForEachSource(body, body.nodes[i], [&](int source) {
      users[source].push_back(static_cast<int>(i));
      ++waiting[i];
    });
  }
  std::vector<int> ready;
  for (size_t i = 0; i < count; ++i) {
    if (waiting[i] == 0) ready.push_back(static_cast<int>(i));
  }
  for (size_t done = 0; done < ready.size(); ++done) {
    for (const int user : users[ready[done]]) {
      if (--waiting[user] == 0) ready.push_back(user);
    }
  }
  for (size_t i = 0; i < count; ++i) {
    if (waiting[i] == 0) continue;
    return CycleAt(body.nodes[i]);
  }
  return tensorflow::OkStatus();
}

}  // namespace tfcarve
