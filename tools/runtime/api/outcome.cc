#include "tools/runtime/api/outcome.h"

namespace tfcarve {
namespace {

// Returns the node in a message of TensorFlow: "… [[{{node x}}]]". If the
// message names several nodes, returns the first one, which is the innermost.
// Empty if it names none.
std::string NodeIn(const std::string& message) {
  const std::string before = "{{node ";
  const size_t found = message.find(before);
  if (found == std::string::npos) return "";
  const size_t start = found + before.size();
  const size_t end = message.find("}}", start);
  return end == std::string::npos ? "" : message.substr(start, end - start);
}

}  // namespace

Outcome OutcomeOf(const tensorflow::Status& status) {
  if (status.ok()) return {};
  Outcome outcome;
  outcome.status = static_cast<int32_t>(status.code());
  const std::string message(status.message());
  outcome.error = message.empty() ? status.ToString() : message;
  outcome.node = NodeIn(message);
  return outcome;
}

}  // namespace tfcarve
