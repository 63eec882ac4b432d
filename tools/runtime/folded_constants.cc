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

// The node that a NodeDef's input names ("node", "node:1").
std::string_view SourceOf(std::string_view input) {
  return input.substr(0, input.find(':'));
}

bool IsControl(std::string_view input) {
  return !input.empty() && input.front() == '^';
}

}  // namespace

std::vector<bool> FoldedConstants(const tensorflow::GraphDef& graph) {
  std::map<std::string_view, int> constant;  // nodes that give constants
  std::vector<Kind> kinds;                   // kNever for those that do not
  for (const NodeDef& node : graph.node()) {
    Kind kind = KindOf(node);
    for (const std::string& input : node.input()) {
      if (!IsControl(input) && constant.count(SourceOf(input)) == 0) {
        kind = kNever;
      }
    }
    if (kind != kNever) constant[node.name()] = kinds.size();
    kinds.push_back(kind);
  }
  // Back from what is computed to the constants that it takes.
  std::vector<bool> used(kinds.size());
  for (int i = graph.node_size() - 1; i >= 0; --i) {
    if (kinds[i] != kComputes && !(used[i] && kinds[i] == kGivesOn)) continue;
    for (const std::string& input : graph.node(i).input()) {
      if (!IsControl(input)) used[constant[SourceOf(input)]] = true;
    }
  }
  return used;
}

}  // namespace tfcarve
