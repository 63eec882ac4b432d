// The part that programs which compare tools/runtime/math with plain loops
// share: checks by name, the differences that they find, and the report.

#ifndef TFCARVE_TESTS_RUNTIME_MATH_MATH_CHECKS_H_
#define TFCARVE_TESTS_RUNTIME_MATH_MATH_CHECKS_H_

#include <cstdio>
#include <string>

// The check whose expected values are wrong; "" for none.
inline std::string wrong_check;
inline std::string current;          // the check that runs
inline int differences = 0;          // of an instruction set
inline int current_differences = 0;  // of the check that runs

// Counts a difference and prints the first ones of each check.
inline void Fail(double actual, double expected) {
  ++differences;
  if (++current_differences <= 10) {
    std::printf("%s: %.10g instead of %.10g\n", current.c_str(), actual,
                expected);
  }
}

template <typename Kernels>
struct Check {
  const char* name;
  void (*run)(const Kernels&);
};

// Runs the checks with the kernels of an instruction set, if this CPU supports
// it, and prints and returns the number of differences. If the expected values
// of a check are wrong, only this check runs.
template <typename Kernels, int kCount>
int Compare(const char* name, bool is_supported, const Kernels& kernels,
            const Check<Kernels> (&checks)[kCount]) {
  differences = 0;
  if (!is_supported) {
    std::printf("%s: not supported\n", name);
    return 0;
  }
  for (const Check<Kernels>& check : checks) {
    if (!wrong_check.empty() && wrong_check != check.name) continue;
    current = check.name;
    current_differences = 0;
    check.run(kernels);
  }
  std::printf("%s: %d differences\n", name, differences);
  return differences;
}

#endif  // TFCARVE_TESTS_RUNTIME_MATH_MATH_CHECKS_H_
