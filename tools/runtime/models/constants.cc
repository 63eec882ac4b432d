#include "tools/runtime/models/constants.h"

#include <cstring>
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
#include "tools/runtime/models/folded_constants.h"
#include "tools/runtime/models/foreign_buffer.h"

namespace tfcarve {
namespace {

using ::tensorflow::NodeDef;
using ::tensorflow::Status;
using ::tensorflow::Tensor;
using ::tensorflow::errors::InvalidArgument;
using ::tensorflow::strings::StrCat;

// A part of a mapped file; keeps the file mapped.
class MappedBuffer final : public ForeignBuffer {
 public:
  MappedBuffer(const MappedFile* file, std::string_view bytes)
      : ForeignBuffer(bytes.data(), bytes.size()), file_(file) {
    file_->Ref();
  }
  ~MappedBuffer() override { file_->Unref(); }

 private:
  const MappedFile* const file_;
};

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

// Creates the tensor for a content, which must match the type and shape of
// `head`.
Status CreateTensor(const tensorflow::TensorProto& head, std::string_view bytes,
                    const MappedFile* file, Constants* constants) {
  if (!tensorflow::TensorShape::IsValid(head.tensor_shape())) {
    return InvalidArgument("its value has no valid shape");
  }
  const tensorflow::TensorShape shape(head.tensor_shape());
  const size_t element = tensorflow::DataTypeSize(head.dtype());
  const auto count = static_cast<uint64_t>(shape.num_elements());
  if (bytes.size() % element != 0 || bytes.size() / element != count) {
    return InvalidArgument(StrCat("its value has ", bytes.size(),
                                  " bytes, which is not ", count,
                                  " elements of ", element, " bytes"));
  }
  if (file != nullptr &&
      reinterpret_cast<uintptr_t>(bytes.data()) % kConstantAlignment == 0) {
    constants->mapped_bytes += bytes.size();
    auto* const buffer = new MappedBuffer(file, bytes);
    constants->tensors.push_back(Tensor(head.dtype(), shape, buffer));
    buffer->Unref();
    return tensorflow::OkStatus();
  }
  Tensor copy(head.dtype(), shape);
  if (!copy.IsInitialized()) {
    return InvalidArgument("out of memory for its value");
  }
  std::memcpy(copy.data(), bytes.data(), bytes.size());
  constants->tensors.push_back(std::move(copy));
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
  const Status status = CreateTensor(head, bytes, file, constants);
  if (!status.ok()) {
    return InvalidArgument(
        StrCat("node ", node->name(), ": ", status.message()));
  }
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
