// Drops the functions that compute the shapes of outputs from the op
// definitions of a source. A library that runs plans calls none of them, and
// they refer to further sources of TensorFlow.
//
// A unit includes this file before its source.

#ifndef TFCARVE_TOOLS_RUNTIME_SHIMS_WITHOUT_SHAPE_FUNCTIONS_H_
#define TFCARVE_TOOLS_RUNTIME_SHIMS_WITHOUT_SHAPE_FUNCTIONS_H_

// It declares the function that the macro hides.
#include "tensorflow/core/framework/op.h"

#define SetShapeFn(...) SetShapeFn(nullptr)

#endif  // TFCARVE_TOOLS_RUNTIME_SHIMS_WITHOUT_SHAPE_FUNCTIONS_H_
