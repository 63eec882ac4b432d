#include "tools/runtime/folded_constants.h"

#include <map>
#include <string>
#include <string_view>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tensorflow/core/framework/node_def.pb.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_def.pb.h"

namespace tfcarve {
namespace {

using ::tensorflow::NodeDef;

// What a node is to constant folding, once all its inputs are constant.
enum Kind : char {
  kNever,     // not folded
  kConstant,  // a Const, or folded by the shapes of its inputs alone
  kGivesOn,   // gives its first input, at most in another shape
  kComputes,
};

// Whether the op is in a list of names, each between spaces.
bool IsOneOf(std::string_view ops, const std::string& op) {
  return absl::StrContains(ops, absl::StrCat(" ", op, " "));
}

Kind KindOf(const NodeDef& node) {
  const std::string& op = node.op();
  if (IsOneOf(" Const Rank Shape ShapeN Size ", op)) return kConstant;
  if (IsOneOf(" ExpandDims Identity Reshape Squeeze StopGradient ", op)) {
    return kGivesOn;
  }
  if (IsOneOf(" Enter Exit Merge NextIteration Switch ", op)) return kNever;
  const tensorflow::OpRegistrationData* data =
      tensorflow::OpRegistry::Global()->LookUp(op);
  // What has no input gives something new in each run, or is fed.
  const bool folds = data != nullptr && !data->op_def.is_stateful() &&
                     data->op_def.input_arg_size() > 0;
  return folds ? kComputes : kNever;
}

// A graph's nodes by their names.
class Names {
 public:
  explicit Names(const tensorflow::GraphDef& graph) {
    for (int i = 0; i < graph.node_size(); ++i) {
      numbers_[graph.node(i).name()] = i;
    }
  }

  // The number of the node that an input names ("node", "node:1"), or one of
  // these: control inputs ("^node") are none, and some name no node.
  static constexpr int kControl = -1, kUnknown = -2;
  int Source(std::string_view input) const {
    if (!input.empty() && input.front() == '^') return kControl;
    const auto found = numbers_.find(input.substr(0, input.find(':')));
    return found == numbers_.end() ? kUnknown : found->second;
  }

 private:
  std::map<std::string_view, int> numbers_;
};

// Graphs list nodes mostly after their inputs, and then two rounds are enough.
constexpr int kMostRounds = 8;

// Whether all the inputs of a node are among `constant`.
bool TakesOnly(const std::vector<bool>& constant, const NodeDef& node,
               const Names& names) {
  for (const std::string& input : node.input()) {
    const int source = names.Source(input);
    if (source == Names::kUnknown) return false;
    if (source >= 0 && !constant[source]) return false;
  }
  return true;
}

}  // namespace

std::vector<bool> FoldedConstants(const tensorflow::GraphDef& graph) {
  const Names names(graph);
  const int count = graph.node_size();
  std::vector<Kind> kinds;
  for (const NodeDef& node : graph.node()) kinds.push_back(KindOf(node));
  // Forward to all that is constant.
  std::vector<bool> constant(count);
  bool changed = true;
  for (int round = 0; changed && round < kMostRounds; ++round) {
    changed = false;
    for (int i = 0; i < count; ++i) {
      if (constant[i] || kinds[i] == kNever) continue;
      if (!TakesOnly(constant, graph.node(i), names)) continue;
      constant[i] = changed = true;
    }
  }
  // Back from what is computed to the constants that it takes.
  std::vector<bool> used(count);
  changed = true;
  for (int round = 0; changed && round < kMostRounds; ++round) {
    changed = false;
    for (int i = count - 1; i >= 0; --i) {
      if (!constant[i] || kinds[i] == kConstant) continue;
      if (kinds[i] == kGivesOn && !used[i]) continue;
      for (const std::string& input : graph.node(i).input()) {
        const int source = names.Source(input);
        if (source < 0 || used[source]) continue;
        used[source] = changed = true;
      }
    }
  }
  return used;
}

}  // namespace tfcarve
