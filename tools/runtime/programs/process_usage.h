// CPU time and memory of this process.

#ifndef TFCARVE_TOOLS_RUNTIME_PROGRAMS_PROCESS_USAGE_H_
#define TFCARVE_TOOLS_RUNTIME_PROGRAMS_PROCESS_USAGE_H_

#include <cstdint>
#include <string>

namespace tfcarve {

// Returns the CPU time of all threads, in milliseconds.
double ProcessCpuMs();

// Returns a field of Linux's /proc/self/status in bytes: "VmHWM" (peak resident
// memory), "RssAnon" (anonymous resident memory). -1 if it does not exist.
int64_t StatusBytes(const std::string& field);

// Returns a field of the text of that file.
int64_t StatusBytesOf(const std::string& status, const std::string& field);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_PROGRAMS_PROCESS_USAGE_H_
