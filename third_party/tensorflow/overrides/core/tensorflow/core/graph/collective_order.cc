// Replaces TensorFlow's source of the same path if no collective op is
// selected: there are no ops to order.

#include "tensorflow/core/graph/collective_order.h"

namespace tensorflow {

Status OrderCollectives(Graph*, GraphCollectiveOrder) { return OkStatus(); }

}  // namespace tensorflow
