// Replaces TensorFlow's source of the same path: a variable is not written as
// nodes of a graph, which is an error, as for most resources. Only datasets
// that are saved or rewritten ask for it. TensorFlow's file refers to graphs,
// functions and their messages, which each library with a variable would have.

#include "tensorflow/core/framework/resource_var.h"

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "tensorflow/core/framework/resource_base.h"

namespace tensorflow {

Status Var::AsGraphDef(GraphDefBuilder* builder, Node** out) const {
  return ResourceBase::AsGraphDef(builder, out);
}

std::string Var::MakeRefCountingHandleName(int64_t resource_id) const {
  return absl::StrCat(debug_name_, resource_id);
}

}  // namespace tensorflow
