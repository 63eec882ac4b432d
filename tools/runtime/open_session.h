// A session for a model's file, for programs.

#ifndef TFCARVE_TOOLS_RUNTIME_OPEN_SESSION_H_
#define TFCARVE_TOOLS_RUNTIME_OPEN_SESSION_H_

#include <memory>
#include <string>

#include "tools/runtime/npy.h"
#include "tools/runtime/tfcarve_c_api.h"

namespace tfcarve {

// A view of the array as the tensor `name`. Both must outlive it.
tfcarve_tensor TensorOf(const std::string& name, const NpyArray& array);

using SessionPtr =
    std::unique_ptr<tfcarve_session, decltype(&tfcarve_session_free)>;
using ResultPtr =
    std::unique_ptr<tfcarve_result, decltype(&tfcarve_result_free)>;

// Loads the model into `session`. Returns kDone, or another status and an
// error.
int OpenSession(const std::string& model, int threads, SessionPtr* session,
                std::string* error);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_OPEN_SESSION_H_
