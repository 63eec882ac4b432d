// The exported functions of a carved Flex delegate.

#include "tensorflow/lite/delegates/flex/delegate.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tensorflow/lite/array.h"
#include "tensorflow/lite/builtin_ops.h"
#include "tensorflow/lite/context_util.h"
#include "tensorflow/lite/core/c/common.h"
#include "tensorflow/lite/delegates/utils/simple_delegate.h"
#include "tools/runtime/api/cpu_choice.h"
#include "tools/runtime/flex/flex_nodes.h"
#include "tools/runtime/models/graph_model.h"
#include "tools/runtime/models/missing.h"
#include "tools/runtime/threads/thread_limit.h"

#define TFCARVE_PLUGIN_EXPORT __attribute__((visibility("default")))

namespace tflite {
namespace {

std::string ThreadsError(int threads) {
  if (threads <= tfcarve::kMaxThreads) return "";
  return "the interpreter has " + std::to_string(threads) +
         " threads: set 1 to " + std::to_string(tfcarve::kMaxThreads);
}

// A Flex delegate that reports everything that it lacks for a model when it is
// applied, in one message.
class CarvedDelegate : public FlexDelegate {
 public:
  static TfLiteDelegateUniquePtr CreateCarved() {
    return FlexDelegate::Create(std::make_unique<CarvedDelegate>());
  }

 protected:
  TfLiteStatus Initialize(TfLiteContext* context) override {
    tfcarve::GraphModel model;
    std::string problem = tfcarve::CpuChoiceError();
    if (problem.empty()) problem = tfcarve::ReadFlexNodes(context, &model);
    if (problem.empty()) {
      problem = ThreadsError(context->recommended_num_threads);
    }
    if (problem.empty()) {
      problem = tfcarve::MissingFor(model);
      if (!problem.empty()) {
        problem += "\n  add the model to `models` of the tf_flex_delegate\n";
      }
    }
    if (!problem.empty()) {
      TF_LITE_KERNEL_LOG(context, "tfcarve's Flex delegate: %s",
                         problem.c_str());
      return kTfLiteError;
    }
    return FlexDelegate::Initialize(context);
  }
};

SimpleDelegateInterface* Interface(TfLiteDelegate* delegate) {
  return static_cast<SimpleDelegateInterface*>(delegate->data_);
}

SimpleDelegateKernelInterface* Kernel(TfLiteNode* node) {
  return static_cast<SimpleDelegateKernelInterface*>(node->user_data);
}

void* Init(TfLiteContext* context, const char* buffer, size_t) {
  const auto* params = reinterpret_cast<const TfLiteDelegateParams*>(buffer);
  auto kernel = Interface(params->delegate)->CreateDelegateKernelInterface();
  return kernel->Init(context, params) == kTfLiteOk ? kernel.release()
                                                    : nullptr;
}

void Free(TfLiteContext*, void* buffer) {
  delete static_cast<SimpleDelegateKernelInterface*>(buffer);
}

// Init has reported why there is no kernel.
TfLiteStatus Prepare(TfLiteContext* context, TfLiteNode* node) {
  return Kernel(node) == nullptr ? kTfLiteError
                                 : Kernel(node)->Prepare(context, node);
}

TfLiteStatus Eval(TfLiteContext* context, TfLiteNode* node) {
  return Kernel(node)->Eval(context, node);
}

TfLiteStatus PrepareDelegate(TfLiteContext* context, TfLiteDelegate* delegate) {
  SimpleDelegateInterface* interface = Interface(delegate);
  TF_LITE_ENSURE_STATUS(interface->Initialize(context));
  TfLiteIntArray* plan = nullptr;
  TF_LITE_ENSURE_STATUS(context->GetExecutionPlan(context, &plan));
  std::vector<int> supported;
  for (const int index : TfLiteIntArrayView(plan)) {
    TfLiteNode* node = nullptr;
    TfLiteRegistration* registration = nullptr;
    TF_LITE_ENSURE_STATUS(
        context->GetNodeAndRegistration(context, index, &node, &registration));
    if (interface->IsNodeSupportedByDelegate(registration, node, context)) {
      supported.push_back(index);
    }
  }
  TfLiteRegistration registration{};
  registration.builtin_code = kTfLiteBuiltinDelegate;
  registration.custom_name = interface->Name();
  registration.version = 1;
  registration.init = Init;
  registration.free = Free;
  registration.prepare = Prepare;
  registration.invoke = Eval;
  return context->ReplaceNodeSubsetsWithDelegateKernels(
      context, registration, BuildTfLiteArray(supported).get(), delegate);
}

}  // namespace

// TensorFlow Lite's implementation needs the interpreter's C++ objects. It
// selects among partitions; a Flex delegate takes all Flex ops.
TfLiteDelegate* TfLiteDelegateFactory::CreateSimpleDelegate(
    std::unique_ptr<SimpleDelegateInterface> interface, int64_t flags) {
  if (interface == nullptr) return nullptr;
  auto* delegate = new TfLiteDelegate(TfLiteDelegateCreate());
  delegate->data_ = interface.release();
  delegate->Prepare = PrepareDelegate;
  delegate->flags = flags;
  return delegate;
}

void TfLiteDelegateFactory::DeleteSimpleDelegate(TfLiteDelegate* delegate) {
  if (delegate == nullptr) return;
  delete Interface(delegate);
  delete delegate;
}

// In a static link this replaces the interpreter's weak function, which looks
// TF_AcquireFlexDelegate up: core/interpreter_builder.cc.
TfLiteDelegateUniquePtr AcquireFlexDelegate() {
  return CarvedDelegate::CreateCarved();
}

}  // namespace tflite

extern "C" {

// InterpreterBuilder looks this function up by its name.
TFCARVE_PLUGIN_EXPORT tflite::TfLiteDelegateUniquePtr TF_AcquireFlexDelegate() {
  return tflite::AcquireFlexDelegate();
}

// The interface of external delegates:
// tensorflow/lite/delegates/external/external_delegate_interface.h.
TFCARVE_PLUGIN_EXPORT TfLiteDelegate* tflite_plugin_create_delegate(
    const char* const* keys, const char* const*, size_t count,
    void (*report_error)(const char*)) {
  if (count != 0) {
    const std::string text =
        std::string("a Flex delegate has no options: remove ") + keys[0];
    if (report_error != nullptr) report_error(text.c_str());
    return nullptr;
  }
  return tflite::CarvedDelegate::CreateCarved().release();
}

TFCARVE_PLUGIN_EXPORT void tflite_plugin_destroy_delegate(
    TfLiteDelegate* delegate) {
  tflite::TfLiteDelegateFactory::DeleteSimpleDelegate(delegate);
}

}  // extern "C"
