// Stands for Google Benchmark's header: TensorFlow's tests of kernels also
// contain benchmarks. They are compiled, but never run.

#ifndef BENCHMARK_BENCHMARK_H_
#define BENCHMARK_BENCHMARK_H_

#include <cstdint>

namespace benchmark {

class State {
 public:
  // A loop over the state has no iterations.
  int* begin() { return nullptr; }
  int* end() { return nullptr; }

  int64_t iterations() const { return 0; }
  int64_t range(int = 0) const { return 0; }
  void SetBytesProcessed(int64_t) {}
  void SetItemsProcessed(int64_t) {}
};

// Accepts the options of a benchmark.
struct NotRun {
  NotRun* MeasureProcessCPUTime() { return this; }
  NotRun* UseRealTime() { return this; }
  NotRun* Arg(int64_t) { return this; }
  NotRun* ArgPair(int64_t, int64_t) { return this; }
  NotRun* Range(int64_t, int64_t) { return this; }
};

inline void Initialize(int*, char**) {}
inline void RunSpecifiedBenchmarks() {}

template <typename T>
void DoNotOptimize(const T&) {}

}  // namespace benchmark

#define TFCARVE_JOINED(prefix, number) prefix##number
#define TFCARVE_UNIQUE(prefix, number) TFCARVE_JOINED(prefix, number)
#define BENCHMARK(function)                   \
  static ::benchmark::NotRun* TFCARVE_UNIQUE( \
      tfcarve_benchmark_, __COUNTER__) = (new ::benchmark::NotRun)

#endif  // BENCHMARK_BENCHMARK_H_
