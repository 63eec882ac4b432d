// Overrides TensorFlow's source of the same path: it asks the clock for the
// time, not the environment, and with it the file systems.

#include "tensorflow/tsl/framework/tracking_allocator.h"

#include "tools/runtime/shims/clock.h"

#define Env Clock

#include <tensorflow/tsl/framework/tracking_allocator.cc>
