// A check that says what failed and lets the others go on.

#ifndef TFCARVE_TESTS_RUNTIME_EXPECTING_H_
#define TFCARVE_TESTS_RUNTIME_EXPECTING_H_

#include <cstdio>
#include <string>

// How many checks have failed: main returns whether any has.
inline int failures = 0;

inline void Expect(bool good, const std::string& what) {
  if (good) return;
  std::fprintf(stderr, "FAILED: %s\n", what.c_str());
  ++failures;
}

#endif  // TFCARVE_TESTS_RUNTIME_EXPECTING_H_
