#include "tools/runtime/programs/process_usage.h"

#include <time.h>

#include <cstdlib>

#include "tools/runtime/programs/file_io.h"

namespace tfcarve {

double ProcessCpuMs() {
  timespec now;
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) != 0) return 0;
  return static_cast<double>(now.tv_sec) * 1e3 +
         static_cast<double>(now.tv_nsec) / 1e6;
}

int64_t StatusBytes(const std::string& field) {
  std::string status;
  if (!ReadFile("/proc/self/status", &status)) return -1;
  return StatusBytesOf(status, field);
}

int64_t StatusBytesOf(const std::string& status, const std::string& field) {
  // "VmHWM:	  402156 kB"
  const std::string lines = "\n" + status;
  const std::string before = "\n" + field + ":";
  const size_t found = lines.find(before);
  if (found == std::string::npos) return -1;
  return std::strtoll(lines.c_str() + found + before.size(), nullptr, 10) *
         1024;
}

}  // namespace tfcarve
