// Android's C library declares these functions; musl lacks them.
#ifndef TFCARVE_TESTS_TOOLCHAINS_INCLUDE_ANDROID_XLOCALE_H_
#define TFCARVE_TESTS_TOOLCHAINS_INCLUDE_ANDROID_XLOCALE_H_

#include <locale.h>
#include <stdlib.h>

static inline long long strtoll_l(const char* text, char** end, int base,
                                  locale_t locale) {
  (void)locale;
  return strtoll(text, end, base);
}

static inline unsigned long long strtoull_l(const char* text, char** end,
                                            int base, locale_t locale) {
  (void)locale;
  return strtoull(text, end, base);
}

#endif  // TFCARVE_TESTS_TOOLCHAINS_INCLUDE_ANDROID_XLOCALE_H_
