#include "tools/runtime/programs/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace tfcarve {

Statistics StatisticsOf(std::vector<double> samples) {
  Statistics result;
  const size_t count = samples.size();
  if (count == 0) return result;
  std::sort(samples.begin(), samples.end());
  result.min = samples.front();
  result.median = (samples[(count - 1) / 2] + samples[count / 2]) / 2;
  result.p95 = samples[(count * 95 + 99) / 100 - 1];
  double sum = 0;
  for (const double sample : samples) sum += sample;
  result.mean = sum / static_cast<double>(count);
  double squares = 0;
  for (const double sample : samples) {
    squares += (sample - result.mean) * (sample - result.mean);
  }
  if (count > 1) {
    result.stddev = std::sqrt(squares / static_cast<double>(count - 1));
  }
  return result;
}

}  // namespace tfcarve
