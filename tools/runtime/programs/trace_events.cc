#include "tools/runtime/programs/trace_events.h"

#include <cstdint>

#include "tools/runtime/programs/json_text.h"

namespace tfcarve {
namespace {

constexpr double kNanosPerMicro = 1e3;

std::string ShapesText(const std::vector<OutputShape>& outputs) {
  std::string text;
  for (const OutputShape& output : outputs) {
    if (!text.empty()) text += " ";
    std::string dims;
    for (const int64_t dim : output.dims) {
      dims += (dims.empty() ? "" : "x") + std::to_string(dim);
    }
    text += "[" + dims + "]";
  }
  return text;
}

std::string EventJson(const NodeRun& node_run, size_t lane) {
  return "{\"name\": " + JsonString(node_run.node) +
         ", \"cat\": " + JsonString(node_run.op) + ", \"ph\": \"X\", \"ts\": " +
         JsonNumber(static_cast<double>(node_run.start_ns) / kNanosPerMicro) +
         ", \"dur\": " +
         JsonNumber(static_cast<double>(node_run.duration_ns) /
                    kNanosPerMicro) +
         ", \"pid\": 1, \"tid\": " + std::to_string(lane + 1) +
         ", \"args\": {\"op\": " + JsonString(node_run.op) +
         ", \"allocated bytes\": " + std::to_string(node_run.allocated_bytes) +
         ", \"outputs\": " + JsonString(ShapesText(node_run.outputs)) + "}}";
}

}  // namespace

std::vector<size_t> Lanes(const TracedRun& run) {
  std::vector<size_t> lanes;
  std::vector<int64_t> free_from;  // by lane
  for (const NodeRun& node_run : run) {
    size_t lane = 0;
    while (lane < free_from.size() && free_from[lane] > node_run.start_ns)
      ++lane;
    if (lane == free_from.size()) free_from.push_back(0);
    free_from[lane] = node_run.start_ns + node_run.duration_ns;
    lanes.push_back(lane);
  }
  return lanes;
}

std::string TraceEvents(const TracedRun& run) {
  std::string json = "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [";
  const std::vector<size_t> lanes = Lanes(run);
  for (size_t i = 0; i < run.size(); ++i) {
    json += i > 0 ? ",\n" : "\n";
    json += EventJson(run[i], lanes[i]);
  }
  return json + "\n]}\n";
}

}  // namespace tfcarve
