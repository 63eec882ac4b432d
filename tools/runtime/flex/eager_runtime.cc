#include "tools/runtime/flex/eager_runtime.h"

#include <memory>
#include <utility>
#include <vector>

#include "tensorflow/core/framework/node_def_util.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/platform/errors.h"
#include "tools/runtime/plan/device.h"

namespace tensorflow {

StatusOr<std::unique_ptr<EagerContext>> EagerContext::Create(
    const SessionOptions& options) {
  std::shared_ptr<tfcarve::SessionThreads> threads;
  TF_RETURN_IF_ERROR(tfcarve::NewThreads(options.config.threads, &threads));
  return std::unique_ptr<EagerContext>(new EagerContext(std::move(threads)));
}

EagerContext::EagerContext(std::shared_ptr<tfcarve::SessionThreads> threads)
    : threads_(std::move(threads)),
      device_(tfcarve::NewPlanDevice(threads_.get(), /*memory_limit=*/0)),
      step_container_(
          0,
          [this](const std::string& name) {
            device_->resource_manager()->Cleanup(name).IgnoreError();
          }),
      runner_([](const std::function<void()>& closure) { closure(); }) {}

namespace tfrt_stub {

StatusOr<OpKernelRunner> OpKernelRunner::Create(
    absl::string_view op_name, int num_args,
    const std::function<Status(AttrValueMap*)>& attr_builder,
    const NoFunctions&, Device* device) {
  const OpDef* op = nullptr;
  TF_RETURN_IF_ERROR(
      OpRegistry::Global()->LookUpOpDef(std::string(op_name), &op));
  NodeDef node;
  node.set_name(op->name());
  node.set_op(op->name());
  for (int i = 0; i < num_args; ++i) node.add_input("input");
  TF_RETURN_IF_ERROR(attr_builder(node.mutable_attr()));
  AddDefaultsToNodeDef(*op, &node);
  std::shared_ptr<const NodeProperties> properties;
  TF_RETURN_IF_ERROR(NodeProperties::CreateFromNodeDef(
      std::move(node), OpRegistry::Global(), &properties));
  OpKernel* kernel = nullptr;
  TF_RETURN_IF_ERROR(CreateOpKernel(
      DeviceType(DEVICE_CPU), device, device->GetAllocator({}), nullptr,
      device->resource_manager(), properties, TF_GRAPH_DEF_VERSION, &kernel));
  return OpKernelRunner(std::unique_ptr<OpKernel>(kernel));
}

OpKernelRunner::OpKernelRunner(std::unique_ptr<OpKernel> kernel)
    : kernel_(std::move(kernel)),
      input_alloc_attrs_(kernel_->num_inputs()),
      output_alloc_attrs_(kernel_->num_outputs()) {
  for (int i = 0; i < kernel_->num_inputs(); ++i) {
    input_alloc_attrs_[i].set_on_host(kernel_->input_memory_types()[i] ==
                                      HOST_MEMORY);
  }
  for (int i = 0; i < kernel_->num_outputs(); ++i) {
    output_alloc_attrs_[i].set_on_host(kernel_->output_memory_types()[i] ==
                                       HOST_MEMORY);
  }
}

}  // namespace tfrt_stub
}  // namespace tensorflow
