#include "tensorflow/core/platform/env.h"
#include "tools/runtime/engine/engine_factory.h"

namespace tfcarve {

tsl::Env* DefaultEnvironment() { return tsl::Env::Default(); }

}  // namespace tfcarve
