// Replaces TensorFlow's source of the same path: does not store or write the
// Python stack traces of a graph's nodes.

#include "tensorflow/core/graph/graph_debug_info_builder.h"

namespace tensorflow {

FrozenStackTrace::FrozenStackTrace(absl::Span<StackFrame const> frames,
                                   absl::Span<StackFrame const> user_frames)
    : frames_(frames.begin(), frames.end()),
      user_frames_(user_frames.begin(), user_frames.end()) {}

absl::Span<StackFrame const> FrozenStackTrace::ToFrames() const {
  return frames_;
}

StackFrame FrozenStackTrace::LastUserFrame() const {
  return frames_.empty() ? StackFrame() : frames_.back();
}

std::vector<StackFrame> FrozenStackTrace::GetUserFrames(int) const {
  return user_frames_;
}

std::string FrozenStackTrace::ToString(const TracePrintingOptions&) const {
  return "";
}

StackTracesMap LoadTracesFromDebugInfo(const GraphDebugInfo&) { return {}; }

absl::StatusOr<StackTracesMap> LoadTracesFromDebugInfoStr(absl::string_view) {
  return StackTracesMap();
}

GraphDebugInfoBuilder::GraphDebugInfoBuilder() = default;

void GraphDebugInfoBuilder::AccumulateStackTracesMap(const StackTracesMap&,
                                                     absl::string_view,
                                                     const Options&) {}

void GraphDebugInfoBuilder::AccumulateStackTrace(
    std::shared_ptr<AbstractStackTrace>, absl::string_view, const Options&) {}

void GraphDebugInfoBuilder::AppendGraphDebugInfo(absl::string_view,
                                                 const GraphDebugInfo&) {}

absl::Status GraphDebugInfoBuilder::AppendGraphDebugInfoStr(absl::string_view,
                                                            absl::string_view) {
  return absl::OkStatus();
}

std::string GraphDebugInfoBuilder::ToGraphDebugInfoStr() const { return ""; }

GraphDebugInfo GraphDebugInfoBuilder::Build() const { return GraphDebugInfo(); }

}  // namespace tensorflow
