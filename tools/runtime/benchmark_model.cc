// benchmark_model MODEL.pb --input NAME=FILE.npy… --input-random
//                 NAME=TYPE:DIMS… --output NAME…
//
// Measures a frozen graph in a carved library through its C interface: time to
// load, first run, a number of runs, memory, each node. Exit status: 0 done; 1
// the library can't run the model; 2 bad use or a file that can't be read or
// written.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "tools/runtime/benchmark_report.h"
#include "tools/runtime/command_line.h"
#include "tools/runtime/file_io.h"
#include "tools/runtime/npy.h"
#include "tools/runtime/open_session.h"
#include "tools/runtime/process_usage.h"
#include "tools/runtime/random_input.h"
#include "tools/runtime/statistics.h"
#include "tools/runtime/tfcarve_c_api.h"
#include "tools/runtime/trace_events.h"

namespace {

using tfcarve::Binding;
using tfcarve::kBadUse;
using tfcarve::kDone;
using tfcarve::kRefused;

constexpr char kUsage[] =
    "usage: benchmark_model MODEL.pb --input NAME=FILE.npy...\n"
    "                       --input-random NAME=TYPE:DIMS... --output "
    "NAME...\n"
    "                       [--threads N] [--warmup N] [--runs N | --seconds "
    "N]\n"
    "                       [--traced-runs N] [--nodes] [--json FILE] [--trace "
    "FILE]\n"
    "\n"
    "Measures a frozen TensorFlow graph.\n"
    "  --input NAME=FILE.npy          feed the array in FILE to the node NAME\n"
    "  --input-random NAME=TYPE:DIMS  feed random numbers, the same each "
    "time:\n"
    "                                 x=float32:1x299x299x3\n"
    "  --output NAME                  compute what the node NAME gives\n"
    "  --threads N      threads to compute with; 0: one a core; default 1\n"
    "  --warmup N       runs after the first one that do not count; default 1\n"
    "  --runs N         runs that count, 0 or more; default 20\n"
    "  --seconds N      as many runs as fit into so many seconds, instead\n"
    "  --traced-runs N  further runs in which each node is timed; default 5\n"
    "  --nodes          print a table of the nodes too\n"
    "  --json FILE      write all figures as JSON\n"
    "  --trace FILE     write the last traced run for chrome://tracing or "
    "Perfetto\n"
    "exit status: 0 done, 1 the library can't run the model, 2 bad use\n";

constexpr int kMostRuns = 1000000;
constexpr int kMostSeconds = 86400;
constexpr int kDefaultRuns = 20;

struct Arguments {
  std::string model;
  std::vector<Binding> inputs;
  std::vector<Binding> random_inputs;
  std::vector<std::string> outputs;
  std::string json;
  std::string trace;
  int threads = 1;
  int warmup = 1;
  int runs = -1;    // -1: not given
  int seconds = 0;  // 0: not given
  int traced_runs = 5;
  bool nodes = false;
  bool help = false;
};

int Fail(int status, const std::string& message) {
  std::fprintf(stderr, "benchmark_model: %s\n", message.c_str());
  return status;
}

// An option that takes a number from `least` to `most`.
struct Number {
  const char* option;
  int least;
  int most;
  int* value;
};

bool ParseNumber(const Number& number, const std::string& value,
                 std::string* error) {
  if (tfcarve::ParseCount(value, number.most, number.value) &&
      *number.value >= number.least) {
    return true;
  }
  *error = std::string(number.option) + " takes a number from " +
           std::to_string(number.least) + " to " + std::to_string(number.most) +
           ", not '" + value + "'";
  return false;
}

// An option that takes a value.
bool ParseOption(const std::string& option, const std::string& value,
                 Arguments* arguments, std::string* error) {
  const Number numbers[] = {
      {"--warmup", 0, kMostRuns, &arguments->warmup},
      {"--runs", 0, kMostRuns, &arguments->runs},
      {"--seconds", 1, kMostSeconds, &arguments->seconds},
      {"--traced-runs", 0, kMostRuns, &arguments->traced_runs},
  };
  for (const Number& number : numbers) {
    if (option == number.option) return ParseNumber(number, value, error);
  }
  if (option == "--threads") {
    return tfcarve::ParseThreads(value, &arguments->threads, error);
  }
  if (option == "--input" || option == "--input-random") {
    const bool is_file = option == "--input";
    Binding binding;
    if (!tfcarve::ParseBinding(value, &binding)) {
      *error = option + " takes NAME=" + (is_file ? "FILE.npy" : "TYPE:DIMS") +
               ", not '" + value + "'";
      return false;
    }
    (is_file ? arguments->inputs : arguments->random_inputs).push_back(binding);
    return true;
  }
  if (option != "--output" && option != "--json" && option != "--trace") {
    *error = "unknown option '" + option + "'";
    return false;
  }
  if (value.empty()) {
    *error = option + " takes the name of a " +
             (option == "--output" ? "node" : "file");
    return false;
  }
  if (option == "--output") {
    arguments->outputs.push_back(value);
  } else {
    (option == "--json" ? arguments->json : arguments->trace) = value;
  }
  return true;
}

bool ParseArguments(const std::vector<std::string>& words, Arguments* arguments,
                    std::string* error) {
  for (const tfcarve::Given& given :
       tfcarve::SplitCommandLine(words, {"--help", "-h", "--nodes"})) {
    if (given.option == "--help" || given.option == "-h") {
      arguments->help = true;
      return true;
    }
    if (given.option == "--nodes") {
      arguments->nodes = true;
    } else if (!given.option.empty()) {
      if (!ParseOption(given.option, given.value, arguments, error)) {
        return false;
      }
    } else if (arguments->model.empty()) {
      arguments->model = given.value;
    } else {
      *error = "one model at a time, not also '" + given.value + "'";
      return false;
    }
  }
  if (arguments->model.empty()) {
    *error = "which model? See --help";
  } else if (arguments->outputs.empty()) {
    *error = "which --output? See --help";
  } else if (arguments->runs >= 0 && arguments->seconds > 0) {
    *error = "--runs or --seconds, not both";
  } else if (arguments->traced_runs == 0 &&
             (arguments->nodes || !arguments->trace.empty())) {
    *error = "--nodes and --trace need traced runs";
  }
  return error->empty();
}

// A graph with what it is fed and asked for.
struct Task {
  tfcarve_session* session;
  std::vector<tfcarve_tensor> inputs;
  std::vector<const char*> outputs;
};

tfcarve::ResultPtr Run(const Task& task, bool traced) {
  const auto run = traced ? &tfcarve_session_run_traced : &tfcarve_session_run;
  return tfcarve::ResultPtr(
      run(task.session, task.inputs.data(), task.inputs.size(),
          task.outputs.data(), task.outputs.size()),
      &tfcarve_result_free);
}

double MsSince(std::chrono::steady_clock::time_point start) {
  const std::chrono::duration<double, std::milli> took =
      std::chrono::steady_clock::now() - start;
  return took.count();
}

// Does the runs that count. Returns the error of one that failed, or nothing.
std::string RunTimed(const Task& task, const Arguments& arguments,
                     tfcarve::BenchmarkReport* report) {
  const int most = arguments.seconds > 0 ? kMostRuns
                   : arguments.runs < 0  ? kDefaultRuns
                                         : arguments.runs;
  std::vector<double> wall, cpu;
  const auto begin = std::chrono::steady_clock::now();
  while (wall.size() < static_cast<size_t>(most) &&
         (arguments.seconds == 0 || MsSince(begin) < arguments.seconds * 1e3)) {
    const double cpu_start = tfcarve::ProcessCpuMs();
    const auto start = std::chrono::steady_clock::now();
    const tfcarve::ResultPtr result = Run(task, /*traced=*/false);
    wall.push_back(MsSince(start));
    cpu.push_back(tfcarve::ProcessCpuMs() - cpu_start);
    if (const char* why = tfcarve_result_error(result.get())) return why;
  }
  report->runs = static_cast<int>(wall.size());
  report->wall_ms = tfcarve::StatisticsOf(wall);
  report->cpu_ms = tfcarve::StatisticsOf(cpu);
  return "";
}

tfcarve::TracedRun TracedRunOf(const tfcarve_result* result) {
  tfcarve::TracedRun run;
  tfcarve_node_trace trace;
  for (size_t i = 0; tfcarve_result_trace_get(result, i, &trace) == 0; ++i) {
    tfcarve::NodeRun one;
    one.node = trace.node;
    one.op = trace.op;
    one.inputs = trace.inputs;
    one.start_ns = trace.start_ns;
    one.duration_ns = trace.duration_ns;
    one.allocated_bytes = trace.allocated_bytes;
    for (size_t j = 0; j < trace.output_count; ++j) {
      const tfcarve_tensor& output = trace.outputs[j];
      one.outputs.push_back(
          {output.dtype, {output.dims, output.dims + output.rank}});
    }
    run.push_back(std::move(one));
  }
  std::stable_sort(
      run.begin(), run.end(),
      [](const tfcarve::NodeRun& one, const tfcarve::NodeRun& other) {
        return one.start_ns < other.start_ns;
      });
  return run;
}

int Write(const std::string& path, const std::string& text) {
  if (path.empty() || tfcarve::WriteFile(path, text, nullptr, 0)) return kDone;
  return Fail(kBadUse, "can't write " + path);
}

int Benchmark(const Arguments& arguments) {
  std::vector<tfcarve::NpyArray> arrays;
  std::string error;
  if (!tfcarve::ReadArrays(arguments.inputs, &arrays, &error)) {
    return Fail(kBadUse, error);
  }
  std::vector<Binding> bindings = arguments.inputs;
  for (const Binding& random : arguments.random_inputs) {
    bindings.push_back(random);
    arrays.emplace_back();
    if (!tfcarve::RandomInput(random.value, &arrays.back(), &error)) {
      return Fail(kBadUse, "--input-random " + random.name + ": " + error);
    }
  }

  tfcarve::BenchmarkReport report;
  report.model = arguments.model;
  report.threads = arguments.threads;
  report.warmup = arguments.warmup;
  report.traced_runs = arguments.traced_runs;
  tfcarve::SessionPtr session(nullptr, &tfcarve_session_free);
  const auto load_start = std::chrono::steady_clock::now();
  const int opened = tfcarve::OpenSession(arguments.model, arguments.threads,
                                          &session, &error);
  report.load_ms = MsSince(load_start);
  if (opened != kDone) return Fail(opened, error);
  report.anonymous_bytes_loaded = tfcarve::StatusBytes("RssAnon");

  Task task = {session.get(), {}, {}};
  for (size_t i = 0; i < arrays.size(); ++i) {
    task.inputs.push_back(tfcarve::TensorOf(bindings[i].name, arrays[i]));
  }
  for (const std::string& output : arguments.outputs) {
    task.outputs.push_back(output.c_str());
  }
  const auto first_start = std::chrono::steady_clock::now();
  const tfcarve::ResultPtr first = Run(task, /*traced=*/false);
  report.first_ms = MsSince(first_start);
  if (const char* why = tfcarve_result_error(first.get())) {
    return Fail(tfcarve_result_status(first.get()),
                arguments.model + ": " + why);
  }
  for (int i = 0; i < arguments.warmup; ++i) Run(task, /*traced=*/false);
  error = RunTimed(task, arguments, &report);
  if (!error.empty()) return Fail(kRefused, arguments.model + ": " + error);
  report.peak_bytes = tfcarve::StatusBytes("VmHWM");
  report.anonymous_bytes = tfcarve::StatusBytes("RssAnon");

  // Only now, for they take more time and memory.
  std::vector<tfcarve::TracedRun> traced;
  for (int i = 0; i < arguments.traced_runs; ++i) {
    const tfcarve::ResultPtr result = Run(task, /*traced=*/true);
    if (const char* why = tfcarve_result_error(result.get())) {
      return Fail(kRefused, arguments.model + ": " + why);
    }
    traced.push_back(TracedRunOf(result.get()));
  }
  report.nodes = tfcarve::NodeTotals(traced);
  report.ops = tfcarve::OpTotals(report.nodes);

  int status = Write(arguments.json, tfcarve::ReportJson(report));
  if (status == kDone && !arguments.trace.empty()) {
    status = Write(arguments.trace, tfcarve::TraceEvents(traced.back()));
  }
  if (status == kDone) {
    std::fputs(tfcarve::ReportText(report, arguments.nodes).c_str(), stdout);
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  std::string error;
  if (!ParseArguments({argv + 1, argv + argc}, &arguments, &error)) {
    return Fail(kBadUse, error);
  }
  if (arguments.help) {
    std::fputs(kUsage, stdout);
    return kDone;
  }
  // TensorFlow's remarks on the CPU are not wanted here; its warnings are.
  setenv("TF_CPP_MIN_LOG_LEVEL", "1", /*overwrite=*/0);
  return Benchmark(arguments);
}
