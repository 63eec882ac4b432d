#include "tools/runtime/open_session.h"

#include "tools/runtime/command_line.h"

namespace tfcarve {

tfcarve_tensor TensorOf(const std::string& name, const NpyArray& array) {
  return {name.c_str(),
          array.dtype,
          static_cast<int32_t>(array.dims.size()),
          array.dims.data(),
          array.data.data(),
          array.data.size()};
}

int OpenSession(const std::string& model, int threads, SessionPtr* session,
                std::string* error) {
  session->reset(tfcarve_session_new_from_file(model.c_str(), threads));
  if (const char* why = tfcarve_session_error(session->get())) {
    *error = why;
    return tfcarve_session_status(session->get());
  }
  return kDone;
}

}  // namespace tfcarve
