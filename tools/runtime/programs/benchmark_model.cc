// benchmark_model MODEL.pb --input NAME=FILE.npy… --input-random
//                 NAME=TYPE:DIMS… --output NAME…
//
// Measures a frozen graph in a carved library through its C interface: load
// time, first run, further runs, memory, and each node. Exit status: 0 done; 1
// the library cannot run the model; 2 invalid arguments, or a file cannot be
// read or written.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "tools/runtime/include/tfcarve_c_api.h"
#include "tools/runtime/programs/benchmark_report.h"
#include "tools/runtime/programs/command_line.h"
#include "tools/runtime/programs/file_io.h"
#include "tools/runtime/programs/npy.h"
#include "tools/runtime/programs/open_session.h"
#include "tools/runtime/programs/process_usage.h"
#include "tools/runtime/programs/program_main.h"
#include "tools/runtime/programs/random_input.h"
#include "tools/runtime/programs/statistics.h"
#include "tools/runtime/programs/trace_events.h"
#include "tools/runtime/threads/thread_limit.h"

namespace {

using tfcarve::Binding;
using tfcarve::kCheckFailed;
using tfcarve::kDone;
using tfcarve::kInvalidInput;

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
    "  --input NAME=FILE.npy          feeds the array in FILE to the node "
    "NAME\n"
    "  --input-random NAME=TYPE:DIMS  feeds random values, the same in each "
    "run, e.g.\n"
    "                                 x=float32:1x299x299x3\n"
    "  --output NAME    computes the node NAME\n"
    "  --threads N      number of compute threads; 0: one per core (default: "
    "1)\n"
    "  --warmup N       number of runs between the first run and the measured "
    "ones\n"
    "                   (default: 1)\n"
    "  --runs N         number of measured runs (default: 20)\n"
    "  --seconds N      measures for N seconds instead\n"
    "  --traced-runs N  number of further runs that time each node (default: "
    "5)\n"
    "  --nodes          also prints a table of the nodes\n"
    "  --json FILE      writes all results as JSON; -: standard output\n"
    "  --trace FILE     writes the last traced run for chrome://tracing or "
    "Perfetto;\n"
    "                   -: standard output\n"
    "The text is printed on standard error if a file is written to standard "
    "output.\n"
    "exit status: 0 done, 1 the library cannot run the model, 2 invalid "
    "input\n";

constexpr int kMaxRuns = 1000000;
constexpr int kMaxSeconds = 86400;
constexpr int kDefaultRuns = 20;

struct Arguments : tfcarve::CommandLine {
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
};

int Fail(int status, const std::string& message) {
  std::fprintf(stderr, "benchmark_model: %s\n", message.c_str());
  return status;
}

tfcarve::Option OutputOption(std::vector<std::string>* outputs) {
  return {"--output", /*takes_value=*/true, [outputs](const std::string& name) {
            outputs->push_back(name);
            return name.empty() ? "--output takes the name of a node" : "";
          }};
}

bool ParseArguments(const std::vector<std::string>& words, Arguments* arguments,
                    std::string* error) {
  const std::vector<tfcarve::Option> options = {
      tfcarve::BindingsOption("--input", "NAME=FILE.npy", &arguments->inputs),
      tfcarve::BindingsOption("--input-random", "NAME=TYPE:DIMS",
                              &arguments->random_inputs),
      OutputOption(&arguments->outputs),
      tfcarve::NumberOption("--threads", 0, tfcarve::kMaxThreads,
                            &arguments->threads),
      tfcarve::NumberOption("--warmup", 0, kMaxRuns, &arguments->warmup),
      tfcarve::NumberOption("--runs", 0, kMaxRuns, &arguments->runs),
      tfcarve::NumberOption("--seconds", 1, kMaxSeconds, &arguments->seconds),
      tfcarve::NumberOption("--traced-runs", 0, kMaxRuns,
                            &arguments->traced_runs),
      tfcarve::Flag("--nodes", &arguments->nodes),
      tfcarve::FileOption("--json", &arguments->json),
      tfcarve::FileOption("--trace", &arguments->trace),
  };
  if (!tfcarve::ReadCommandLine(words, options, arguments, error)) return false;
  if (arguments->help) return true;
  if (arguments->outputs.empty()) {
    *error = "no --output given: see --help";
  } else if (arguments->runs >= 0 && arguments->seconds > 0) {
    *error = "--runs and --seconds exclude each other";
  } else if (arguments->traced_runs == 0 &&
             (arguments->nodes || !arguments->trace.empty())) {
    *error = "--nodes and --trace require --traced-runs of at least 1";
  }
  return error->empty();
}

// A session with its inputs and outputs.
struct Task {
  tfcarve_session* session;
  std::vector<tfcarve_tensor> inputs;
  std::vector<const char*> outputs;
};

tfcarve::ResultPtr Run(const Task& task, bool traced) {
  tfcarve_run_options options = TFCARVE_RUN_OPTIONS_INIT;
  options.trace = traced ? 1 : 0;
  return tfcarve::ResultPtr(
      tfcarve_session_run(task.session, task.inputs.data(), task.inputs.size(),
                          task.outputs.data(), task.outputs.size(), &options),
      &tfcarve_result_free);
}

double MsSince(std::chrono::steady_clock::time_point start) {
  const std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - start;
  return elapsed.count();
}

// Performs the measured runs. Returns the error of a failed run, or an empty
// string.
std::string RunTimed(const Task& task, const Arguments& arguments,
                     tfcarve::BenchmarkReport* report) {
  const int limit = arguments.seconds > 0 ? kMaxRuns
                    : arguments.runs < 0  ? kDefaultRuns
                                          : arguments.runs;
  std::vector<double> wall, cpu;
  const auto begin = std::chrono::steady_clock::now();
  while (wall.size() < static_cast<size_t>(limit) &&
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
    tfcarve::NodeRun node_run;
    node_run.node = trace.node;
    node_run.op = trace.op;
    node_run.inputs = trace.inputs;
    node_run.start_ns = trace.start_ns;
    node_run.duration_ns = trace.duration_ns;
    node_run.allocated_bytes = trace.allocated_bytes;
    for (size_t j = 0; j < trace.output_count; ++j) {
      const tfcarve_tensor& output = trace.outputs[j];
      node_run.outputs.push_back(
          {output.dtype, {output.dims, output.dims + output.rank}});
    }
    run.push_back(std::move(node_run));
  }
  std::stable_sort(run.begin(), run.end(),
                   [](const tfcarve::NodeRun& a, const tfcarve::NodeRun& b) {
                     return a.start_ns < b.start_ns;
                   });
  return run;
}

int Write(const std::string& path, const std::string& text) {
  if (path.empty() || tfcarve::WriteFile(path, text, nullptr, 0)) return kDone;
  return Fail(kInvalidInput, "can't write " + path);
}

int Benchmark(const Arguments& arguments) {
  std::vector<tfcarve::NpyArray> arrays;
  std::string error;
  if (!tfcarve::ReadArrays(arguments.inputs, &arrays, &error)) {
    return Fail(kInvalidInput, error);
  }
  std::vector<Binding> bindings = arguments.inputs;
  for (const Binding& random : arguments.random_inputs) {
    bindings.push_back(random);
    arrays.emplace_back();
    if (!tfcarve::RandomInput(random.value, &arrays.back(), &error)) {
      return Fail(kInvalidInput,
                  "--input-random " + random.name + ": " + error);
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
    return Fail(tfcarve::ExitStatusOfRun(tfcarve_result_status(first.get())),
                arguments.model + ": " + why);
  }
  for (int i = 0; i < arguments.warmup; ++i) Run(task, /*traced=*/false);
  error = RunTimed(task, arguments, &report);
  if (!error.empty()) return Fail(kCheckFailed, arguments.model + ": " + error);
  report.peak_bytes = tfcarve::StatusBytes("VmHWM");
  report.anonymous_bytes = tfcarve::StatusBytes("RssAnon");

  // Last, because tracing takes time and memory.
  std::vector<tfcarve::TracedRun> traced;
  for (int i = 0; i < arguments.traced_runs; ++i) {
    const tfcarve::ResultPtr result = Run(task, /*traced=*/true);
    if (const char* why = tfcarve_result_error(result.get())) {
      return Fail(kCheckFailed, arguments.model + ": " + why);
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
    std::fputs(tfcarve::ReportText(report, arguments.nodes).c_str(),
               tfcarve::TextStream({arguments.json, arguments.trace}));
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  return tfcarve::ProgramMain<Arguments>(
      {kUsage, ParseArguments, Fail, Benchmark}, argc, argv);
}
