#include "tools/runtime/session/folded_constants.h"

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

// How constant folding treats a node all of whose inputs are constant.
enum Kind : char {
  kNever,     // not folded
  kConstant,  // a Const, or folded from the shapes of its inputs alone
  kIdentity,  // outputs its first input, possibly with another shape
  kComputes,
};

// Whether the op is in a list of names, each surrounded by spaces.
bool IsOneOf(std::string_view ops, const std::string& op) {
  return absl::StrContains(ops, absl::StrCat(" ", op, " "));
}

Kind KindOf(const NodeDef& node) {
  const std::string& op = node.op();
  if (IsOneOf(" Const Rank Shape ShapeN Size ", op)) return kConstant;
  if (IsOneOf(" ExpandDims Identity Reshape Squeeze StopGradient ", op)) {
    return kIdentity;
  }
  if (IsOneOf(" Enter Exit Merge NextIteration Switch ", op)) return kNever;
  const tensorflow::OpRegistrationData* data =
      tensorflow::OpRegistry::Global()->LookUp(op);
  // A node without inputs is fed or has a new value in each run.
  const bool folds = data != nullptr && !data->op_def.is_stateful() &&
                     data->op_def.input_arg_size() > 0;
  return folds ? kComputes : kNever;
}

// A graph's nodes by their names.
class Names {
 public:
  explicit Names(const tensorflow::GraphDef& graph) {
    for (int i = 0; i < graph.node_size(); ++i) {
      indices_[graph.node(i).name()] = i;
    }
  }

  // Returns the index of the node that an input names ("node", "node:1"), or
  // one of these: for a control input ("^node"), and for an unknown node.
  static constexpr int kControl = -1, kUnknown = -2;
  int Source(std::string_view input) const {
    if (!input.empty() && input.front() == '^') return kControl;
    const auto found = indices_.find(input.substr(0, input.find(':')));
    return found == indices_.end() ? kUnknown : found->second;
  }

 private:
  std::map<std::string_view, int> indices_;
};

// Most graphs list nodes after their inputs; then two rounds are enough.
constexpr int kMaxRounds = 8;

// Whether all inputs of a node are constant.
bool HasOnlyConstantInputs(const std::vector<bool>& constant,
                           const NodeDef& node, const Names& names) {
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
  // Forward: find all constant nodes.
  std::vector<bool> constant(count);
  bool changed = true;
  for (int round = 0; changed && round < kMaxRounds; ++round) {
    changed = false;
    for (int i = 0; i < count; ++i) {
      if (constant[i] || kinds[i] == kNever) continue;
      if (!HasOnlyConstantInputs(constant, graph.node(i), names)) continue;
      constant[i] = changed = true;
    }
  }
  // Backward: from computed nodes to the constants that they use.
  std::vector<bool> used(count);
  changed = true;
  for (int round = 0; changed && round < kMaxRounds; ++round) {
    changed = false;
    for (int i = count - 1; i >= 0; --i) {
      if (!constant[i] || kinds[i] == kConstant) continue;
      if (kinds[i] == kIdentity && !used[i]) continue;
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
