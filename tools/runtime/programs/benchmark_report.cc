#include "tools/runtime/programs/benchmark_report.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>

#include "tools/runtime/programs/json_text.h"

namespace tfcarve {
namespace {

constexpr double kNanosPerMilli = 1e6;
constexpr double kMega = 1e6;

// Formats a line of text.
template <typename... Values>
std::string Line(const char* format, Values... values) {
  char text[256];
  std::snprintf(text, sizeof(text), format, values...);
  return text;
}

void Divide(double by, NodeTotal* node) {
  node->calls /= by;
  node->ms /= by;
  node->bytes /= by;
}

std::string StatisticsJson(const Statistics& of) {
  return "{\"min\": " + JsonNumber(of.min) +
         ", \"median\": " + JsonNumber(of.median) +
         ", \"p95\": " + JsonNumber(of.p95) +
         ", \"mean\": " + JsonNumber(of.mean) +
         ", \"stddev\": " + JsonNumber(of.stddev) + "}";
}

std::string BytesJson(int64_t bytes) {
  return bytes < 0 ? "null" : std::to_string(bytes);
}

std::string OutputsJson(const std::vector<OutputShape>& outputs) {
  std::string json = "[";
  for (const OutputShape& output : outputs) {
    if (json.size() > 1) json += ", ";
    json += "{\"dtype\": " + std::to_string(output.dtype) + ", \"dims\": [";
    for (size_t i = 0; i < output.dims.size(); ++i) {
      json += (i > 0 ? ", " : "") + std::to_string(output.dims[i]);
    }
    json += "]}";
  }
  return json + "]";
}

std::string InputsJson(const std::string& inputs) {
  const std::string separator = ", ";
  std::string json = "[";
  for (size_t start = 0; start < inputs.size();) {
    const size_t end = std::min(inputs.find(separator, start), inputs.size());
    if (start > 0) json += separator;
    json += JsonString(inputs.substr(start, end - start));
    start = end + separator.size();
  }
  return json + "]";
}

std::string NodeJson(const NodeTotal& node) {
  return "{\"name\": " + JsonString(node.node) +
         ", \"op\": " + JsonString(node.op) +
         ", \"inputs\": " + InputsJson(node.inputs) +
         ", \"calls\": " + JsonNumber(node.calls) +
         ", \"ms\": " + JsonNumber(node.ms) +
         ", \"share\": " + JsonNumber(node.share) +
         ", \"bytes\": " + JsonNumber(node.bytes) +
         ", \"outputs\": " + OutputsJson(node.outputs) + "}";
}

std::string OpJson(const OpTotal& op) {
  return "{\"op\": " + JsonString(op.op) +
         ", \"nodes\": " + std::to_string(op.nodes) +
         ", \"calls\": " + JsonNumber(op.calls) +
         ", \"ms\": " + JsonNumber(op.ms) +
         ", \"share\": " + JsonNumber(op.share) +
         ", \"bytes\": " + JsonNumber(op.bytes) + "}";
}

// Returns a list with one item per line.
template <typename Item>
std::string ListJson(const std::vector<Item>& items,
                     std::string (*item_json)(const Item&)) {
  std::string json = "[";
  for (const Item& item : items) {
    json += json.size() > 1 ? ",\n  " : "\n  ";
    json += item_json(item);
  }
  return json + (items.empty() ? "]" : "\n ]");
}

std::string StatisticsText(const char* name, const Statistics& of) {
  return Line("%-10s %10.3f %10.3f %10.3f %10.3f %10.3f\n", name, of.min,
              of.median, of.p95, of.mean, of.stddev);
}

std::string MemoryText(const BenchmarkReport& report) {
  if (report.peak_bytes < 0) return "";
  return Line(
      "memory     peak %.1f MB; anonymous %.1f MB after loading, %.1f MB after "
      "the runs\n",
      static_cast<double>(report.peak_bytes) / kMega,
      static_cast<double>(report.anonymous_bytes_loaded) / kMega,
      static_cast<double>(report.anonymous_bytes) / kMega);
}

constexpr char kRow[] = "%10.3f %6.1f%% %8.4g %10.3f  ";

std::string OpsText(const std::vector<OpTotal>& ops) {
  std::string text = "        ms   share    calls         MB  op type\n";
  for (const OpTotal& op : ops) {
    text += Line(kRow, op.ms, op.share * 100, op.calls, op.bytes / kMega) +
            op.op + "\n";
  }
  return text;
}

std::string NodesText(const std::vector<NodeTotal>& nodes) {
  std::string text = "        ms   share    calls         MB  node\n";
  for (const NodeTotal& node : nodes) {
    text +=
        Line(kRow, node.ms, node.share * 100, node.calls, node.bytes / kMega) +
        node.node + " (" + node.op + ")\n";
  }
  return text;
}

}  // namespace

std::vector<NodeTotal> NodeTotals(const std::vector<TracedRun>& runs) {
  std::vector<NodeTotal> nodes;
  // Nodes of different functions may have the same name.
  std::map<std::pair<std::string, std::string>, size_t> indices;
  double total = 0;
  for (const TracedRun& run : runs) {
    for (const NodeRun& node_run : run) {
      const auto [index, is_new] = indices.emplace(
          std::make_pair(node_run.node, node_run.op), nodes.size());
      if (is_new)
        nodes.push_back(
            {node_run.node, node_run.op, node_run.inputs, 0, 0, 0, 0, {}});
      NodeTotal& node = nodes[index->second];
      node.calls += 1;
      node.ms += static_cast<double>(node_run.duration_ns) / kNanosPerMilli;
      node.bytes += static_cast<double>(node_run.allocated_bytes);
      node.outputs = node_run.outputs;
    }
  }
  for (NodeTotal& node : nodes) {
    Divide(static_cast<double>(runs.size()), &node);
    total += node.ms;
  }
  for (NodeTotal& node : nodes) node.share = total > 0 ? node.ms / total : 0;
  return nodes;
}

std::vector<OpTotal> OpTotals(const std::vector<NodeTotal>& nodes) {
  std::map<std::string, OpTotal> by_op;
  for (const NodeTotal& node : nodes) {
    OpTotal& op = by_op[node.op];
    op.op = node.op;
    op.nodes += 1;
    op.calls += node.calls;
    op.ms += node.ms;
    op.share += node.share;
    op.bytes += node.bytes;
  }
  std::vector<OpTotal> ops;
  for (const auto& [name, op] : by_op) ops.push_back(op);
  std::stable_sort(
      ops.begin(), ops.end(),
      [](const OpTotal& a, const OpTotal& b) { return a.ms > b.ms; });
  return ops;
}

std::string ReportText(const BenchmarkReport& report, bool with_nodes) {
  std::string text = "model      " + report.model + "\n";
  text += Line("load       %10.3f ms\nfirst run  %10.3f ms\n", report.load_ms,
               report.first_ms);
  text += Line("runs       %d after %d warmup\nthreads    %s\n", report.runs,
               report.warmup,
               report.threads == 0 ? "one per core"
                                   : std::to_string(report.threads).c_str());
  if (report.runs > 0) {
    text +=
        "ms                min     median        p95       mean     stddev\n";
    text += StatisticsText("wall", report.wall_ms);
    text += StatisticsText("CPU", report.cpu_ms);
  }
  text += MemoryText(report);
  if (report.traced_runs == 0) return text;
  text += Line("\naverage of %d traced runs, by op type\n", report.traced_runs);
  text += OpsText(report.ops);
  if (with_nodes) text += "\nby node\n" + NodesText(report.nodes);
  return text;
}

std::string ReportJson(const BenchmarkReport& report) {
  return "{\n \"version\": 1,\n \"model\": " + JsonString(report.model) +
         ",\n \"threads\": " + std::to_string(report.threads) +
         ",\n \"warmup\": " + std::to_string(report.warmup) +
         ",\n \"runs\": " + std::to_string(report.runs) +
         ",\n \"traced_runs\": " + std::to_string(report.traced_runs) +
         ",\n \"load_ms\": " + JsonNumber(report.load_ms) +
         ",\n \"first_ms\": " + JsonNumber(report.first_ms) +
         ",\n \"wall_ms\": " + StatisticsJson(report.wall_ms) +
         ",\n \"cpu_ms\": " + StatisticsJson(report.cpu_ms) +
         ",\n \"peak_bytes\": " + BytesJson(report.peak_bytes) +
         ",\n \"anonymous_bytes_loaded\": " +
         BytesJson(report.anonymous_bytes_loaded) +
         ",\n \"anonymous_bytes\": " + BytesJson(report.anonymous_bytes) +
         ",\n \"nodes\": " + ListJson(report.nodes, &NodeJson) +
         ",\n \"ops\": " + ListJson(report.ops, &OpJson) + "\n}\n";
}

}  // namespace tfcarve
