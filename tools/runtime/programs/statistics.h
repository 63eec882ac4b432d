// Statistics of a list of measurements.

#ifndef TFCARVE_TOOLS_RUNTIME_PROGRAMS_STATISTICS_H_
#define TFCARVE_TOOLS_RUNTIME_PROGRAMS_STATISTICS_H_

#include <vector>

namespace tfcarve {

struct Statistics {
  double min = 0;
  double median = 0;  // the mean of the middle two if their number is even
  double p95 = 0;     // the smallest sample that 95 % do not exceed
  double mean = 0;
  double stddev = 0;  // of a sample (n - 1); 0 for one sample
};

// Returns zeros if there are no samples.
Statistics StatisticsOf(std::vector<double> samples);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_PROGRAMS_STATISTICS_H_
