#include "op_node.h"

#include "tensorflow/cc/ops/const_op.h"
#include "tensorflow/core/graph/graph.h"
#include "tensorflow/core/graph/node_builder.h"

namespace tensorflow::ops {

OpNode::OpNode(const Scope& scope, const char* op,
               const std::vector<Input>& inputs,
               const OpAttributes& attributes) {
  std::vector<NodeBuilder::NodeOut> sources;
  for (const Input& input : inputs) sources.push_back(AsNodeOut(scope, input));
  if (!scope.ok()) return;
  NodeBuilder builder(scope.GetUniqueNameForOp(op), op);
  for (const NodeBuilder::NodeOut& source : sources) builder.Input(source);
  for (const auto& [name, value] : attributes.values()) {
    builder.Attr(name, value);
  }
  scope.UpdateBuilder(&builder);
  Node* node = nullptr;
  scope.UpdateStatus(builder.Finalize(scope.graph(), &node));
  if (scope.ok()) scope.UpdateStatus(scope.DoShapeInference(node));
  if (scope.ok()) node_ = node;
}

Output OpNode::output(int index) const {
  return node_ == nullptr ? Output() : Output(node_, index);
}

}  // namespace tensorflow::ops
