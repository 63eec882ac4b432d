// Generated in TensorFlow's build.

#ifndef TENSORFLOW_CC_OPS_NN_OPS_H_
#define TENSORFLOW_CC_OPS_NN_OPS_H_

#include "tensorflow/cc/ops/standard_ops.h"

#endif  // TENSORFLOW_CC_OPS_NN_OPS_H_
