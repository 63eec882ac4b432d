// Creates sessions.

#ifndef TFCARVE_TOOLS_RUNTIME_API_SESSION_H_
#define TFCARVE_TOOLS_RUNTIME_API_SESSION_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "tensorflow/core/platform/status.h"
#include "tools/runtime/api/outcome.h"
#include "tools/runtime/engine/engine.h"
#include "tools/runtime/engine/session_threads.h"
#include "tools/runtime/include/tfcarve_c_api.h"
#include "tools/runtime/models/graph_tensors.h"
#include "tools/runtime/models/mapped_file.h"

struct tfcarve_threads {
  std::shared_ptr<tfcarve::SessionThreads> threads;  // null: no other threads
};

struct tfcarve_session {
  tfcarve::Outcome outcome;
  std::shared_ptr<tfcarve::SessionThreads> threads;  // null: no other threads
  std::unique_ptr<tfcarve::Engine> engine;
  tfcarve::GraphTensors tensors;
  // Whether inputs may be used in place.
  bool borrows_inputs = false;
  // For a graph in mapped memory: the path of its file or another name, and the
  // memory if constants are used in place.
  std::string path;
  tfcarve::MappedFilePtr file;
};

namespace tfcarve {

// Initializes a session for the bytes of a graph, which `file` may contain.
// `file` and `options` may be null.
void InitSession(std::string_view bytes, MappedFilePtr file,
                 const tfcarve_session_options* options,
                 tfcarve_session* session);

// Initializes a session for the graph in a mapped file, or for the error of
// mapping the file.
void InitFromFile(const tensorflow::Status& status, MappedFilePtr file,
                  const tfcarve_session_options* options,
                  tfcarve_session* session);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_API_SESSION_H_
