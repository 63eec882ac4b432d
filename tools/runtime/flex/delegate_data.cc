// Replaces tensorflow/lite/delegates/flex/delegate_data.cc, which reads the
// interpreter's C++ objects to register subgraphs as functions. The objects
// differ between releases. This delegate uses only the C structures of an
// interpreter.

#include "tensorflow/lite/delegates/flex/delegate_data.h"

#include "tensorflow/core/platform/errors.h"

namespace tflite {
namespace flex {

DelegateData::DelegateData() {}

DelegateData::~DelegateData() { delete eager_context_; }

tensorflow::Status DelegateData::Prepare(
    const tensorflow::SessionOptions& session_options, Subgraph*,
    TfLiteDelegate*) {
  if (eager_context_ != nullptr) return tensorflow::OkStatus();
  TF_ASSIGN_OR_RETURN(auto context,
                      tensorflow::EagerContext::Create(session_options));
  eager_context_ = context.release();
  return tensorflow::OkStatus();
}

}  // namespace flex
}  // namespace tflite
