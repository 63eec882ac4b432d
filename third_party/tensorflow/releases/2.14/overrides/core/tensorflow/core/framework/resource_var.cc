// Replaces TensorFlow's source of the same path: a variable is not written as
// nodes of a graph, which is an error, as for most resources. Only datasets
// that are saved or rewritten ask for it. TensorFlow's file refers to graphs,
// functions and their messages, which each library with a variable would have.

#include "tensorflow/core/framework/resource_var.h"

#include "tensorflow/core/framework/resource_base.h"

namespace tensorflow {

Status Var::AsGraphDef(GraphDefBuilder* builder, Node** out) const {
  return ResourceBase::AsGraphDef(builder, out);
}

}  // namespace tensorflow
