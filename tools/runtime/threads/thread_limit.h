// The largest number of threads.

#ifndef TFCARVE_TOOLS_RUNTIME_THREADS_THREAD_LIMIT_H_
#define TFCARVE_TOOLS_RUNTIME_THREADS_THREAD_LIMIT_H_

namespace tfcarve {

// Of a session, a pool, an interpreter with a Flex delegate, and of --threads.
constexpr int kMaxThreads = 1024;

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_THREADS_THREAD_LIMIT_H_
