// Creates the models of TensorFlow's tests of the Flex delegate. In place of
// tensorflow/lite/delegates/flex/test_util.cc, which reads NodeDefs as text: a
// carved library's messages have no text format.

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "flatbuffers/flexbuffers.h"
#include "tensorflow/core/framework/node_def.pb.h"
#include "tensorflow/core/framework/types.pb.h"
#include "tensorflow/core/platform/logging.h"
#include "tensorflow/lite/delegates/flex/test_util.h"
#include "tensorflow/lite/delegates/flex/util.h"
#include "tensorflow/lite/schema/schema_generated.h"
#include "tensorflow/lite/string_util.h"
#include "tensorflow/lite/util.h"

namespace tflite::flex::testing {
namespace {

void Require(TfLiteStatus status) { CHECK_EQ(status, kTfLiteOk); }

TfLiteTensor* TensorAt(TfLiteContext* context, const TfLiteIntArray* indices,
                       int position) {
  return &context->tensors[indices->data[position]];
}

// The output has the shape of the first input.
TfLiteStatus PrepareProduct(TfLiteContext* context, TfLiteNode* node) {
  const TfLiteTensor* factor = TensorAt(context, node->inputs, 0);
  return context->ResizeTensor(context, TensorAt(context, node->outputs, 0),
                               TfLiteIntArrayCopy(factor->dims));
}

TfLiteStatus ComputeProduct(TfLiteContext* context, TfLiteNode* node) {
  const float* one = TensorAt(context, node->inputs, 0)->data.f;
  const float* other = TensorAt(context, node->inputs, 1)->data.f;
  TfLiteTensor* product = TensorAt(context, node->outputs, 0);
  const size_t count = product->bytes / sizeof(float);
  for (size_t i = 0; i < count; ++i) product->data.f[i] = one[i] * other[i];
  return kTfLiteOk;
}

// The name of a custom op, whose lifetime is that of the interpreter.
const char* CustomName(TfOpType op) {
  switch (op) {
    case kUnpack:
      return "FlexUnpack";
    case kIdentity:
      return "FlexIdentity";
    case kAdd:
      return "FlexAdd";
    case kMul:
      return "FlexMul";
    case kRfft:
      return "FlexRFFT";
    case kImag:
      return "FlexImag";
    case kLoopCond:
      return "FlexLoopCond";
    case kNonExistent:
      return "NonExistentOp";
    case kIncompatibleNodeDef:
      return "FlexCast";
  }
}

std::string OpName(const std::string& custom_name) {
  return IsFlexOp(custom_name.c_str())
             ? custom_name.substr(strlen(kFlexCustomCodePrefix))
             : custom_name;
}

// The op with the attributes that have no default, except those of Cast.
tensorflow::NodeDef NodeFor(TfOpType op, TfLiteType type) {
  tensorflow::NodeDef node;
  node.set_op(OpName(CustomName(op)));
  auto& attributes = *node.mutable_attr();
  if (op == kUnpack) attributes["num"].set_i(2);
  if (op == kUnpack || op == kIdentity || op == kAdd || op == kMul) {
    attributes["T"].set_type(
        static_cast<tensorflow::DataType>(GetTensorFlowDataType(type)));
  }
  return node;
}

}  // namespace

bool FlexModelTest::Invoke() { return interpreter_->Invoke() == kTfLiteOk; }

void FlexModelTest::SetStringValues(int tensor_index,
                                    const std::vector<string>& values) {
  DynamicBuffer texts;
  for (const string& text : values) texts.AddString(text.data(), text.size());
  texts.WriteToTensor(interpreter_->tensor(tensor_index), nullptr);
}

std::vector<string> FlexModelTest::GetStringValues(int tensor_index) const {
  const TfLiteTensor* tensor = interpreter_->tensor(tensor_index);
  std::vector<string> values(GetStringCount(tensor));
  for (size_t i = 0; i < values.size(); ++i) {
    const StringRef text = GetString(tensor, i);
    values[i].assign(text.str, text.len);
  }
  return values;
}

void FlexModelTest::SetShape(int tensor_index, const std::vector<int>& values) {
  Require(interpreter_->ResizeInputTensor(tensor_index, values));
  Require(interpreter_->AllocateTensors());
}

std::vector<int> FlexModelTest::GetShape(int tensor_index) {
  const TfLiteIntArray* shape = interpreter_->tensor(tensor_index)->dims;
  return {shape->data, shape->data + shape->size};
}

TfLiteType FlexModelTest::GetType(int tensor_index) {
  return interpreter_->tensor(tensor_index)->type;
}

bool FlexModelTest::IsDynamicTensor(int tensor_index) {
  const TfLiteTensor* tensor = interpreter_->tensor(tensor_index);
  return tensor->allocation_type == kTfLiteDynamic;
}

void FlexModelTest::AddTensors(int num_tensors, const std::vector<int>& inputs,
                               const std::vector<int>& outputs, TfLiteType type,
                               const std::vector<int>& dims) {
  Require(interpreter_->AddTensors(num_tensors));
  for (int i = 0; i < num_tensors; ++i) {
    Require(interpreter_->SetTensorParametersReadWrite(
        i, type, "", dims, TfLiteQuantizationParams{}));
  }
  Require(interpreter_->SetInputs(inputs));
  Require(interpreter_->SetOutputs(outputs));
}

void FlexModelTest::SetConstTensor(int tensor_index,
                                   const std::vector<int>& values,
                                   TfLiteType type, const char* buffer,
                                   size_t bytes) {
  Require(interpreter_->SetTensorParametersReadOnly(
      tensor_index, type, "", values, TfLiteQuantizationParams{}, buffer,
      bytes));
}

void FlexModelTest::AddTfLiteMulOp(const std::vector<int>& inputs,
                                   const std::vector<int>& outputs) {
  TfLiteRegistration registration{};
  registration.builtin_code = BuiltinOperator_MUL;
  registration.prepare = PrepareProduct;
  registration.invoke = ComputeProduct;
  Require(interpreter_->AddNodeWithParameters(inputs, outputs, nullptr, 0,
                                              nullptr, &registration));
  ++next_op_index_;
}

void FlexModelTest::AddTfOp(TfOpType op, const std::vector<int>& inputs,
                            const std::vector<int>& outputs) {
  const tensorflow::NodeDef node =
      NodeFor(op, interpreter_->tensor(inputs[0])->type);
  AddTfOp(CustomName(op), node.op(), node.SerializeAsString(), inputs, outputs);
}

// The third argument is the serialized NodeDef.
void FlexModelTest::AddTfOp(const char* tflite_name, const string& tf_name,
                            const string& nodedef_str,
                            const std::vector<int>& inputs,
                            const std::vector<int>& outputs) {
  flexbuffers::Builder builder;
  builder.Vector([&] {
    builder.String(tf_name);
    builder.String(nodedef_str);
  });
  builder.Finish();
  flexbuffers_.push_back(builder.GetBuffer());
  const std::vector<uint8_t>& data = flexbuffers_.back();

  TfLiteRegistration registration{};
  registration.builtin_code = BuiltinOperator_CUSTOM;
  registration.custom_name = tflite_name;
  Require(interpreter_->AddNodeWithParameters(
      inputs, outputs, reinterpret_cast<const char*>(data.data()), data.size(),
      nullptr, &registration));
  tf_ops_.push_back(next_op_index_++);
}

}  // namespace tflite::flex::testing
