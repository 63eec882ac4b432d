// What this process has used.

#ifndef TFCARVE_TOOLS_RUNTIME_PROCESS_USAGE_H_
#define TFCARVE_TOOLS_RUNTIME_PROCESS_USAGE_H_

#include <cstdint>
#include <string>

namespace tfcarve {

// The CPU time of all of its threads.
double ProcessCpuMs();

// A field of Linux's /proc/self/status, in bytes: "VmHWM" (the most that was
// resident), "RssAnon" (what is resident of no file). -1 where there is none.
int64_t StatusBytes(const std::string& field);

// The same of the text of that file.
int64_t StatusBytesOf(const std::string& status, const std::string& field);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_PROCESS_USAGE_H_
