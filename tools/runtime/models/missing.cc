#include "tools/runtime/models/missing.h"

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tensorflow/core/framework/attr_value.pb.h"
#include "tensorflow/core/framework/node_def.pb.h"
#include "tensorflow/core/framework/node_def_util.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_def.pb.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/types.h"
#include "tools/runtime/engine/engine_factory.h"

namespace tfcarve {
namespace {

using ::tensorflow::AttrValue;
using ::tensorflow::DataType;
using ::tensorflow::NodeDef;
using ::tensorflow::OpDef;

constexpr size_t kMaxNodesShown = 3;

// The nodes that need an op or a kernel: the first few, and their number.
struct Needs {
  std::vector<std::string> shown;
  size_t count = 0;
};

// By the description of the missing op or kernel.
using Missing = std::map<std::string, Needs>;

// The nodes of a function, or of the graph itself.
struct Body {
  const std::vector<NodeDef>* nodes;
  std::string function;
};

std::string TypeName(int type) {
  return tensorflow::DataTypeString(static_cast<DataType>(type));
}

// Returns the op and its types, e.g. "Cast (DstT=float, SrcT=int32)".
std::string Described(const NodeDef& node) {
  const std::map<std::string, AttrValue> attrs(node.attr().begin(),
                                               node.attr().end());
  std::string types;
  for (const auto& [name, value] : attrs) {
    std::string text;
    if (value.value_case() == AttrValue::kType) {
      text = TypeName(value.type());
    } else if (value.value_case() == AttrValue::kList) {
      for (const int type : value.list().type()) {
        text += (text.empty() ? "" : " ") + TypeName(type);
      }
    }
    if (!text.empty()) types += (types.empty() ? "" : ", ") + name + "=" + text;
  }
  return node.op() + (types.empty() ? "" : " (" + types + ")");
}

// Returns the node without tensors, which can be large and are not needed to
// look up kernels.
NodeDef WithoutTensors(const NodeDef& node) {
  NodeDef copy;
  copy.set_name(node.name());
  copy.set_op(node.op());
  for (const auto& [name, value] : node.attr()) {
    if (value.value_case() != AttrValue::kTensor) {
      (*copy.mutable_attr())[name] = value;
    }
  }
  return copy;
}

// Whether the caller of a function determines an attribute.
bool HasPlaceholder(const NodeDef& node) {
  for (const auto& [name, value] : node.attr()) {
    if (value.value_case() == AttrValue::kPlaceholder) return true;
  }
  return false;
}

bool HasKernel(const NodeDef& node, const OpDef& op) {
  // Has no kernel in any build: accumulate_n_optimizer.cc replaces it.
  if (node.op() == "AccumulateNV2") return true;
  if (engine_runs_itself != nullptr && engine_runs_itself(node.op())) {
    return true;
  }
  if (HasPlaceholder(node)) return true;
  const tensorflow::KernelDef* kernel = nullptr;
  NodeDef full = node;
  tensorflow::AddDefaultsToNodeDef(op, &full);
  return tensorflow::FindKernelDef(tensorflow::DeviceType("CPU"), full, &kernel,
                                   nullptr)
      .ok();
}

// Returns the op or kernel that the node needs and this library lacks; empty if
// there is none.
std::string Lacks(const NodeDef& node) {
  const tensorflow::OpRegistrationData* op = nullptr;
  if (!tensorflow::OpRegistry::Global()->LookUp(node.op(), &op).ok()) {
    return "op " + node.op();
  }
  const NodeDef copy = WithoutTensors(node);
  return HasKernel(copy, op->op_def) ? "" : "kernel of op " + Described(copy);
}

// Returns the functions that the node may call: its op, and the functions in
// its attributes.
std::vector<std::string> Called(const NodeDef& node) {
  std::vector<std::string> names = {node.op()};
  for (const auto& [attr, value] : node.attr()) {
    if (value.value_case() == AttrValue::kFunc) {
      names.push_back(value.func().name());
    } else if (value.value_case() == AttrValue::kList) {
      for (const auto& func : value.list().func()) names.push_back(func.name());
    }
  }
  return names;
}

std::string Report(const Missing& missing) {
  std::string text = "this library lacks " + std::to_string(missing.size()) +
                     " ops or kernels that the graph needs; carve it with this "
                     "model:";
  for (const auto& [what, needs] : missing) {
    text += "\n  " + what + ", for ";
    for (size_t i = 0; i < needs.shown.size(); ++i) {
      text += (i == 0 ? "" : ", ") + needs.shown[i];
    }
    if (needs.count > needs.shown.size()) {
      text += " and " + std::to_string(needs.count - needs.shown.size()) +
              " more nodes";
    }
  }
  return text;
}

}  // namespace

std::string MissingFor(const GraphModel& model) {
  Missing missing;
  std::set<std::string> reached;
  std::vector<Body> todo = {{&model.nodes, ""}};
  while (!todo.empty()) {
    const Body body = todo.back();
    todo.pop_back();
    for (const NodeDef& node : *body.nodes) {
      for (const std::string& name : Called(node)) {
        const GraphFunction* const function = model.FindFunction(name);
        if (function == nullptr || !reached.insert(name).second) continue;
        todo.push_back({&function->nodes, name});
      }
      if (model.FindFunction(node.op()) != nullptr) continue;
      const std::string what = Lacks(node);
      if (what.empty()) continue;
      Needs& needs = missing[what];
      if (++needs.count > kMaxNodesShown) continue;
      needs.shown.push_back(
          "node " + node.name() +
          (body.function.empty() ? "" : " of function " + body.function));
    }
  }
  return missing.empty() ? "" : Report(missing);
}

}  // namespace tfcarve
