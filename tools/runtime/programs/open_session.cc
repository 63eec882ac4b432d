#include "tools/runtime/programs/open_session.h"

#include "tools/runtime/programs/command_line.h"

namespace tfcarve {

tfcarve_tensor TensorOf(const std::string& name, const NpyArray& array) {
  tfcarve_tensor tensor = {name.c_str(),
                           array.dtype,
                           static_cast<int32_t>(array.dims.size()),
                           array.dims.data(),
                           array.data.data(),
                           array.data.size()};
  if (array.dtype == TFCARVE_STRING) {
    tensor.data = array.strings.data();
    tensor.size = array.strings.size() * sizeof(tfcarve_string);
  }
  return tensor;
}

int OpenSession(const std::string& model, int threads, SessionPtr* session,
                std::string* error) {
  tfcarve_session_options options = TFCARVE_SESSION_OPTIONS_INIT;
  options.threads = threads;
  session->reset(tfcarve_session_new_from_file(model.c_str(), &options));
  const char* const why = tfcarve_session_error(session->get());
  if (why == nullptr) return kDone;
  *error = why;
  const int32_t status = tfcarve_session_status(session->get());
  return status == TFCARVE_UNIMPLEMENTED ? kCheckFailed : kInvalidInput;
}

int ExitStatusOfRun(int32_t status) {
  if (status == TFCARVE_OK) return kDone;
  return status == TFCARVE_DATA_LOSS ? kInvalidInput : kCheckFailed;
}

}  // namespace tfcarve
