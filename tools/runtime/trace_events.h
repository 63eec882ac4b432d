// A traced run in the Trace Event Format, which chrome://tracing and Perfetto
// show.

#ifndef TFCARVE_TOOLS_RUNTIME_TRACE_EVENTS_H_
#define TFCARVE_TOOLS_RUNTIME_TRACE_EVENTS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "tools/runtime/benchmark_report.h"

namespace tfcarve {

// For each execution the lane that it is drawn in. Those in one lane do not
// overlap: each goes to the first lane that is free at its start.
std::vector<size_t> Lanes(const TracedRun& run);

// The run as JSON text, an event for each execution.
std::string TraceEvents(const TracedRun& run);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_TRACE_EVENTS_H_
