#include "tools/runtime/session/constants.h"

#include <string>
#include <utility>

#include "tensorflow/core/common_runtime/device_mgr.h"
#include "tensorflow/core/framework/attr_value.pb.h"
#include "tensorflow/core/framework/function.pb.h"
#include "tensorflow/core/framework/kernel_def_builder.h"
#include "tensorflow/core/framework/node_def.pb.h"
#include "tensorflow/core/framework/node_def_util.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_def_builder.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/framework/tensor.pb.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/framework/types.h"
#include "tensorflow/core/platform/errors.h"
#include "tensorflow/core/platform/mutex.h"
#include "tensorflow/core/platform/strcat.h"
#include "tools/runtime/engine/engine.h"
#include "tools/runtime/models/constant_tensor.h"
#include "tools/runtime/session/folded_constants.h"

namespace tfcarve {
namespace {

using ::tensorflow::NodeDef;
using ::tensorflow::Status;
using ::tensorflow::Tensor;
using ::tensorflow::errors::InvalidArgument;
using ::tensorflow::strings::StrCat;

constexpr const char* kValue = "value";
constexpr const char* kIndex = "index";

// The attached SessionConstants, a linked list.
tensorflow::mutex mutex(tensorflow::LINKER_INITIALIZED);
SessionConstants* first = nullptr;

class ConstantKernel : public tensorflow::OpKernel {
 public:
  explicit ConstantKernel(tensorflow::OpKernelConstruction* context)
      : OpKernel(context) {
    int64_t index = 0;
    OP_REQUIRES_OK(context, context->GetAttr(kIndex, &index));
    const Tensor* found = SessionConstants::Find(context->device(), index);
    OP_REQUIRES(context, found != nullptr && found->dtype() == output_type(0),
                InvalidArgument("its value does not have its dtype"));
    tensor_ = *found;
  }

  void Compute(tensorflow::OpKernelContext* context) override {
    context->set_output(0, tensor_);
  }
  bool IsExpensive() override { return false; }
  const Tensor* const_tensor() const override { return &tensor_; }

 private:
  Tensor tensor_;
};

Status InferShape(tensorflow::shape_inference::InferenceContext* context) {
  const tensorflow::TensorProto* head = nullptr;
  TF_RETURN_IF_ERROR(context->GetAttr(kValue, &head));
  tensorflow::shape_inference::ShapeHandle shape;
  TF_RETURN_IF_ERROR(
      context->MakeShapeFromShapeProto(head->tensor_shape(), &shape));
  context->set_output(0, shape);
  return tensorflow::OkStatus();
}

// The attributes of Const, with a value without content, and the constant's
// index. Stateful, so that constant folding does not copy it into a Const.
Status DefineOp(tensorflow::OpRegistrationData* data) {
  return tensorflow::OpDefBuilder(kConstantOp)
      .Output("output: dtype")
      .Attr("dtype: type")
      .Attr("value: tensor")
      .Attr("index: int")
      .SetIsStateful()
      .SetShapeFn(InferShape)
      .Finalize(data);
}

tensorflow::OpKernel* CreateKernel(tensorflow::OpKernelConstruction* context) {
  return new ConstantKernel(context);
}

Status RejectReservedOp(
    const google::protobuf::RepeatedPtrField<NodeDef>& nodes) {
  for (const NodeDef& node : nodes) {
    if (node.op() == kConstantOp) {
      return InvalidArgument(
          StrCat("node ", node.name(), ": op ", node.op(), " is reserved"));
    }
  }
  return tensorflow::OkStatus();
}

Status PlaceConstant(std::string_view bytes, bool folded,
                     const MappedFile* file, NodeDef* node,
                     Constants* constants) {
  tensorflow::TensorProto& head =
      *node->mutable_attr()->at(kValue).mutable_tensor();
  if (folded || !tensorflow::DataTypeCanUseMemcpy(head.dtype())) {
    head.set_tensor_content(bytes.data(), bytes.size());
    return tensorflow::OkStatus();
  }
  Tensor tensor;
  const Status status =
      ConstantTensor(head, bytes, file, &tensor, &constants->mapped_bytes);
  if (!status.ok()) {
    return InvalidArgument(
        StrCat("node ", node->name(), ": ", status.message()));
  }
  constants->tensors.push_back(std::move(tensor));
  node->set_op(kConstantOp);
  tensorflow::AddNodeAttr(kIndex, 0, node);  // keeps an existing attribute
  node->mutable_attr()->at(kIndex).set_i(constants->tensors.size() - 1);
  return tensorflow::OkStatus();
}

}  // namespace

Status PlaceConstants(const std::vector<std::string_view>& contents,
                      const MappedFile* file, tensorflow::GraphDef* graph,
                      Constants* constants) {
  TF_RETURN_IF_ERROR(RejectReservedOp(graph->node()));
  for (const auto& function : graph->library().function()) {
    TF_RETURN_IF_ERROR(RejectReservedOp(function.node_def()));
  }
  const std::vector<bool> folded = FoldedConstants(*graph);
  for (size_t i = 0; i < contents.size(); ++i) {
    if (contents[i].empty()) continue;
    TF_RETURN_IF_ERROR(PlaceConstant(contents[i], folded[i], file,
                                     graph->mutable_node(static_cast<int>(i)),
                                     constants));
  }
  return tensorflow::OkStatus();
}

void RegisterConstantOp() {
  static const bool once = [] {
    tensorflow::OpRegistry::Global()->Register(DefineOp);
    tensorflow::kernel_factory::OpKernelRegistrar(
        tensorflow::KernelDefBuilder(kConstantOp)
            .Device(tensorflow::DEVICE_CPU)
            .Build(),
        "ConstantKernel", CreateKernel);
    return true;
  }();
  static_cast<void>(once);
}

Status SessionConstants::Attach(tensorflow::Session* session,
                                std::vector<Tensor> tensors) {
  const tensorflow::DeviceMgr* devices = nullptr;
  TF_RETURN_IF_ERROR(session->LocalDeviceManager(&devices));
  device_ = devices->ListDevices().front();
  tensors_ = std::move(tensors);
  tensorflow::mutex_lock lock(mutex);
  next_ = first;
  first = this;
  return tensorflow::OkStatus();
}

SessionConstants::~SessionConstants() {
  tensorflow::mutex_lock lock(mutex);
  for (SessionConstants** link = &first; *link != nullptr;
       link = &(*link)->next_) {
    if (*link != this) continue;
    *link = next_;
    return;
  }
}

const Tensor* SessionConstants::Find(const tensorflow::DeviceBase* device,
                                     int64_t index) {
  tensorflow::mutex_lock lock(mutex);
  for (const SessionConstants* each = first; each != nullptr;
       each = each->next_) {
    if (each->device_ != device || index < 0) continue;
    const auto i = static_cast<size_t>(index);
    if (i < each->tensors_.size()) return &each->tensors_[i];
  }
  return nullptr;
}

}  // namespace tfcarve
