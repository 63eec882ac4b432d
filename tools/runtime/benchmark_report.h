// What benchmark_model reports, as text and as JSON.

#ifndef TFCARVE_TOOLS_RUNTIME_BENCHMARK_REPORT_H_
#define TFCARVE_TOOLS_RUNTIME_BENCHMARK_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tools/runtime/statistics.h"

namespace tfcarve {

// The type and shape of an output.
struct OutputShape {
  int32_t dtype = 0;  // a tfcarve_dtype; 0 where it was not computed
  std::vector<int64_t> dims;
};

// One execution of a node in a traced run.
struct NodeRun {
  std::string node;
  std::string op;
  std::string inputs;    // as in its NodeDef, with ", " between them
  int64_t start_ns = 0;  // since the first execution
  int64_t duration_ns = 0;
  int64_t allocated_bytes = 0;
  std::vector<OutputShape> outputs;
};

// All executions of one traced run, by their start.
using TracedRun = std::vector<NodeRun>;

// A node in one run: averages of several.
struct NodeTotal {
  std::string node;
  std::string op;
  std::string inputs;
  double calls = 0;
  double ms = 0;
  double share = 0;  // of all nodes' time, 0 to 1
  double bytes = 0;
  std::vector<OutputShape> outputs;  // of the last execution
};

// An op type in one run: averages of several.
struct OpTotal {
  std::string op;
  int64_t nodes = 0;
  double calls = 0;
  double ms = 0;
  double share = 0;
  double bytes = 0;
};

// In the order in which they were first executed.
std::vector<NodeTotal> NodeTotals(const std::vector<TracedRun>& runs);

// The slowest first.
std::vector<OpTotal> OpTotals(const std::vector<NodeTotal>& nodes);

struct BenchmarkReport {
  std::string model;
  int threads = 0;
  int warmup = 0;
  int runs = 0;
  int traced_runs = 0;
  double load_ms = 0;   // from the model's file to a session
  double first_ms = 0;  // of the first run
  Statistics wall_ms;
  Statistics cpu_ms;  // of all threads of the process
  // -1 where the system does not say.
  int64_t peak_bytes = -1;              // resident, until the end of the runs
  int64_t anonymous_bytes_loaded = -1;  // with the session
  int64_t anonymous_bytes = -1;         // after the runs
  std::vector<NodeTotal> nodes;
  std::vector<OpTotal> ops;
};

// `with_nodes`: whether there is a table of nodes too.
std::string ReportText(const BenchmarkReport& report, bool with_nodes);

std::string ReportJson(const BenchmarkReport& report);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_BENCHMARK_REPORT_H_
