#include "tools/runtime/plan/tracing.h"

#include <cstddef>
#include <utility>

#include "absl/strings/str_join.h"
#include "tensorflow/core/framework/tracking_allocator.h"
#include "tensorflow/core/platform/env_time.h"

namespace tfcarve {
namespace {

using ::tensorflow::OpKernelContext;
using ::tensorflow::Tensor;

int64_t Now() { return static_cast<int64_t>(tensorflow::EnvTime::NowNanos()); }

NodeTrace TraceOf(const BodyNode& node) {
  NodeTrace trace;
  trace.node = node.def().name();
  trace.op = node.op();
  trace.inputs = absl::StrJoin(node.def().input(), ", ");
  trace.start_ns = Now();
  return trace;
}

// Sets the type and shape of an output.
void SetOutput(size_t index, const Tensor& tensor, NodeTrace* trace) {
  if (trace->outputs.size() <= index) {
    trace->dims.resize(index + 1);
    trace->outputs.resize(index + 1, tfcarve_tensor{});
  }
  std::vector<int64_t>& dims = trace->dims[index];
  for (int i = 0; i < tensor.dims(); ++i) dims.push_back(tensor.dim_size(i));
  trace->outputs[index].dtype = tensor.dtype();
  trace->outputs[index].rank = static_cast<int32_t>(dims.size());
  trace->outputs[index].dims = dims.data();
}

}  // namespace

KnownNodes::KnownNodes(const Body& body) : body_(body), start_ns_(Now()) {}

void KnownNodes::Add(Slot slot, const Tensor& tensor) {
  const int producer = body_.producers[slot];
  if (producer == Body::kArgument) return;
  const BodyNode& node = body_.nodes[producer];
  const auto [entry, is_new] = traces_.try_emplace(producer);
  if (is_new) {
    entry->second = TraceOf(node);
    entry->second.start_ns = start_ns_;
  }
  SetOutput(static_cast<size_t>(slot - node.outputs.first), tensor,
            &entry->second);
}

void KnownNodes::MoveTo(std::vector<NodeTrace>* traces) {
  for (auto& [_, trace] : traces_) traces->push_back(std::move(trace));
}

void NodeTracer::Begin(const BodyNode& node) { trace_.emplace(TraceOf(node)); }

void NodeTracer::Add(OpKernelContext* context, const Tensor* outputs,
                     int count) {
  trace_->duration_ns = Now() - trace_->start_ns;
  if (context != nullptr) {
    for (const auto& [_, allocator] : context->ConsumeWrappedAllocators()) {
      trace_->allocated_bytes += std::get<0>(allocator->GetSizes());
      allocator->GetRecordsAndUnRef();
    }
  }
  for (int i = 0; i < count; ++i) {
    SetOutput(static_cast<size_t>(i), outputs[i], &*trace_);
  }
  traces_->push_back(std::move(*trace_));
}

}  // namespace tfcarve
