// Replaces TensorFlow's source of the same path. Each device has an OpSegment,
// but only TensorFlow's session puts kernels into it. TensorFlow's file refers
// to the functions of graphs, and with them to graphs, their messages and the
// session's options; this file finds functions through a virtual method.

#include "tensorflow/core/framework/op_segment.h"

#include <memory>

#include "tensorflow/core/framework/function.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/platform/errors.h"

namespace tensorflow {

OpSegment::Item::~Item() {
  for (auto& [_, kernel] : name_kernel) delete kernel;
}

OpSegment::OpSegment() {}

OpSegment::~OpSegment() {
  for (auto& [_, item] : sessions_) delete item;
}

Status OpSegment::FindOrCreate(const string& session_handle,
                               const string& node_name, OpKernel** kernel,
                               CreateKernelFn create_fn) {
  // Sets `found` to the place of the kernel. Needs the lock.
  const auto find = [&](OpKernel*** found) -> Status {
    const auto session = sessions_.find(session_handle);
    if (session == sessions_.end()) {
      return errors::NotFound("Session ", session_handle, " is not found.");
    }
    *found = &session->second->name_kernel[node_name];
    return OkStatus();
  };
  OpKernel** place = nullptr;
  {
    mutex_lock lock(mu_);
    TF_RETURN_IF_ERROR(find(&place));
    *kernel = *place;
  }
  if (*kernel != nullptr) return OkStatus();
  OpKernel* created = nullptr;
  TF_RETURN_IF_ERROR(create_fn(&created));
  std::unique_ptr<OpKernel> owned(created);
  mutex_lock lock(mu_);
  TF_RETURN_IF_ERROR(find(&place));
  // Another thread may have created it in the meantime.
  if (*place == nullptr) *place = owned.release();
  *kernel = *place;
  return OkStatus();
}

void OpSegment::AddHold(const string& session_handle) {
  mutex_lock lock(mu_);
  Item*& item = sessions_[session_handle];
  if (item == nullptr) {
    item = new Item;  // with one hold
  } else {
    ++item->num_holds;
  }
}

void OpSegment::RemoveHold(const string& session_handle) {
  std::unique_ptr<Item> unused;
  mutex_lock lock(mu_);
  const auto session = sessions_.find(session_handle);
  if (session == sessions_.end() || --session->second->num_holds > 0) return;
  unused.reset(session->second);
  sessions_.erase(session);
}

bool OpSegment::ShouldOwnKernel(FunctionLibraryRuntime* lib,
                                const string& node_op) {
  if (!lib->IsStateful(node_op) || node_op == "PartitionedCall" ||
      node_op == "StatefulPartitionedCall") {
    return false;
  }
  const OpRegistrationData* data = nullptr;
  const OpRegistryInterface& functions = *lib->GetFunctionLibraryDefinition();
  return !functions.LookUp(node_op, &data).ok() || !data->is_function_op;
}

}  // namespace tensorflow
