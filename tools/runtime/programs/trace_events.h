// Formats a traced run in the Trace Event Format, for chrome://tracing and
// Perfetto.

#ifndef TFCARVE_TOOLS_RUNTIME_PROGRAMS_TRACE_EVENTS_H_
#define TFCARVE_TOOLS_RUNTIME_PROGRAMS_TRACE_EVENTS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "tools/runtime/programs/benchmark_report.h"

namespace tfcarve {

// Returns the lane in which each execution is drawn: the first one that is free
// at its start. Executions in one lane do not overlap.
std::vector<size_t> Lanes(const TracedRun& run);

// Returns the run as JSON text, with one event for each execution.
std::string TraceEvents(const TracedRun& run);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_PROGRAMS_TRACE_EVENTS_H_
