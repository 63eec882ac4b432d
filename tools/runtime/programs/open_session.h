// Sessions and tensors of the programs that run a model.

#ifndef TFCARVE_TOOLS_RUNTIME_PROGRAMS_OPEN_SESSION_H_
#define TFCARVE_TOOLS_RUNTIME_PROGRAMS_OPEN_SESSION_H_

#include <memory>
#include <string>

#include "tools/runtime/include/tfcarve_c_api.h"
#include "tools/runtime/programs/npy.h"

namespace tfcarve {

// Returns a view of the array as the tensor `name`. Both must outlive the view.
tfcarve_tensor TensorOf(const std::string& name, const NpyArray& array);

using SessionPtr =
    std::unique_ptr<tfcarve_session, decltype(&tfcarve_session_free)>;
using ResultPtr =
    std::unique_ptr<tfcarve_result, decltype(&tfcarve_result_free)>;

// Loads the model into `session`. Returns kDone, or another exit status and
// sets `error`.
int OpenSession(const std::string& model, int threads, SessionPtr* session,
                std::string* error);

// Returns the exit status for the tfcarve_status of a run.
int ExitStatusOfRun(int32_t status);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_PROGRAMS_OPEN_SESSION_H_
