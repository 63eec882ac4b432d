// Overrides TensorFlow's source of the same path: a Const does not keep the
// names of the nodes that it was made from. The function that copies them is in
// a source with TensorFlow's graphs, which plans do not need.

#include "tensorflow/core/graph/graph_node_util.h"

#define MergeDebugInfo(from, to) static_cast<void>(from)

#include_next <tensorflow/core/kernels/constant_op.cc>
