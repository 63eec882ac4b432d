// Work that a thread shares with other threads.

#ifndef TFCARVE_TOOLS_RUNTIME_THREADS_SHARED_WORK_H_
#define TFCARVE_TOOLS_RUNTIME_THREADS_SHARED_WORK_H_

#include <cstdint>
#include <functional>

namespace tfcarve {

// Runs a task in another thread, now or later.
using ScheduleTask = std::function<void(std::function<void()>)>;

// Calls compute(unit) once for each unit of [0, units), in this thread and in
// up to `helpers` tasks that it schedules. Returns when all units are computed
// and does not wait for tasks that have not started: these find nothing to do.
void ShareWork(int64_t units, int64_t helpers, const ScheduleTask& schedule,
               const std::function<void(int64_t)>& compute);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_THREADS_SHARED_WORK_H_
