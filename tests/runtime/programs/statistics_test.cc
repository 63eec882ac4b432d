// Tests of statistics, with known samples.

#include "tools/runtime/programs/statistics.h"

#include <cmath>
#include <string>
#include <vector>

#include "tests/runtime/expecting.h"

namespace {

struct Case {
  std::vector<double> samples;
  tfcarve::Statistics expected;
};

bool Near(double one, double other) { return std::abs(one - other) < 1e-9; }

void KnownSamples() {
  std::vector<double> hundred, twenty_one;
  for (int i = 100; i > 0; --i) hundred.push_back(i);
  for (int i = 1; i <= 21; ++i) twenty_one.push_back(i);
  const Case cases[] = {
      {{}, {0, 0, 0, 0, 0}},
      {{7}, {7, 7, 7, 7, 0}},
      {{3, 1}, {1, 2, 3, 2, std::sqrt(2.0)}},
      {{5, 1, 3}, {1, 3, 5, 3, 2}},
      {{2, 2, 2, 2}, {2, 2, 2, 2, 0}},
      {hundred, {1, 50.5, 95, 50.5, std::sqrt(83325.0 / 99)}},
      {twenty_one, {1, 11, 20, 11, std::sqrt(770.0 / 20)}},
  };
  for (const Case& c : cases) {
    const tfcarve::Statistics is = tfcarve::StatisticsOf(c.samples);
    const std::string of =
        " of " + std::to_string(c.samples.size()) + " samples";
    Expect(Near(is.min, c.expected.min), "min" + of);
    Expect(Near(is.median, c.expected.median), "median" + of);
    Expect(Near(is.p95, c.expected.p95), "p95" + of);
    Expect(Near(is.mean, c.expected.mean), "mean" + of);
    Expect(Near(is.stddev, c.expected.stddev), "stddev" + of);
  }
}

}  // namespace

int main() {
  KnownSamples();
  return failures == 0 ? 0 : 1;
}
