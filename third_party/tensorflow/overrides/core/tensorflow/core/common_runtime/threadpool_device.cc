// Replaces TensorFlow's source of the same path if no op of scoped allocators
// is selected. It does not log the inputs and outputs of ops
// (TF_CPU_DEBUG_OPS_TO_LOG has no effect), does not write executed nodes to
// files (TF_NODE_FILE_WRITER_DIRECTORY has no effect), and has no manager of
// scoped allocators.

#include "tensorflow/core/common_runtime/threadpool_device.h"

#include <utility>

#include "tensorflow/core/common_runtime/scoped_allocator_mgr.h"
#include "tensorflow/core/framework/tensor.pb.h"
#include "tensorflow/core/framework/tensor_util.h"
#include "tensorflow/core/framework/types.h"
#include "tensorflow/core/platform/errors.h"

namespace tensorflow {

ThreadPoolDevice::ThreadPoolDevice(const SessionOptions& options,
                                   const string& name, Bytes memory_limit,
                                   const DeviceLocality& locality,
                                   Allocator* allocator)
    : LocalDevice(options, Device::BuildDeviceAttributes(
                               name, DEVICE_CPU, memory_limit, locality)),
      allocator_(allocator) {}

// The manager is always null. Without the call, the linker would keep its
// destructor.
ThreadPoolDevice::~ThreadPoolDevice() { scoped_allocator_mgr_.release(); }

Allocator* ThreadPoolDevice::GetAllocator(AllocatorAttributes) {
  return allocator_;
}

// Only nodes next to a _ScopedAllocator have attributes with a scope.
Allocator* ThreadPoolDevice::GetScopedAllocator(AllocatorAttributes, int64_t) {
  return allocator_;
}

Status ThreadPoolDevice::MakeTensorFromProto(const TensorProto& proto,
                                             AllocatorAttributes,
                                             Tensor* tensor) {
  if (DataType_IsValid(proto.dtype()) && proto.dtype() != DT_INVALID) {
    Tensor parsed(proto.dtype());
    if (parsed.FromProto(allocator_, proto)) {
      *tensor = std::move(parsed);
      return OkStatus();
    }
  }
  return errors::InvalidArgument("Cannot parse tensor from proto: ",
                                 proto.DebugString());
}

void ThreadPoolDevice::CopyTensorInSameDevice(const Tensor* input,
                                              Tensor* output,
                                              const DeviceContext*,
                                              StatusCallback done) {
  if (input->NumElements() != output->NumElements()) {
    done(errors::Internal("CPU->CPU copy shape mismatch: input=",
                          input->shape(), ", output=", output->shape()));
    return;
  }
  tensor::DeepCopy(*input, output);
  done(OkStatus());
}

void ThreadPoolDevice::Compute(OpKernel* kernel, OpKernelContext* context) {
  kernel->Compute(context);
}

void ThreadPoolDevice::ComputeAsync(AsyncOpKernel* kernel,
                                    OpKernelContext* context,
                                    AsyncOpKernel::DoneCallback done) {
  kernel->ComputeAsync(context, std::move(done));
}

}  // namespace tensorflow
