// A check that reports a failure and continues.

#ifndef TFCARVE_TESTS_RUNTIME_EXPECTING_H_
#define TFCARVE_TESTS_RUNTIME_EXPECTING_H_

#include <cstdio>
#include <string>

// The number of failed checks.
inline int failures = 0;

inline void Expect(bool good, const std::string& what) {
  if (good) return;
  std::fprintf(stderr, "FAILED: %s\n", what.c_str());
  ++failures;
}

#endif  // TFCARVE_TESTS_RUNTIME_EXPECTING_H_
