// Where TensorFlow's log messages go.

#ifndef TFCARVE_TOOLS_RUNTIME_API_LOG_H_
#define TFCARVE_TOOLS_RUNTIME_API_LOG_H_

#include <cstdint>

#include "tools/runtime/include/tfcarve_c_api.h"

namespace tfcarve {

// As tfcarve_set_log; false if it returns 1.
bool SetLog(tfcarve_log_sink sink, void* context, int32_t level);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_API_LOG_H_
