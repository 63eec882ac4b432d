// What most of TensorFlow's sources include, to be read once: a compiler that
// precompiles headers takes a third of the time for the core.

#ifndef TFCARVE_TOOLS_RUNTIME_TENSORFLOW_HEADERS_H_
#define TFCARVE_TOOLS_RUNTIME_TENSORFLOW_HEADERS_H_

// g++ 12 and later no longer include these by the way, as TensorFlow 2.14's
// sources expect.
#include <cstdint>
#include <limits>
#include <optional>

// Kernels define it before they include Eigen, which must see it the first
// time.
#define EIGEN_USE_THREADS

#ifdef TFCARVE_WITHOUT_LOG_MESSAGES
#include "without_log_messages.h"
#endif

#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/graph/graph.h"

#endif  // TFCARVE_TOOLS_RUNTIME_TENSORFLOW_HEADERS_H_
