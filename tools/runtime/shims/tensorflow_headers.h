// The headers that most of TensorFlow's sources include. As a precompiled
// header it reduces the compile time of the core to a third.

#ifndef TFCARVE_TOOLS_RUNTIME_SHIMS_TENSORFLOW_HEADERS_H_
#define TFCARVE_TOOLS_RUNTIME_SHIMS_TENSORFLOW_HEADERS_H_

// TensorFlow 2.14's sources expect other headers to include these. The headers
// of g++ 12 and later do not include them.
#include <cstdint>
#include <limits>
#include <optional>

// Kernels define it before they include Eigen; it must be defined when Eigen is
// included for the first time.
#define EIGEN_USE_THREADS

#include "without_memory_annotations.h"

#ifdef TFCARVE_WITHOUT_LOG_MESSAGES
#include "without_log_messages.h"
#endif

#include "tensorflow/core/framework/op_kernel.h"

// tfcarve's headers. Angle brackets: with quotes, a compiler searches
// TensorFlow's tree first.
#include <tensorflow/core/kernels/cwise_ops_common.h>
#include <tensorflow/core/kernels/gather_nd_op_cpu_impl.h>
#include <tensorflow/core/kernels/slice_op.h>
#include <tensorflow/core/kernels/strided_slice_op_impl.h>
#include <tensorflow/core/kernels/tile_functor.h>
#include <tensorflow/core/kernels/tile_ops_impl.h>

#endif  // TFCARVE_TOOLS_RUNTIME_SHIMS_TENSORFLOW_HEADERS_H_
