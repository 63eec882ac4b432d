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

// Runs the checks with each instruction set and prints the number of
// differences. `all` is terminated by null. Returns the exit status: 0 without
// differences.
template <typename Kernels, int kCount>
int Compare(const Kernels* const* all, const Check<Kernels> (&checks)[kCount]) {
  int total = 0;
  for (; *all != nullptr; ++all) {
    const Kernels& kernels = **all;
    differences = 0;
    if (kernels.is_supported()) {
      for (const Check<Kernels>& check : checks) {
        current = check.name;
        current_differences = 0;
        check.run(kernels);
      }
      std::printf("%s: %d differences\n", kernels.name, differences);
    } else {
      std::printf("%s: not supported\n", kernels.name);
    }
    total += differences;
  }
  return total == 0 ? 0 : 1;
}

#endif  // TFCARVE_TESTS_RUNTIME_MATH_MATH_CHECKS_H_
