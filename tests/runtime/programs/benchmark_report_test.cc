// Tests of the totals of traced runs, and of the reports.

#include "tools/runtime/programs/benchmark_report.h"

#include <cmath>
#include <string>
#include <vector>

#include "tests/runtime/expecting.h"
#include "tools/runtime/programs/json_text.h"
#include "tools/runtime/programs/process_usage.h"
#include "tools/runtime/programs/trace_events.h"

namespace {

using tfcarve::NodeTotal;
using tfcarve::OpTotal;
using tfcarve::TracedRun;

bool Near(double one, double other) { return std::abs(one - other) < 1e-9; }

// Two runs of conv, relu and a node of a loop that is executed twice.
std::vector<TracedRun> Runs() {
  const std::vector<tfcarve::OutputShape> shape = {{1, {1, 2}}};
  return {{{"conv", "Conv2D", "x, filter:0, ^init", 0, 3000000, 80, shape},
           {"relu", "Relu", "", 3000000, 1000000, 0, shape},
           {"loop", "Relu", "", 4000000, 500000, 8, {}},
           {"loop", "Relu", "", 4500000, 500000, 8, {}}},
          {{"conv", "Conv2D", "x, filter:0, ^init", 0, 5000000, 80, shape},
           {"relu", "Relu", "", 5000000, 1000000, 0, shape},
           {"loop", "Relu", "", 6000000, 2000000, 8, {}},
           {"loop", "Relu", "", 8000000, 1000000, 8, {}}}};
}

void Totals() {
  const std::vector<NodeTotal> nodes = tfcarve::NodeTotals(Runs());
  Expect(nodes.size() == 3, "three nodes");
  Expect(nodes[0].node == "conv" && nodes[2].node == "loop",
         "in the order of their start");
  Expect(Near(nodes[0].ms, 4) && Near(nodes[1].ms, 1) && Near(nodes[2].ms, 2),
         "the average of the runs");
  Expect(Near(nodes[0].calls, 1) && Near(nodes[2].calls, 2), "calls of a run");
  Expect(Near(nodes[2].bytes, 16), "bytes of a run");
  Expect(Near(nodes[0].share, 4. / 7), "the share of the time of all nodes");
  Expect(nodes[0].outputs.size() == 1 && nodes[0].outputs[0].dims[1] == 2,
         "the outputs' shapes");

  const std::vector<OpTotal> ops = tfcarve::OpTotals(nodes);
  Expect(ops.size() == 2, "two op types");
  Expect(ops[0].op == "Conv2D" && ops[1].op == "Relu", "the slowest first");
  Expect(ops[1].nodes == 2 && Near(ops[1].calls, 3), "nodes and calls");
  Expect(Near(ops[1].ms, 3) && Near(ops[1].share, 3. / 7), "time and share");
}

void NoTime() {
  Expect(tfcarve::NodeTotals({}).empty(), "no runs");
  const auto nodes = tfcarve::NodeTotals({{{"a", "NoOp", "", 0, 0, 0, {}}}});
  Expect(nodes.size() == 1 && nodes[0].share == 0, "no division by zero");
}

void NodesOfTheSameNameInTwoFunctions() {
  const auto nodes = tfcarve::NodeTotals(
      {{{"a", "Relu", "", 0, 1, 0, {}}, {"a", "Conv2D", "", 1, 1, 0, {}}}});
  Expect(nodes.size() == 2, "distinct by op");
}

void Json() {
  Expect(tfcarve::JsonString("a/b") == "\"a/b\"", "a name");
  Expect(tfcarve::JsonString("\"\\\n\x7f\xff") ==
             "\"\\\"\\\\\\u000a\\u007f\\u00ff\"",
         "escaped characters");
  Expect(tfcarve::JsonNumber(0.25) == "0.250000", "a number");

  tfcarve::BenchmarkReport report;
  report.model = "a\"b.pb";
  report.threads = 2;
  report.runs = 3;
  report.nodes = tfcarve::NodeTotals(Runs());
  report.ops = tfcarve::OpTotals(report.nodes);
  const std::string json = tfcarve::ReportJson(report);
  const std::string parts[] = {
      "\"model\": \"a\\\"b.pb\"",
      "\"threads\": 2,",
      "\"runs\": 3,",
      "\"wall_ms\": {\"min\": 0.000000, \"median\": ",
      "\"peak_bytes\": null,",
      "{\"name\": \"conv\", \"op\": \"Conv2D\", \"inputs\": [\"x\", "
      "\"filter:0\", \"^init\"], \"calls\": 1.000000, \"ms\": "
      "4.000000, \"share\": 0.571429, \"bytes\": 80.000000, \"outputs\": "
      "[{\"dtype\": 1, \"dims\": [1, 2]}]}",
      "{\"op\": \"Relu\", \"nodes\": 2, \"calls\": 3.000000, \"ms\": 3.000000,",
  };
  for (const std::string& part : parts) {
    Expect(json.find(part) != std::string::npos, "in the JSON: " + part);
  }
  report.peak_bytes = 4096;
  Expect(tfcarve::ReportJson(report).find("\"peak_bytes\": 4096,") !=
             std::string::npos,
         "memory if it is known");
}

void Text() {
  tfcarve::BenchmarkReport report;
  report.model = "model.pb";
  report.runs = 3;
  report.traced_runs = 2;
  report.nodes = tfcarve::NodeTotals(Runs());
  report.ops = tfcarve::OpTotals(report.nodes);
  const std::string ops = tfcarve::ReportText(report, false);
  Expect(ops.find("  57.1%        1      0.000  Conv2D\n") != std::string::npos,
         "a row of an op: " + ops);
  Expect(ops.find("threads    one per core\n") != std::string::npos, "threads");
  Expect(ops.find("wall            0.000") != std::string::npos, "statistics");
  Expect(ops.find("conv") == std::string::npos, "no nodes");
  Expect(ops.find("memory") == std::string::npos, "no memory");
  report.runs = 0;
  const std::string nodes = tfcarve::ReportText(report, true);
  Expect(nodes.find("wall") == std::string::npos, "no statistics without runs");
  Expect(nodes.find("loop (Relu)\n") != std::string::npos, "a row of a node");
}

void Lanes() {
  const TracedRun run = {{"a", "A", "", 0, 10, 0, {}},
                         {"b", "B", "", 5, 10, 0, {}},
                         {"c", "C", "", 10, 1, 0, {}},
                         {"d", "D", "", 12, 9, 0, {}},
                         {"e", "E", "", 13, 9, 0, {}}};
  Expect(tfcarve::Lanes(run) == std::vector<size_t>({0, 1, 0, 0, 2}),
         "no overlap in a lane");
  Expect(tfcarve::Lanes({}).empty(), "no run");
}

void Events() {
  const std::string json = tfcarve::TraceEvents(Runs()[0]);
  const std::string event =
      "{\"name\": \"relu\", \"cat\": \"Relu\", \"ph\": \"X\", \"ts\": "
      "3000.000000, \"dur\": 1000.000000, \"pid\": 1, \"tid\": 1, \"args\": "
      "{\"op\": \"Relu\", \"allocated bytes\": 0, \"outputs\": \"[1x2]\"}}";
  Expect(json.find(event) != std::string::npos, "an event: " + json);
}

void ProcessStatus() {
  const std::string status =
      "Name:\tVmHWM\nVmPeak:\t  9000 kB\nVmHWM:\t  4021 kB\nRssAnon:\t 12 kB\n";
  Expect(tfcarve::StatusBytesOf(status, "VmHWM") == 4021 * 1024, "VmHWM");
  Expect(tfcarve::StatusBytesOf(status, "RssAnon") == 12 * 1024, "RssAnon");
  Expect(tfcarve::StatusBytesOf(status, "RssFile") == -1, "a missing field");
  Expect(tfcarve::StatusBytesOf("", "VmHWM") == -1, "an empty file");
  Expect(tfcarve::StatusBytes("VmHWM") > 0, "this process");
}

}  // namespace

int main() {
  Totals();
  NoTime();
  NodesOfTheSameNameInTwoFunctions();
  Json();
  Text();
  Lanes();
  Events();
  ProcessStatus();
  return failures == 0 ? 0 : 1;
}
