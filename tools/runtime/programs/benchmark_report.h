// The report of benchmark_model, as text and as JSON.

#ifndef TFCARVE_TOOLS_RUNTIME_PROGRAMS_BENCHMARK_REPORT_H_
#define TFCARVE_TOOLS_RUNTIME_PROGRAMS_BENCHMARK_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tools/runtime/programs/statistics.h"

namespace tfcarve {

// The type and shape of an output.
struct OutputShape {
  int32_t dtype = 0;  // a tfcarve_dtype; 0 if it was not computed
  std::vector<int64_t> dims;
};

// An execution of a node in a traced run.
struct NodeRun {
  std::string node;
  std::string op;
  std::string inputs;    // of its NodeDef, separated by ", "
  int64_t start_ns = 0;  // since the first execution
  int64_t duration_ns = 0;
  int64_t allocated_bytes = 0;
  std::vector<OutputShape> outputs;
};

// The executions of one traced run, in the order of their start.
using TracedRun = std::vector<NodeRun>;

// A node in one run: the average of several runs.
struct NodeTotal {
  std::string node;
  std::string op;
  std::string inputs;
  double calls = 0;
  double ms = 0;
  double share = 0;  // of the time of all nodes, from 0 to 1
  double bytes = 0;
  std::vector<OutputShape> outputs;  // of the last execution
};

// An op type in one run: the average of several runs.
struct OpTotal {
  std::string op;
  int64_t nodes = 0;
  double calls = 0;
  double ms = 0;
  double share = 0;
  double bytes = 0;
};

// Returns the nodes in the order of their first execution.
std::vector<NodeTotal> NodeTotals(const std::vector<TracedRun>& runs);

// Returns the op types, the slowest first.
std::vector<OpTotal> OpTotals(const std::vector<NodeTotal>& nodes);

struct BenchmarkReport {
  std::string model;
  int threads = 0;
  int warmup = 0;
  int runs = 0;
  int traced_runs = 0;
  double load_ms = 0;   // from opening the file to a session
  double first_ms = 0;  // of the first run
  Statistics wall_ms;
  Statistics cpu_ms;  // of all threads of the process
  // In bytes; -1 if the system does not report it.
  int64_t peak_bytes = -1;              // resident, until the end of the runs
  int64_t anonymous_bytes_loaded = -1;  // after loading
  int64_t anonymous_bytes = -1;         // after the runs
  std::vector<NodeTotal> nodes;
  std::vector<OpTotal> ops;
};

// `with_nodes`: also print a table of the nodes.
std::string ReportText(const BenchmarkReport& report, bool with_nodes);

std::string ReportJson(const BenchmarkReport& report);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_PROGRAMS_BENCHMARK_REPORT_H_
